#include "views/spans/span_choice.h"
#include "views/view_registry.h"
#include "views/widgets/ledger_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) {
  auto* view = new LedgerView;
  QObject::connect(&session, &Session::runChosen, view, &LedgerView::clear);
  QObject::connect(&session, &Session::runRead, view, &LedgerView::show);
  QObject::connect(view, &LedgerView::transfersChosen, &session, [&session](qint64 source, qint64 target) {
    SpanChoice choice;  // transfers stand in the lanes of who receives
    choice.lane = Lane::link;
    choice.rank = target;
    choice.peer = static_cast<std::int32_t>(source);
    emit session.shownSpansWanted(choice);
  });
  return view;
}

const Registered<ViewEntry> self{{{"Ledger", "who sent how much to whom", ""},
                                  "Ledger",
                                  ViewArea::bottom,
                                  30,
                                  kEveryPerspective,
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
