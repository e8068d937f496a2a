#include "views/view_registry.h"
#include "views/widgets/timeline_stage.h"

namespace halo {
namespace {

QWidget* make(Session& session) { return new TimelineStage(session); }

const Registered<ViewEntry> self{{{"Timeline", "the lanes of every worker", ""},
                                  "Timeline",
                                  ViewArea::centre,
                                  10,
                                  {Perspective::observe},
                                  {Perspective::observe},
                                  make}};

}  // namespace
}  // namespace halo
