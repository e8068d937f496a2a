// live_bench: a run of 16 ranks that grows by 20,000 spans a rank and second, followed as the window does
// (T8: 500 ms at p95 from a span's end to the screen, of spans that are stored every 50 ms; 16 ms a frame).
// Offscreen. Exit status 1 if a target is missed.
#include <QApplication>
#include <QEventLoop>
#include <chrono>
#include <thread>

#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/bench/judge.h"
#include "tests/support/scratch.h"
#include "views/session/feed.h"
#include "views/timeline/timeline_view.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRanks = 16, kSpansASecond = 20'000, kStoredEveryMs = 50, kSeconds = 6;
constexpr std::int64_t kBatchNs = kStoredEveryMs * 1'000'000LL;
constexpr int kBatches = kSeconds * 1000 / kStoredEveryMs;

std::vector<halo::Span> batchOf(int batch) {
  constexpr std::int64_t kSpans = std::int64_t{kSpansASecond} * kStoredEveryMs / 1000;
  std::vector<halo::Span> spans(kSpans);
  for (std::int64_t i = 0; i < kSpans; ++i) {
    halo::Span& span = spans[static_cast<std::size_t>(i)];
    span.beginNs = batch * kBatchNs + i * (kBatchNs / kSpans);
    span.durationNs = kBatchNs / kSpans - 10'000;
    span.kind = static_cast<halo::Kind>(i % 5);
    span.layer = static_cast<std::int16_t>(i % 3);
  }
  return spans;
}

/// Stores each batch but the first once its time has passed, since `begin`.
void storeBatches(const std::filesystem::path& file, std::int64_t run, Clock::time_point begin) {
  halo::Database database(file, halo::Access::readWrite);
  for (int batch = 1; batch < kBatches; ++batch) {
    std::this_thread::sleep_until(begin + std::chrono::milliseconds(kStoredEveryMs) * (batch + 1));
    halo::Transaction transaction(database);
    for (std::int64_t rank = 0; rank < kRanks; ++rank)
      halo::Spans(database).append(run, rank, batchOf(batch));
    transaction.commit();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  const halo::Scratch scratch;
  const std::filesystem::path file = scratch / "live.db";
  std::int64_t run = 0;
  {
    halo::Database database(file, halo::Access::create);
    halo::RunRow row;
    row.status = "running", row.method = "vanilla", row.dataset = "synthetic", row.model = "gcn";
    row.workers = kRanks;
    run = halo::Runs(database).add(row);
    for (std::int64_t rank = 0; rank < kRanks; ++rank)  // so that there is something to open
      halo::Spans(database).append(run, rank, batchOf(0));
  }
  halo::TimelineModel model;
  halo::TimeWindow window;
  halo::TimelineView view(model, window);
  halo::Feed feed(model);
  view.resize(1920, 800);
  view.show();
  window.setFollowing(true);
  std::vector<double> frames, latencies;
  Clock::time_point begin;
  int shown = 1;  // batches
  QObject::connect(&view.canvas(), &halo::TimelineCanvas::framePainted, [&](qint64 ns) {
    frames.push_back(static_cast<double>(ns) * 1e-6);
    // a span of this batch ended as early as its begin
    for (; shown < kBatches && model.newestNs().value_or(0) > shown * kBatchNs + kBatchNs / 2; ++shown)
      latencies.push_back(std::chrono::duration<double, std::milli>(
                              Clock::now() - begin - std::chrono::nanoseconds(shown * kBatchNs))
                              .count());
  });
  feed.open(file, run);
  begin = Clock::now();
  std::thread writer(storeBatches, file, run, begin);
  const auto end = begin + std::chrono::seconds(kSeconds + 5);
  while (shown < kBatches && Clock::now() < end) QApplication::processEvents(QEventLoop::AllEvents, 10);
  writer.join();
  halo::Judge results;
  results.note("batches shown", shown, "");
  if (shown < kBatches) latencies.push_back(1e6);
  results.judge("T8 from a span's end to the screen, p95", halo::quantile(latencies, 0.95), 500, "ms");
  results.judge("T8 frame while spans come in, p95", halo::quantile(frames, 0.95), 16, "ms");
  return results.conclude();
}
