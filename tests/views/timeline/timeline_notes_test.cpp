// Notes at moments of ranks: drawn, told by a pointer, and wanted by the menu.
#include <QMenu>
#include <catch2/catch.hpp>
#include <memory>

#include "tests/views/timeline/timeline_window_fixture.h"

using namespace halo;

namespace {

QAction* entry(const QMenu& menu, const QString& start) {
  for (QAction* action : menu.actions())
    if (action->text().startsWith(start)) return action;
  return nullptr;
}

}  // namespace

TEST_CASE("a note stands at its moment of its rank, and a pointer tells it", "[views][timeline][note]") {
  TimelineWindowFixture f;
  f.window.setVisible({0, 200'000});
  const QImage without = f.canvas().grab().toImage();
  const LaneNote note{{0, 1}, 100'500, "waits for rank 0 here, and for a long time"};
  f.canvas().setNotes({note});
  const QImage with = f.canvas().grab().toImage();
  CHECK(with != without);
  const QPoint flag = f.at(100'500, 2) + QPoint(3, 0);  // the first row of rank 1
  CHECK(with.pixel(flag) != without.pixel(flag));
  const QPoint elsewhere = f.at(20'500, 0);
  CHECK(with.pixel(elsewhere) == without.pixel(elsewhere));
  CHECK(f.canvas().tooltipAt(flag) == note.text);
  CHECK(f.canvas().tooltipAt(f.at(100'500, 0) + QPoint(3, 0)) != note.text);
  f.window.setVisible({0, 50'000});  // it is not in view
  f.canvas().setNotes({});
  const QImage empty = f.canvas().grab().toImage();
  f.canvas().setNotes({note});
  CHECK(f.canvas().grab().toImage() == empty);
}

TEST_CASE("the menu of a place writes a note there and takes away those that stand near",
          "[views][timeline][note]") {
  TimelineWindowFixture f;
  f.window.setVisible({0, 200'000});
  std::optional<LaneChoice> lane;
  qint64 at = 0;
  std::optional<LaneNote> unwanted;
  QObject::connect(&f.canvas(), &TimelineCanvas::noteWanted, [&](LaneChoice where, qint64 ns) {
    lane = where;
    at = ns;
  });
  QObject::connect(&f.canvas(), &TimelineCanvas::noteUnwanted,
                   [&](const LaneNote& note) { unwanted = note; });
  const std::unique_ptr<QMenu> menu(f.view.makeMenu(f.at(100'500, 2)));
  REQUIRE(entry(*menu, "Add a note"));
  CHECK(entry(*menu, "Remove the note") == nullptr);
  entry(*menu, "Add a note")->trigger();
  REQUIRE(lane.has_value());
  CHECK(lane->rank == 1);
  CHECK(std::abs(at - 100'500) < 1'000);
  const LaneNote note{*lane, at, "late"};
  f.canvas().setNotes({note, {{0, 1}, 20'000, "far"}, {{0, 0}, at, "of another rank"}});
  const std::unique_ptr<QMenu> again(f.view.makeMenu(f.at(100'500, 2)));
  REQUIRE(entry(*again, "Remove the note"));
  CHECK(entry(*again, "Remove the note")->text().contains("late"));
  entry(*again, "Remove the note")->trigger();
  CHECK(unwanted == note);
}
