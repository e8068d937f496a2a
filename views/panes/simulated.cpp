#include "views/view_registry.h"
#include "views/widgets/compared_runs_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) { return new ComparedRunsView(session, "simulated"); }

const Registered<ViewEntry> self{{{"Simulated", "simulated beside measured epoch times", ""},
                                  "Simulated",
                                  ViewArea::bottom,
                                  36,
                                  {Perspective::decide},
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
