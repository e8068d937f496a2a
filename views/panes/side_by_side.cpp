#include "views/view_registry.h"
#include "views/widgets/scene_figure_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) { return new SceneFigureView(session); }

const Registered<ViewEntry> self{
    {{"Side by side", "the compared runs: figures, parts of the epoch, what changes", ""},
     "Side by side",
     ViewArea::centre,
     25,
     kEveryPerspective,
     {},
     make}};

}  // namespace
}  // namespace halo
