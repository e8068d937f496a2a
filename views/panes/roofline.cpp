#include "views/view_registry.h"
#include "views/widgets/compared_runs_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) { return new ComparedRunsView(session, "roofline"); }

const Registered<ViewEntry> self{{{"Roofline", "what devices do beside the most they could", ""},
                                  "Roofline",
                                  ViewArea::bottom,
                                  34,
                                  {Perspective::decide},
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
