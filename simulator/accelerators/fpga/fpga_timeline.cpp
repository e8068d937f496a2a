// Level `cycle` of the FPGA kernel: groups one after the other, memory bank by bank.
#include <algorithm>
#include <vector>

#include "simulator/accelerators/fpga/fpga_groups.h"
#include "simulator/memory/bank_dram.h"

namespace halo::sim::fpga {
namespace {

// Where streams lie: far apart, so that they never share a row.
constexpr std::uint64_t kEdgeRegion = std::uint64_t{1} << 44, kSumRegion = std::uint64_t{1} << 45;

constexpr std::int64_t kAskedEvery = 1 << 14;  // edges, and tiles

/// When an engine was at work: stretches in order of time.
class Stretches {
 public:
  void add(std::int64_t begin, std::int64_t end) {
    if (end <= begin) return;
    if (!stretches_.empty() && stretches_.back().second == begin)
      stretches_.back().second = end;
    else
      stretches_.emplace_back(begin, end);
  }
  /// Cycles of [from, to); asked for in order.
  std::int64_t within(std::int64_t from, std::int64_t to) {
    std::int64_t sum = 0;
    while (at_ < stretches_.size() && stretches_[at_].first < to) {
      sum += std::max<std::int64_t>(
          0, std::min(stretches_[at_].second, to) - std::max(stretches_[at_].first, from));
      if (stretches_[at_].second > to) break;
      ++at_;
    }
    return sum;
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> stretches_;
  std::size_t at_ = 0;
};

class Timeline {
 public:
  Timeline(const Fpga& fpga, const SlicePass& pass, const Graph& graph)
      : fpga_(fpga),
        pass_(pass),
        matrix_(*graph.matrix),
        asks_(graph.askStop, kAskedEvery),
        beats_(fpga.beats(pass.width)),
        dram_(fpga.dram.table(), static_cast<int>(std::ceil(fpga.dram.channels() - 1e-9)), PagePolicy::open),
        speed_(fpga.dram.channels() / std::ceil(fpga.dram.channels() - 1e-9)) {}

  Result run() {
    const std::int64_t tiles = partsOf(matrix_.rows(), fpga_.tileRows(pass_.width));
    for (std::int64_t t = 0; t < tiles; ++t)
      tile(partBegin(matrix_.rows(), tiles, t), partBegin(matrix_.rows(), tiles, t + 1));
    finish();
    return std::move(result_);
  }

 private:
  /// What a tile was like, until the times of all engines are known.
  struct Done {
    std::int64_t end = 0;
    std::array<std::int64_t, kEngines> bytes{};
    std::int64_t hazard = 0;
    std::array<std::int64_t, 3> waited{};  // of the elements: for memory, dispatcher, read ports
  };

  void tile(std::int64_t first, std::int64_t last) {
    const std::vector<TileEdge> edges = edgesBySource(matrix_, first, last);
    asks_.step(1);
    if (edges.empty()) return;
    Groups groups(fpga_, beats_, last - first);
    done_.emplace_back();
    const auto chunk = static_cast<std::size_t>(kChunkGroups * fpga_.elements);
    // the last tile's sums leave all through this one
    const std::int64_t chunks = (std::ssize(edges) - 1) / static_cast<std::int64_t>(chunk) + 1;
    const std::int64_t written = (toWrite_ + chunks - 1) / chunks;
    std::int64_t lastSource = -1;
    for (std::size_t at = 0; at < edges.size(); at += chunk) {
      const std::span<const TileEdge> part(edges.data() + at, std::min(chunk, edges.size() - at));
      const std::int64_t ready = fetch(part, lastSource, written);
      lastSource = part.back().source;
      asks_.step(std::ssize(part));
      askAt_ = chunkBegan_;
      chunkBegan_ = std::max(ready, gathered_);
      work(part, ready, groups);
    }
    toWrite_ += fpga_.sumBytes(pass_, last - first);
    Done& record = done_.back();
    const std::int64_t wide = std::ssize(edges) * beats_ * fpga_.beatBytes();
    record.bytes[kDispatcher] = std::ssize(edges) * fpga_.edgeBytes;
    record.bytes[kScatter] = record.bytes[kGather] = wide;
    record.end = gathered_;
    result_.bytes[kEdgeStream] += record.bytes[kDispatcher];
    result_.bytes[kRowStream] += record.bytes[kDuplicator];
    result_.bytes[kSumStream] += fpga_.sumBytes(pass_, last - first);
  }

  /// When the edges of a chunk have come, and the rows that it is the first to need. They were asked for as
  /// the last chunk but one began.
  std::int64_t fetch(std::span<const TileEdge> part, std::int64_t lastSource, std::int64_t written) {
    const auto burst = static_cast<std::uint64_t>(fpga_.dram.table().burstBytes);
    const std::int64_t requestCycle = askAt_;
    const double now = static_cast<double>(requestCycle) * 1e9 / fpga_.hz * speed_;  // on the memory's clock
    std::vector<BurstRequest> requests;
    const auto stream = [&](std::uint64_t& at, std::int64_t bytes, std::uint64_t region, bool write) {
      const std::uint64_t end = at + static_cast<std::uint64_t>(bytes);
      for (std::uint64_t b = (at + burst - 1) / burst; b * burst < end; ++b)
        requests.push_back({region + b * burst, now, write});
      at = end;
    };
    written = std::min(written, toWrite_);
    stream(wroteTo_, written, kSumRegion, true);
    done_.back().bytes[kDdr] += written;
    toWrite_ -= written;
    stream(edgesTo_, std::ssize(part) * fpga_.edgeBytes, kEdgeRegion, false);
    const std::int64_t rowBytes = beats_ * fpga_.beatBytes();
    std::int64_t fresh = 0;
    for (const TileEdge& edge : part) {
      if (edge.source == lastSource) continue;
      lastSource = edge.source;
      ++fresh;
      for (std::uint64_t byte = 0; byte < static_cast<std::uint64_t>(rowBytes); byte += burst)
        requests.push_back({static_cast<std::uint64_t>(edge.source * rowBytes) + byte, now, false});
    }
    done_.back().bytes[kDuplicator] += fresh * rowBytes;
    done_.back().bytes[kDdr] += fresh * rowBytes + std::ssize(part) * fpga_.edgeBytes;
    if (requests.empty()) return requestCycle;
    return served(requests, requestCycle);
  }

  std::int64_t served(std::span<const BurstRequest> requests, std::int64_t requestCycle) {
    const double ns = dram_.serve(requests) / speed_;
    const std::int64_t ready =
        std::max(requestCycle, static_cast<std::int64_t>(std::ceil(ns * fpga_.hz * 1e-9 - 1e-6)));
    busy_[kDdr].add(std::max(requestCycle, fetched_), ready);
    fetched_ = std::max(fetched_, ready);
    return ready;
  }

  void work(std::span<const TileEdge> part, std::int64_t ready, Groups& groups) {
    const auto n = static_cast<std::size_t>(fpga_.elements);
    for (std::size_t at = 0; at < part.size(); at += n) {
      const std::span<const TileEdge> edges = part.subspan(at, std::min(n, part.size() - at));
      const std::int64_t beginRead = std::max(read_, ready), beginDispatch = std::max(dispatched_, ready);
      const FeedCycles fed = groups.feed(edges);
      read_ = beginRead + fed.read;
      dispatched_ = beginDispatch + fed.dispatch;
      busy_[kDuplicator].add(beginRead, read_);
      busy_[kDispatcher].add(beginDispatch, dispatched_);
      const std::int64_t begin = std::max({gathered_, read_, dispatched_});
      wait(begin, ready);
      const GatherCycles cycles = groups.gather(begin, edges);
      busy_[kScatter].add(begin, begin + fed.scatter);
      // where edges wait for the adder is not told apart: the waits stand at the end
      busy_[kGather].add(begin, begin + cycles.adding);
      done_.back().hazard += cycles.hazard;
      gathered_ = begin + cycles.adding + cycles.hazard;
    }
  }

  void wait(std::int64_t begin, std::int64_t ready) {
    auto& waited = done_.back().waited;
    const std::int64_t forMemory = std::max<std::int64_t>(0, std::min(begin, ready) - gathered_);
    waited[0] += forMemory;
    waited[read_ >= dispatched_ ? 2 : 1] += begin - gathered_ - forMemory;
  }

  /// Last sums leave; then every tile's cycles are put down.
  void finish() {
    if (done_.empty()) return;
    if (toWrite_ > 0) {
      askAt_ = gathered_;
      const std::int64_t ready = fetch({}, -1, toWrite_);
      done_.back().waited[0] += ready - gathered_;
      done_.back().end = gathered_ = ready;
    }
    std::int64_t begin = 0;
    for (const Done& record : done_) {
      Interval<kEngines, kCauses> now;
      now.cycles = record.end - begin;
      now.bytes = record.bytes;
      for (std::size_t e = 0; e < kEngines; ++e) now.busy[e] = busy_[e].within(begin, record.end);
      now.stalled[kGather][kHazard] = record.hazard;
      now.stalled[kGather][kMemory] = record.waited[0];
      now.stalled[kGather][kDispatching] = record.waited[1];
      now.stalled[kGather][kReading] = record.waited[2];
      const Cause limit = limitOf(now, record);
      for (std::size_t e = 0; e < kGather; ++e) now.stalled[e][limit] = now.cycles - now.busy[e];
      result_.log.add(now);
      begin = record.end;
    }
    Interval<kEngines, kCauses> drain;
    drain.cycles = fpga_.fill;
    for (std::size_t e = 0; e < kEngines; ++e) drain.stalled[e][kFilling] = fpga_.fill;
    result_.log.add(drain);
    result_.additions = matrix_.nonzeros() * pass_.width;
  }

  /// What the elements spent most of the tile with.
  static Cause limitOf(const Interval<kEngines, kCauses>& tile, const Done& record) {
    const std::array<std::pair<std::int64_t, Cause>, 5> spent = {{{tile.busy[kGather], kConflicts},
                                                                  {record.hazard, kHazard},
                                                                  {record.waited[0], kMemory},
                                                                  {record.waited[1], kDispatching},
                                                                  {record.waited[2], kReading}}};
    return std::ranges::max_element(spent, {}, [](const auto& cause) { return cause.first; })->second;
  }

  const Fpga& fpga_;
  const SlicePass& pass_;
  CsrRows matrix_;
  StopAsks asks_;
  std::int64_t beats_;
  BankDram dram_;  // whole channels; where the bandwidth is not, they are slower by
  double speed_;
  std::uint64_t edgesTo_ = 0, wroteTo_ = 0;
  std::int64_t toWrite_ = 0;  // sums of finished tiles
  // cycles at which the last chunk and the one before it began, and memory, ports, dispatcher and elements
  // are done so far
  std::int64_t chunkBegan_ = 0, askAt_ = 0, fetched_ = 0, read_ = 0, dispatched_ = 0, gathered_ = 0;
  std::array<Stretches, kEngines> busy_;
  std::vector<Done> done_;
  Result result_;
};

}  // namespace

Result cyclePass(const Fpga& fpga, const SlicePass& pass, const Graph& graph) {
  return Timeline(fpga, pass, graph).run();
}

}  // namespace halo::sim::fpga
