#include "engine/methods/laws/pipeline_model.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {
namespace {

constexpr int kStages = 3;

class Pipeline {
 public:
  explicit Pipeline(const PipelineRequest& request)
      : request_(request),
        passes_(static_cast<int>(request.servers.front().size())),
        ring_(at(request.asynchrony + 1), std::vector<Slot>(at(passes_))) {
    for (std::size_t s = 0; s < request.servers.size(); ++s) {
      HALO_CHECK(request.servers[s].size() == at(passes_));
      Server server;
      // no more than one a chunk ever works
      server.free[1].resize(at(std::min(request.tensorWorkers, request.chunks)));
      servers_.push_back(std::move(server));
      for (int c = 0; c < request.chunks; ++c) chunks_.push_back({.server = s});
    }
    inEpoch_.resize(at(request.epochs + 1));
    inEpoch_[0] = chunks_.size();
  }

  PipelineTimes run() {
    for (std::size_t c = 0; c < chunks_.size(); ++c) beginIfAllowed(c, 0);
    while (!events_.empty()) {
      const auto [time, order, chunk, ended] = events_.top();
      events_.pop();
      if (ended)
        end(chunk, time);
      else
        begin(chunk, time);
    }
    HALO_CHECK(waiting_.empty() && times_.finished.size() == at(request_.epochs));
    return times_;
  }

 private:
  struct Chunk {
    std::size_t server = 0;
    int epoch = 0, pass = 0, stage = 0;
  };
  /// Each stage's times at which somebody is free, the first on top of a heap.
  struct Server {
    std::array<std::vector<double>, kStages> free = {std::vector<double>(1), {}, std::vector<double>(1)};
  };
  /// How many chunks are through a pass of one epoch; epochs share slots in turn, e mod (s + 1).
  struct Slot {
    int epoch = 0;
    std::size_t through = 0;
  };
  using Event = std::tuple<double, std::int64_t, std::size_t, bool>;  // when, order, chunk, whether it ends

  bool allThrough(int epoch, int pass) const {
    if (epoch < 0) return true;
    const Slot& slot = ring_[at(epoch % (request_.asynchrony + 1))][at(pass)];
    return slot.epoch > epoch || (slot.epoch == epoch && slot.through == chunks_.size());
  }
  bool allowed(const Chunk& chunk) const {
    if (chunk.pass > 0) return allThrough(chunk.epoch - request_.asynchrony, chunk.pass - 1);
    return allThrough(chunk.epoch - request_.asynchrony - 1, passes_ - 1);
  }

  void push(double time, std::size_t chunk, bool ended) { events_.push({time, order_++, chunk, ended}); }

  void beginIfAllowed(std::size_t c, double time) {
    const Chunk& chunk = chunks_[c];
    if (!allowed(chunk)) return waiting_.push_back(c);
    if (chunk.pass == 0) times_.mostAhead = std::max(times_.mostAhead, chunk.epoch - lastEpoch_);
    push(time, c, false);
  }

  // The chunk takes whoever of its stage is free first.
  void begin(std::size_t c, double time) {
    const Chunk& chunk = chunks_[c];
    const ChunkTimes& takes = request_.servers[chunk.server][at(chunk.pass)];
    const double seconds = std::array{takes.gather, takes.apply, takes.scatter}[at(chunk.stage)];
    std::vector<double>& free = servers_[chunk.server].free[at(chunk.stage)];
    std::ranges::pop_heap(free, std::greater<>());
    const double endTime = free.back() = std::max(free.back(), time) + seconds;
    std::ranges::push_heap(free, std::greater<>());
    if (chunk.stage == 1) times_.applySeconds += seconds;
    push(endTime, c, true);
  }

  void end(std::size_t c, double time) {
    Chunk& chunk = chunks_[c];
    if (++chunk.stage < kStages) return push(time, c, false);
    Slot& slot = ring_[at(chunk.epoch % (request_.asynchrony + 1))][at(chunk.pass)];
    if (slot.epoch != chunk.epoch) slot = {chunk.epoch, 0};
    const bool last = ++slot.through == chunks_.size();
    if (last && chunk.pass + 1 == passes_) times_.finished.push_back(time);
    chunk.stage = 0;
    if (++chunk.pass == passes_) {
      chunk.pass = 0;
      --inEpoch_[at(chunk.epoch)];
      ++inEpoch_[at(++chunk.epoch)];
      while (inEpoch_[at(lastEpoch_)] == 0) ++lastEpoch_;
    }
    if (chunk.epoch < request_.epochs) beginIfAllowed(c, time);
    if (last)
      for (const std::size_t waited : std::exchange(waiting_, {})) beginIfAllowed(waited, time);
  }

  const PipelineRequest& request_;
  int passes_;
  std::vector<std::vector<Slot>> ring_;
  std::vector<Server> servers_;
  std::vector<Chunk> chunks_;
  std::vector<std::size_t> inEpoch_;  // how many chunks are in each epoch, or through all
  int lastEpoch_ = 0;                 // the first that any is in
  std::vector<std::size_t> waiting_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::int64_t order_ = 0;
  PipelineTimes times_;
};

}  // namespace

double PipelineTimes::epochSeconds() const {
  const std::size_t half = finished.size() / 2;
  const double before = half == 0 ? 0 : finished[half - 1];
  return (finished.back() - before) / static_cast<double>(finished.size() - half);
}

PipelineTimes simulatePipeline(const PipelineRequest& request) { return Pipeline(request).run(); }

}  // namespace halo
