// timeline_bench [SPANS [RECORDING]]: writes a recording of ten million spans (or takes the one given), opens
// it in a timeline of 1,920 × 64 rows on the offscreen platform and holds what it measures against
// its targets: T1 opening, T3 frames, T5 memory, T9 statistics, T10 search, T11 the lane of what changes, T20
// the longest block. Exit status 1 if a target is missed.
#include <malloc.h>
#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>

#include "tests/bench/judge.h"
#include "tests/support/longest_block.h"
#include "tests/support/scratch.h"
#include "tests/support/synthetic_recording.h"
#include "views/session/feed.h"
#include "views/tally/span_search.h"
#include "views/timeline/timeline_view.h"

namespace {

using halo::TimeRange;

constexpr int kColumns = 1920;
constexpr int kRows = 64;
halo::Judge results;

double residentBytes() {
  malloc_trim(0);
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

struct Bench {
  halo::TimelineModel model;
  halo::TimeWindow window;
  halo::TimelineView view{model, window};
  halo::Feed feed{model};

  Bench() {
    view.canvas().setAnimated(false);
    view.show();
    fitTo(20);
  }

  /// So that the lanes are 1,920 pixels wide and 64 rows of `height` show.
  void fitTo(int height) {
    view.canvas().setRowHeight(height);
    const int aside = view.width() - view.canvas().lanes().width();
    const int above = view.height() - view.canvas().lanes().height();
    int rows = 0;
    const auto places = halo::placeRows(model.rows(), height, 4);
    for (const halo::RowPlace& place : places)
      if (place.entry < kRows) rows = place.top + place.height;
    view.resize(kColumns + aside, above + (rows > 0 ? rows : kRows * height));
    QApplication::processEvents();
  }

  void open(const std::filesystem::path& file, std::int64_t run, double& coarseMs, double& completeMs) {
    bool known = false, complete = false;
    coarseMs = completeMs = 0;
    QElapsedTimer timer;
    const auto a = QObject::connect(&feed, &halo::Feed::directoryRead, [&] { known = true; });
    const auto b = QObject::connect(&feed, &halo::Feed::complete, [&] {
      complete = true;
      view.canvas().update();  // the last lane may have been painted already
    });
    const auto c = QObject::connect(&view.canvas(), &halo::TimelineCanvas::framePainted, [&] {
      if (known && coarseMs == 0) coarseMs = halo::milliseconds(timer);
      if (complete && completeMs == 0) completeMs = halo::milliseconds(timer);
    });
    timer.start();
    feed.open(file, run);
    while (completeMs == 0) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    for (const auto& connection : {a, b, c}) QObject::disconnect(connection);
  }

  double frame() {
    QElapsedTimer timer;
    timer.start();
    view.canvas().repaint();
    return halo::milliseconds(timer);
  }

  /// 40 whole-pixel pans at each octave of zoom, and every octave twice in turn at random places.
  void frames(const char* label) {
    std::vector<double> pans, zooms;
    std::mt19937_64 random(1);
    const TimeRange extent = model.extent();
    for (int octave = 0; octave <= 22; ++octave) {
      const std::int64_t length = std::max<std::int64_t>(2000, extent.lengthNs() >> octave);
      for (int i = 0; i < 10; ++i) {
        const auto place =
            static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent.lengthNs()));
        const std::int64_t begin = std::min(extent.beginNs + place, extent.endNs - length);
        const auto odd = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length / 8 + 1));
        window.setVisible({begin, begin + length - odd});
        zooms.push_back(frame());
      }
      const double perPixel = static_cast<double>(window.visible().lengthNs()) / kColumns;
      for (int i = 0; i < 40; ++i) {
        window.pan(
            static_cast<std::int64_t>(std::llround(perPixel * static_cast<double>(random() % 60) - 30)));
        pans.push_back(frame());
      }
    }
    std::printf("%s\n", label);
    results.note("pan, median", halo::quantile(pans, 0.5), "ms");
    results.note("zoom to anywhere, median", halo::quantile(zooms, 0.5), "ms");
    pans.insert(pans.end(), zooms.begin(), zooms.end());
    results.judge("T3 pan and zoom frame, p95", halo::quantile(pans, 0.95), 8, "ms");
    results.judge("T3 pan and zoom frame, p99", halo::quantile(pans, 0.99), 16, "ms");
    results.note("slowest frame", halo::quantile(pans, 1), "ms");
  }

  void statistics() {
    std::vector<double> times;
    std::mt19937_64 random(2);
    const auto extentNs = static_cast<std::uint64_t>(model.extent().lengthNs());
    std::int64_t sum = 0;
    for (int i = 0; i < 200; ++i) {
      const std::int64_t begin = model.extent().beginNs + static_cast<std::int64_t>(random() % extentNs);
      QElapsedTimer timer;
      timer.start();
      sum += model.statistics({begin, begin + static_cast<std::int64_t>(random() % extentNs)}, {}).spans;
      times.push_back(halo::milliseconds(timer));
    }
    results.judge("T9 statistics of a selection over all rows, p95", halo::quantile(times, 0.95), 1, "ms");
    results.note("spans in the selections, mean", static_cast<double>(sum) / 200, "");
  }

  /// All hits of a name, a stretch at a time as the line below the lanes does.
  void search() {
    std::vector<double> all, first;
    std::size_t hits = 0;
    for (int round = 0; round < 5; ++round) {
      halo::SpanSearch search;
      double firstHit = -1;
      QElapsedTimer timer;
      timer.start();
      search.begin(model.everyRow(), "aggregate");
      for (bool more = true; more;) {
        more = search.advance(400'000);
        if (firstHit < 0 && search.count() > 0) firstHit = halo::milliseconds(timer);
      }
      all.push_back(halo::milliseconds(timer));
      first.push_back(firstHit);
      hits = search.count();
    }
    results.judge("T10 first hit of a search, median", halo::quantile(first, 0.5), 30, "ms");
    results.judge("T10 all hits counted, median", halo::quantile(all, 0.5), 150, "ms");
    results.note("hits", static_cast<double>(hits), "");
  }

  /// Rows by layers are copied between events.
  void divide() {
    halo::LongestBlock block;
    QElapsedTimer timer;
    timer.start();
    view.canvas().setOrder(halo::LaneOrder::layers);
    while (!model.settled()) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    results.note("lanes layer by layer, complete", halo::milliseconds(timer), "ms");
    results.judge("T20 lanes layer by layer, longest block", block.milliseconds(), 50, "ms");
    view.canvas().setOrder(halo::LaneOrder::runs);
  }

  /// The same run below itself: the lane of what changes is worked out for every frame.
  void change(const std::filesystem::path& file, std::int64_t run) {
    halo::TimelineModel other;
    halo::Feed otherFeed(other);
    bool complete = false;
    QObject::connect(&otherFeed, &halo::Feed::complete, [&] { complete = true; });
    otherFeed.open(file, run);
    while (!complete) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    halo::TimelineBlock first, second;
    first.name = "A", second.name = "B", second.model = &other;
    view.setOthers(first, {second});
    view.canvas().setScroll(0);
    std::vector<double> times;
    std::mt19937_64 random(3);
    const TimeRange extent = model.extent();
    for (int octave = 0; octave <= 16; ++octave)
      for (int i = 0; i < 10; ++i) {
        const std::int64_t length = extent.lengthNs() >> octave;
        const auto place =
            static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(extent.lengthNs()));
        const std::int64_t begin = std::min(extent.beginNs + place, extent.endNs - length);
        window.setVisible({begin, begin + length});
        times.push_back(frame());
      }
    results.note("frame of two runs with what changes, median", halo::quantile(times, 0.5), "ms");
    results.judge("T11 frame of two runs with what changes, p95", halo::quantile(times, 0.95), 16, "ms");
    view.setOthers({}, {});
  }

  /// A batch as 16 ranks with a million spans a second together bring it every 50 ms.
  void live() {
    std::vector<double> times;
    std::int64_t at = model.extent().endNs;
    for (int batch = 0; batch < 40; ++batch) {
      QElapsedTimer timer;
      double elapsed = 0;
      for (std::int64_t rank = 0; rank < 16; ++rank) {
        std::vector<halo::Span> spans(3125);
        for (std::size_t i = 0; i < spans.size(); ++i) {
          spans[i].beginNs = at + static_cast<std::int64_t>(i) * 16'000;
          spans[i].durationNs = 12'000;
          spans[i].kind = static_cast<halo::Kind>(i % 5);
        }
        const halo::SpanColumns columns(spans);  // as the reading thread hands them over
        timer.start();
        model.append(rank, halo::Lane::main, columns);
        elapsed += halo::milliseconds(timer);
      }
      at += 50'000'000;
      times.push_back(elapsed);
    }
    results.judge("live: taking in 50,000 spans, p95", halo::quantile(times, 0.95), 16, "ms");
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  QApplication app(argc, argv);
  halo::Scratch scratch;
  halo::Synthetic like;
  if (argc > 1) like.spans = std::atoll(argv[1]);
  std::filesystem::path file = argc > 2 ? argv[2] : (scratch / "synthetic.db").string();
  std::int64_t run = 1;
  if (!std::filesystem::exists(file)) {
    QElapsedTimer timer;
    timer.start();
    run = halo::writeSyntheticRecording(file, like);
    results.note("writing the recording", halo::milliseconds(timer) / 1e3, "s");
  }
  results.note("file size",
               static_cast<double>(std::filesystem::file_size(file)) / static_cast<double>(like.spans),
               "B/span");

  Bench bench;
  const double before = residentBytes();
  std::vector<double> coarse(6), complete(6);
  for (std::size_t i = 0; i < coarse.size(); ++i) bench.open(file, run, coarse[i], complete[i]);
  // the first warms the disk's cache
  coarse.erase(coarse.begin());
  complete.erase(complete.begin());
  const auto spans = static_cast<double>(bench.model.spans());
  std::printf("%.0f spans in %zu rows\n", spans, bench.model.rows().size());
  results.judge("T1 opening to the first coarse frame, warm, median", halo::quantile(coarse, 0.5) / 1e3, 0.1,
                "s");
  results.judge("T1 opening to the first complete frame, warm, median", halo::quantile(complete, 0.5) / 1e3,
                0.4, "s");
  results.note("slowest of five", halo::quantile(complete, 1) / 1e3, "s");

  bench.fitTo(20);
  bench.frames("all lanes, 64 rows in view");
  for (std::int64_t rank = 0; rank < like.ranks; ++rank) bench.model.setCollapsed(rank, true);
  bench.fitTo(20);
  bench.frames("ranks collapsed, 64 main lanes in view");
  bench.statistics();
  bench.search();
  results.judge("T5 memory of spans, pyramids, sums and colours",
                static_cast<double>(bench.model.bytes()) / spans, 24, "B/span");
  results.note("resident beyond the empty window", (residentBytes() - before) / spans, "B/span");
  bench.divide();
  bench.change(file, run);
  bench.live();
  return results.conclude();
}
