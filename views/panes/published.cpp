#include "views/view_registry.h"
#include "views/widgets/compared_runs_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) { return new ComparedRunsView(session, "published"); }

const Registered<ViewEntry> self{{{"Published", "a paper's figures, ours beside the published bands", ""},
                                  "Published",
                                  ViewArea::bottom,
                                  37,
                                  {Perspective::decide},
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
