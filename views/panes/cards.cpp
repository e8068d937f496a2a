#include "views/view_registry.h"
#include "views/widgets/compared_runs_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) { return new ComparedRunsView(session, "cards"); }

const Registered<ViewEntry> self{{{"Cards", "a hybrid node over its accelerator cards", ""},
                                  "Cards",
                                  ViewArea::bottom,
                                  33,
                                  {Perspective::decide},
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
