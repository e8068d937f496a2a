// Where a click on a cell of the ledger leads.
#include "views/widgets/ledger_view.h"

#include <catch2/catch.hpp>
#include <memory>

#include "views/figure/figure_view.h"
#include "views/view_registry.h"

using namespace halo;

TEST_CASE("a click on a cell of the ledger asks for the transfers of the shown run, in a chip or not",
          "[views]") {
  Session session;
  std::unique_ptr<QWidget> view;
  for (const ViewEntry* entry : viewsInOrder())
    if (std::string_view(entry->title) == "Ledger") view.reset(entry->make(session));
  REQUIRE(view != nullptr);
  RunData run;
  run.run.id = 1;
  run.run.workers = 3;
  for (const auto& [source, target] : {std::pair{0, 1}, std::pair{1, 2}})
    run.messages.push_back({-1, 0, Pass::forward, source, target, 1, 4096, 4096});
  session.setRun(run);
  FigureView* drawn = nullptr;
  for (FigureView* figure : view->findChildren<FigureView*>())
    if (figure->figure().name == "ledger") drawn = figure;
  REQUIRE(drawn != nullptr);
  std::vector<SpanChoice> wanted;
  QObject::connect(&session, &Session::shownSpansWanted,
                   [&](const SpanChoice& choice) { wanted.push_back(choice); });
  emit drawn->pointChosen(0, 1 * 3 + 2);  // from 1 to 2
  SpanChoice choice;
  choice.lane = Lane::link;
  choice.rank = 2;
  choice.peer = 1;
  CHECK(wanted == std::vector{choice});
}
