#include <QBackingStore>
#include <catch2/catch.hpp>

#include "tests/views/timeline/timeline_window_fixture.h"
#include "tests/views/timeline_fixture.h"
#include "views/look/palette.h"

using halo::Lane;
using halo::TimelineView;
using halo::TimeWindow;
using Fixture = halo::TimelineWindowFixture;

namespace {

/// What a canvas shows that was never of another size or in another stretch of time.
QImage freshPicture(Fixture& f) {
  TimeWindow window;
  TimelineView fresh(f.model, window);
  fresh.resize(f.view.size());
  fresh.canvas().setAnimated(false);
  fresh.show();
  QApplication::processEvents();
  window.setVisible(f.window.visible());
  return fresh.canvas().grab().toImage();
}

}  // namespace

TEST_CASE("a tooltip of a crowded pixel says how crowded, of a free one what stands there",
          "[views][timeline]") {
  Fixture f;
  f.window.setVisible({0, 20'000});
  CHECK(f.canvas().tooltipAt(f.at(4500)).contains("aggregate"));
  f.view.resize(300, 400);
  QApplication::processEvents();
  f.window.setVisible({-100'000, 300'000});
  int crowded = 0;
  for (std::int64_t ns = 0; ns < 200'000; ns += 1000)
    crowded += f.canvas().tooltipAt(f.at(ns)).contains("2 spans</b>") ? 1 : 0;
  CHECK(crowded > 20);
  CHECK(f.canvas().tooltipAt({5, 5}).isEmpty());
  CHECK(f.canvas().tooltipAt(f.at(-50'000)).isEmpty());
}

TEST_CASE("the painted lanes have the colours of their kinds in both themes", "[views][timeline]") {
  const auto theme = GENERATE(halo::Theme::light, halo::Theme::dark);
  Fixture f;
  f.view.setPalette(halo::widgetPalette(theme));
  f.window.setVisible({0, 20'000});
  f.canvas().setRowHeight(30);
  QApplication::processEvents();
  const QImage picture = f.canvas().grab().toImage();
  const halo::Palette& colors = halo::palette(theme);
  const QPoint busy = f.at(4700) + QPoint(0, 20);
  const QPoint idle = f.at(5500) + QPoint(0, 20);
  CHECK((picture.pixel(busy) | 0xFF000000) == colors.kind[0]);
  CHECK((picture.pixel(idle) | 0xFF000000) == colors.lane);
}

TEST_CASE("what is waited for has its cause's colour in the lanes, an entry in the legend and a tooltip",
          "[views][timeline]") {
  const auto theme = GENERATE(halo::Theme::light, halo::Theme::dark);
  Fixture f;
  CHECK_FALSE(f.view.legend().text().contains("waits for"));
  const auto wait = [](std::int64_t begin, halo::Name cause) {
    return halo::Span{begin, 4000, 0, 0, -1, -1, cause, halo::Kind::idle, Lane::main, halo::Pass::none};
  };
  const std::vector<halo::Span> waits = {wait(200'000, halo::Name::awaitRows),
                                         wait(204'000, halo::Name::awaitBanks)};
  f.model.append(0, Lane::main, waits);
  f.view.setPalette(halo::widgetPalette(theme));
  f.window.setVisible({198'000, 218'000});
  f.canvas().setRowHeight(30);
  QApplication::processEvents();
  const QImage picture = f.canvas().grab().toImage();
  const auto around = [&](std::int64_t ns, QRgb color) {  // pixels of the colour, low in the lane
    int count = 0;
    for (int x = -8; x < 8; ++x)
      for (int y = 0; y < 30; ++y) count += (picture.pixel(f.at(ns) + QPoint(x, y)) | 0xFF000000) == color;
    return count;
  };
  const QRgb rows = halo::seriesColor(theme, halo::causeColor(halo::Name::awaitRows));
  const QRgb banks = halo::seriesColor(theme, halo::causeColor(halo::Name::awaitBanks));
  CHECK(around(202'000, rows) > 20);
  CHECK(around(202'000, banks) == 0);
  CHECK(around(206'000, banks) > 20);
  CHECK(around(212'000, rows) + around(212'000, banks) == 0);  // nothing stands there
  CHECK(f.view.legend().text().endsWith("waits for rows; waits for banks"));
  const auto entries = f.view.legend().entriesFor(2560);
  REQUIRE(entries.size() == halo::kKinds + 2);
  CHECK(entries.back().cause == halo::Name::awaitBanks);
  CHECK(f.canvas().tooltipAt(f.at(202'000)).contains("stall: rows"));
}

TEST_CASE("a window that panned shows what a fresh one shows", "[views][timeline]") {
  Fixture f;
  f.model.append(2, Lane::main, halo::randomSpans(30'000, 9, Lane::main, 0));
  QApplication::processEvents();  // the legend names what is waited for, and takes its lines
  f.window.setVisible({1'000'000'000, 1'200'000'000});
  f.canvas().grab();
  for (int i = 0; i < 7; ++i) f.key(i % 3 ? Qt::Key_D : Qt::Key_A);
  CHECK(f.canvas().grab().toImage() == freshPicture(f));
}

TEST_CASE("a window that grew shows what a fresh one of its size shows", "[views][timeline]") {
  Fixture f;
  f.canvas().grab();
  f.view.resize(1000, 600);
  QApplication::processEvents();
  CHECK(f.canvas().grab().toImage() == freshPicture(f));
}

TEST_CASE("what stands in the window is what a grabbed picture shows", "[views][timeline]") {
  Fixture f;
  f.model.append(2, Lane::main, halo::randomSpans(30'000, 9, Lane::main, 0));
  const std::int64_t begin = GENERATE(0, 1'000'000'000, 1'000'100'000);
  f.window.setVisible({begin, begin + 40'000'000});
  f.view.repaint();
  const QBackingStore* backing = f.canvas().backingStore();
  REQUIRE(backing != nullptr);
  const auto* store = dynamic_cast<QImage*>(const_cast<QBackingStore*>(backing)->paintDevice());
  REQUIRE(store != nullptr);
  const QRect place(f.canvas().mapTo(f.canvas().window(), QPoint(0, 0)), f.canvas().size());
  const QImage storeImage = store->copy(place).convertToFormat(QImage::Format_RGB32);
  CHECK(storeImage == f.canvas().grab().toImage().convertToFormat(QImage::Format_RGB32));
}

TEST_CASE("the words on a striped span stand on its colour alone", "[views][timeline]") {
  const auto theme = GENERATE(halo::Theme::light, halo::Theme::dark);
  Fixture f;
  halo::Span span;
  span.beginNs = 300'000;
  span.durationNs = 100'000;
  span.kind = halo::Kind::synchronise;
  span.name = halo::Name::allReduce;
  f.model.append(0, Lane::main, std::vector{span});
  f.view.setPalette(halo::widgetPalette(theme));
  f.window.setVisible({300'000, 400'000});
  f.canvas().setRowHeight(24);
  QApplication::processEvents();
  const QImage picture = f.canvas().grab().toImage();
  const halo::Palette& colors = halo::palette(theme);
  const QRgb kind = colors.kind[static_cast<std::size_t>(halo::Kind::synchronise)];
  const QRgb gap = halo::mix(kind, colors.lane, 0.6);
  const int words = f.canvas().fontMetrics().horizontalAdvance("all-reduce");
  const int left = f.canvas().headerWidth() + 4, y = f.canvas().rulerHeight() + 24 * 2 / 3;
  const auto gaps = [&](int from, int to) {
    int count = 0;
    for (int x = from; x < to; ++x) count += (picture.pixel(x, y) | 0xFF000000) == gap ? 1 : 0;
    return count;
  };
  CHECK(gaps(left, left + words - 4) == 0);
  CHECK(gaps(left + words + 8, left + words + 108) > 15);
}

TEST_CASE("frames of a phase lane are thin lines at every zoom", "[views][timeline]") {
  Fixture f;
  const auto green = [&](int y) {
    const QImage picture = f.canvas().grab().toImage();
    int count = 0;
    for (int x = f.canvas().lanes().left(); x < picture.width(); ++x)
      count += (picture.pixel(x, y) | 0xFF000000) != halo::palette(halo::Theme::light).lane ? 1 : 0;
    return count;
  };
  f.view.setPalette(halo::widgetPalette(halo::Theme::light));
  f.canvas().setRowHeight(30);
  halo::Span frame;
  frame.lane = Lane::phase;
  frame.kind = halo::Kind::other;
  frame.name = halo::Name::epoch;
  std::vector<halo::Span> frames;
  for (int i = 0; i < 40'000; ++i) {
    frame.beginNs = 300'000 + i * 1000LL;
    frame.durationNs = 200 + i % 7 * 100;
    frames.push_back(frame);
  }
  f.model.append(0, Lane::phase, frames);
  const int top = f.at(300'000, 1).y() - 4;  // of the phase lane of rank 0
  for (const std::int64_t length : {40'000LL, 400'000LL, 4'000'000LL, 40'000'000LL}) {
    f.window.setVisible({300'000, 300'000 + length});
    CAPTURE(length);
    CHECK(green(top + 2) == 0);
    CHECK(green(top + 15) > 100);
  }
}
