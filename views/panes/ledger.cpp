#include "views/view_registry.h"
#include "views/widgets/ledger_view.h"

namespace halo {
namespace {

QWidget* make(Session& session) {
  auto* view = new LedgerView;
  QObject::connect(&session, &Session::runChosen, view, &LedgerView::clear);
  QObject::connect(&session, &Session::runRead, view, &LedgerView::show);
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
