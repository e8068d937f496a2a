#include "views/session/feed_reader.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>

#include "engine/base/host_name.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/shown_recording.h"
#include "engine/record/tables/spans.h"
#include "views/recording/rank_parts.h"
#include "views/recording/run_data.h"
#include "views/recording/shown_lanes.h"

namespace halo {
namespace {

constexpr unsigned kMostThreads = 4;
constexpr int kIdleFactor = 20;  // an ended run is looked at so much less often

using Post = std::function<void(FeedMessage)>;
using LaneBlocks = std::pair<std::pair<std::int64_t, Lane>, std::vector<SpanBlockInfo>>;

bool mayGrow(const RunRow& run) { return run.status == "queued" || run.status == "running"; }

void postProblem(const Post& post, const std::string& problem) {
  FeedMessage message;
  message.problem = problem;
  post(std::move(message));
}

/// Blocks of spans, put on the axis.
struct BlockReader {
  const Post& post;
  double divisor = 1;
  std::int64_t shiftNs = 0;

  std::int64_t onAxis(std::int64_t ns) const { return dividedNs(ns, divisor) + shiftNs; }

  /// Reads a block's spans into `columns`. False, and said so, where it is damaged: the others can still be
  /// read.
  bool read(const Spans& spans, std::int64_t block, SpanColumns& columns) const {
    try {
      spans.loadRaw(block, [&](std::string_view packed, std::int64_t) { columns.read(SpanBlock(packed)); });
      const bool backward = columns.anyBackward();
      if (backward)
        postProblem(post, "span block " + std::to_string(block) +
                              " holds spans that end before they begin; left out");
      if (!backward) put(columns);
      return !backward;
    } catch (const RecordDamaged& error) {
      postProblem(post, error.what());
    }
    return false;
  }

  void put(SpanColumns& columns) const {
    if (divisor == 1 && shiftNs == 0) return;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::int64_t end = onAxis(columns.endNs(i));
      columns.begin[i] = onAxis(columns.begin[i]);
      columns.duration[i] = end - columns.begin[i];
    }
  }
};

/// In order of rank, so that what stands at the top of the window comes first.
std::vector<LaneBlocks> byLane(const std::vector<SpanBlockInfo>& blocks) {
  std::map<std::pair<std::int64_t, Lane>, std::vector<SpanBlockInfo>> lanes;
  for (const SpanBlockInfo& block : blocks) lanes[{block.rank, block.lane}].push_back(block);
  return {lanes.begin(), lanes.end()};
}

/// `columns` is room to read into, kept from lane to lane.
void loadLane(const Spans& spans, const LaneBlocks& blocks, const std::stop_token& stop,
              const BlockReader& reader, SpanColumns& columns) {
  auto lane = std::make_unique<TimelineLane>(blocks.first.first, blocks.first.second);
  FeedMessage message;
  for (const SpanBlockInfo& block : blocks.second) {
    if (stop.stop_requested()) return;
    if (reader.read(spans, block.id, columns)) lane->take(columns);
    message.spansRead += block.count;
  }
  lane->build();
  lane->releaseSpare();
  message.lane = std::move(lane);
  reader.post(std::move(message));
}

/// All lanes, on as many threads as there are cores; each has its own connection.
void loadAll(Database& database, const std::vector<SpanBlockInfo>& blocks, const std::stop_token& stop,
             const BlockReader& reader) {
  const std::vector<LaneBlocks> lanes = byLane(blocks);
  std::atomic<std::size_t> next = 0;
  const auto work = [&](Database& own) {
    const Spans spans(own);
    SpanColumns columns;
    for (std::size_t i = next++; i < lanes.size() && !stop.stop_requested(); i = next++)
      loadLane(spans, lanes[i], stop, reader, columns);
  };
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  std::vector<std::jthread> helpers;
  for (unsigned t = 1; t < threads && t < lanes.size() && !database.detached(); ++t)  // a copy is enough
    helpers.emplace_back([&] {
      try {
        Database own(database.file(), Access::readOnly);
        work(own);
      } catch (const std::exception& error) {
        postProblem(reader.post, error.what());
      }
    });
  work(database);
}

class Follower {
 public:
  Follower(Database& database, const FeedSource& source, const Post& post)
      : runs_(database),
        epochs_(database),
        spans_(database),
        hybrid_(database),
        run_(source.run),
        clock_(source.clock),
        post_(post),
        reader_{post} {
    if (!source.shift) return;
    const Shifted shifted = source.shift(database);
    reader_.shiftNs = shifted.ns;
    if (!shifted.problem.empty()) postProblem(post, shifted.problem);
  }

  /// Everything there is; false if there is no such run.
  bool open(Database& database, const std::stop_token& stop) {
    FeedMessage first;
    const auto row = runs_.find(run_);
    if (!row) {
      postProblem(post_, database.file().string() + ": there is no run " + std::to_string(run_));
      return false;
    }
    status_ = *row;
    tellRun(first);
    std::vector<SpanBlockInfo> blocks = spans_.blocks(run_);
    for (SpanBlockInfo& block : blocks) block.rank = shownRank(block);
    if (!blocks.empty()) lastBlock_ = blocks.back().id;
    std::erase_if(blocks, [](const SpanBlockInfo& block) { return !isShown(block.lane); });
    first.directory = blocks;
    for (SpanBlockInfo& block : *first.directory) {
      block.firstNs = reader_.onAxis(block.firstNs);
      block.lastNs = reader_.onAxis(block.lastNs);
    }
    first.epochs = takeEpochs();
    post_(std::move(first));
    loadAll(database, blocks, stop, reader_);
    FeedMessage last;
    last.complete = true;
    post_(std::move(last));
    return true;
  }

  void poll() {
    FeedMessage message;
    if (mayStillGrow()) runs_.showInterrupted(hostName());  // the death of a supervisor changes no file
    // status before blocks: what was written before the end of the run is then never missed
    const auto row = runs_.find(run_);
    if (row && row->status != status_.status) {
      status_ = *row;
      tellRun(message);
    }
    if (lastBlock_ == 0 && nextEpoch_ == 0) tellTime(message);  // known from the start of the run on
    for (const SpanBlockInfo& block : spans_.blocks(run_, lastBlock_)) {
      lastBlock_ = block.id;
      SpanColumns read;
      if (!isShown(block.lane) || !reader_.read(spans_, block.id, read)) continue;
      message.spansRead += std::ssize(read);
      if (block.actor && actors_.empty()) tellRun(message);
      message.batches.push_back({shownRank(block), block.lane, std::move(read)});
    }
    message.epochs = takeEpochs();
    if (message.run || !message.batches.empty() || !message.epochs.empty()) post_(std::move(message));
  }

  bool mayStillGrow() const { return mayGrow(status_); }

 private:
  void tellRun(FeedMessage& message) {
    message.run = status_;
    message.workers = runs_.workers(run_);
    message.parts = partsOfRanks(message.workers, runs_.parameters(run_));
    actors_ = hybrid_.actors(run_);
    tellTime(message);
    for (const ActorRow& actor : actors_) {
      WorkerRow actorRow;
      actorRow.rank = status_.workers + actor.actor;
      actorRow.role = actor.name;
      std::erase(actorRow.role, ':');  // before it would stand a device
      for (const WorkerRow& worker : runs_.workers(run_))
        if (worker.rank == actor.rank) actorRow.host = worker.host;
      message.workers.push_back(std::move(actorRow));
    }
    if (status_.kind == "simulation") message.clocks = clocksOf(message.workers, runs_.parameters(run_));
  }

  void tellTime(FeedMessage& message) {
    message.time = shownTime(runClock(status_, runs_.parameters(run_)), clock_, !actors_.empty());
    reader_.divisor = message.time->divisor;
  }

  /// Actors stand below the ranks, each as one more that does a part of the work.
  std::int64_t shownRank(const SpanBlockInfo& block) const {
    return block.actor ? status_.workers + *block.actor : block.rank;
  }

  std::vector<EpochRow> takeEpochs() {
    std::vector<EpochRow> fresh = epochs_.epochs(run_, nextEpoch_);
    if (!fresh.empty()) nextEpoch_ = fresh.back().epoch + 1;
    for (EpochRow& epoch : fresh) {
      const std::int64_t end = reader_.onAxis(epoch.beginNs + epoch.wallNs);
      epoch.beginNs = reader_.onAxis(epoch.beginNs);
      epoch.wallNs = end - epoch.beginNs;
    }
    return fresh;
  }

  Runs runs_;
  Epochs epochs_;
  Spans spans_;
  Hybrid hybrid_;
  std::vector<ActorRow> actors_;
  std::int64_t run_;
  TimeClock clock_;
  const Post& post_;
  BlockReader reader_;
  RunRow status_;
  std::int64_t lastBlock_ = 0;
  std::int64_t nextEpoch_ = 0;
};

}  // namespace

bool readRecording(std::stop_token stop, const FeedSource& source,
                   const std::function<void(FeedMessage)>& post) {
  ShownRecording recording(source.file);
  try {
    Database& database = recording.openAnew();
    Follower follower(database, source, post);
    if (!follower.open(database, stop)) return false;
    std::mutex mutex;
    std::condition_variable_any wake;
    while (!stop.stop_requested()) {
      std::unique_lock lock(mutex);
      const int wait = follower.mayStillGrow() ? source.intervalMs : source.intervalMs * kIdleFactor;
      wake.wait_for(lock, stop, std::chrono::milliseconds(wait), [] { return false; });
      if (stop.stop_requested()) break;
      if (recording.replaced() || database.outdated()) return true;
      follower.poll();
    }
  } catch (const std::exception& error) {
    if (recording.replaced()) return true;
    postProblem(post, error.what());
  }
  return false;
}

}  // namespace halo
