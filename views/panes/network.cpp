#include "views/view_registry.h"
#include "views/widgets/compared_runs_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) { return new ComparedRunsView(session, "network"); }

const Registered<ViewEntry> self{{{"Network", "epochs on real hosts beside emulated and simulated ones", ""},
                                  "Network",
                                  ViewArea::bottom,
                                  38,
                                  {Perspective::decide},
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
