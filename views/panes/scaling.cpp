#include "views/view_registry.h"
#include "views/widgets/compared_runs_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) { return new ComparedRunsView(session, "scaling"); }

const Registered<ViewEntry> self{{{"Scaling", "epoch times over workers, and where methods cross", ""},
                                  "Scaling",
                                  ViewArea::bottom,
                                  32,
                                  {Perspective::decide},
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
