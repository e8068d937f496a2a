// What the context menu of the timeline offers for a place.
#include <QMenu>
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "tests/views/timeline/timeline_window_fixture.h"

using namespace halo;

namespace {

QAction* whatIf(const QMenu& menu) {
  for (QAction* action : menu.actions())
    if (action->text().startsWith("What if…")) return action;
  return nullptr;
}

}  // namespace

TEST_CASE("the menu of a span asks what if, from that span, of any run that trained here",
          "[views][timeline]") {
  TimelineWindowFixture f;
  f.window.setVisible({0, 200'000});
  std::vector<std::int32_t> whatIfBlocks;
  QObject::connect(&f.canvas(), &TimelineCanvas::whatIfWanted,
                   [&](std::int32_t block) { whatIfBlocks.push_back(block); });
  const std::unique_ptr<QMenu> menu(f.view.makeMenu(f.at(100'500, 0)));
  REQUIRE(whatIf(*menu));
  CHECK(whatIf(*menu)->text().contains("Ctrl+I"));
  whatIf(*menu)->trigger();
  CHECK(whatIfBlocks == std::vector<std::int32_t>{0});
  REQUIRE(f.window.selectedSpan().has_value());
  CHECK(f.window.selectedSpan()->beginNs == 100'000);
  CHECK(f.window.selectedBlock() == 0);

  TimelineModel other;
  fillTwoRanks(other);
  TimelineBlock first, second;
  second.model = &other;
  f.view.setOthers(first, {second});
  const auto row = std::ranges::find(other.rows(), 1, [](const RowEntry& entry) { return entry.id.block; });
  REQUIRE(row != other.rows().end());
  const RowId id = row->id;
  f.canvas().goTo({id, 0});
  const std::unique_ptr<QMenu> below(f.view.makeMenu(std::nullopt));
  CHECK(whatIf(*below) == nullptr);  // of a simulation, or in another recording

  second.replays = true;
  f.view.setOthers(first, {second});
  f.canvas().goTo({id, 0});
  const std::unique_ptr<QMenu> replayed(f.view.makeMenu(std::nullopt));
  REQUIRE(whatIf(*replayed));
  CHECK_FALSE(whatIf(*replayed)->text().contains("Ctrl+I"));  // which asks of the first
  whatIf(*replayed)->trigger();
  CHECK(whatIfBlocks == std::vector<std::int32_t>{0, 1});
}
