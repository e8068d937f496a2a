#include "simulator/accelerators/hygcn/hygcn_pass.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace halo::sim::hygcn {
namespace {

using Stretch = halo::sim::Interval<kEngines, kCauses>;

/// What one shard, or a batch of its edges, asks of each engine.
struct Cost {
  Shard shard;
  std::int64_t edgeBytes = 0, weightBytes = 0;
  double rowsOpened = 0;
  std::int64_t lanes = 0, banks = 0;          // cycles of cores, of the input buffer
  std::vector<std::uint64_t> bursts;          // at level `cycle`: of its rows
  std::int64_t destinations = 0, shards = 0;  // of its interval; batches are counted apart
  bool opens = false, closes = false;         // the interval
  std::int64_t slowest() const { return std::max(lanes, banks); }
};

/// What is left of the stretch for an engine that waits for `cause`, or has no more to do.
void waits(Stretch& now, Engine e, Cause cause) {
  std::int64_t left = now.cycles - now.busy[e] - now.idle[e];
  for (const std::int64_t cycles : now.stalled[e]) left -= cycles;
  now.stalled[e][cause] += left;
}
void idles(Stretch& now, Engine e) { now.idle[e] = now.cycles - now.busy[e]; }

/// One pass at level `tile`, or with a CycleModel at level `cycle`.
class Course {
 public:
  Course(const HyGcn& device, const Systolic& systolic, const SlicePass& pass, const Shares& shares,
         CycleModel* cycles)
      : device_(device), systolic_(systolic), pass_(pass), shares_(shares), cycles_(cycles) {}

  Result run(const Graph& graph) {
    forEachInterval(graph, device_.shape(pass_.width), device_.window, device_.banksFor(pass_.width),
                    [&](const Interval& interval) { take(interval); });
    if (held_) compute(*held_, nullptr);
    finish();
    if (cycles_ != nullptr) result_.rowsOpened = static_cast<double>(cycles_->rowsOpened());
    return std::move(result_);
  }

 private:
  std::int64_t out() const { return device_.combinationColumns; }
  bool fused() const { return device_.combines() && device_.pipelined; }
  std::int64_t sumBytes(std::int64_t rows) const { return rows * pass_.width * kFeatureBytes; }

  /// Batches of edges that the edge buffer cuts a shard into; its rows come with the first.
  std::int64_t batchesOf(const Shard& shard) const {
    return std::max<std::int64_t>(1, partsOf(shard.nonzeros, device_.edgesHeld()));
  }

  void take(const Interval& interval) {
    if (cycles_ != nullptr) cycles_->beginInterval(interval);
    std::int64_t all = 0, index = 0;
    for (const Shard& shard : interval.shards) all += batchesOf(shard);
    for (std::size_t s = 0; s < interval.shards.size(); ++s) {
      const std::int64_t batches = batchesOf(interval.shards[s]);
      for (std::int64_t b = 0; b < batches; ++b) {
        Cost cost = costOf(interval, s, b, batches);
        cost.shards = all;
        cost.opens = index == 0;
        cost.closes = ++index == all;
        if (cost.opens) addWeights(cost);
        if (!held_)
          load(cost);
        else
          compute(*held_, &cost);
        held_ = std::move(cost);
      }
    }
    intervals_.push_back(interval.rows);
  }

  void addWeights(Cost& cost) const {
    const std::int64_t weights = pass_.width * out() * kFeatureBytes;
    const bool kept = static_cast<double>(weights) <= device_.weightBytes && !intervals_.empty();
    if (fused() && !kept) cost.weightBytes = weights;
  }

  Cost costOf(const Interval& interval, std::size_t s, std::int64_t batch, std::int64_t batches) const {
    const std::int64_t all = interval.shards[s].nonzeros;
    const std::int64_t from = partBegin(all, batches, batch), to = partBegin(all, batches, batch + 1);
    Cost cost;
    cost.shard = interval.shards[s];
    cost.shard.nonzeros = to - from;
    cost.edgeBytes = cost.shard.nonzeros * device_.edgeBytes;
    cost.destinations = interval.rows;
    if (batch > 0)
      cost.shard.bytes = cost.shard.lines = cost.shard.lineSpan = 0;
    else if (cycles_ != nullptr)
      cost.bursts = cycles_->rowBursts(cost.shard, s);
    cost.rowsOpened = device_.dram.rowsOpened(cost.shard.lines, cost.shard.lineSpan);
    if (cycles_ != nullptr) {
      const auto counted = cycles_->compute(s, from, to);
      cost.lanes = counted[0];
      cost.banks = counted[1];
      return cost;
    }
    cost.lanes = coreCycles(device_, pass_.width, cost.shard.nonzeros);
    cost.banks = expectedGatherCycles(device_, pass_.width, shares_, interval.shards[s], to - from);
    return cost;
  }

  /// Cycles of HBM for what is brought of a shard (or nothing) and what leaves.
  std::int64_t memory(const Cost* brought, std::int64_t written, std::int64_t otherRead = 0) {
    Batch batch{.edgeBytes = otherRead, .weightBytes = 0, .writtenBytes = written, .rows = {}};
    if (brought != nullptr) {
      batch.edgeBytes += brought->edgeBytes;
      batch.weightBytes = brought->weightBytes;
      batch.rows = brought->bursts;
    }
    if (cycles_ != nullptr) return cycles_->memory(result_.cycles(), batch);
    const std::int64_t rows = brought != nullptr ? brought->shard.bytes : 0;
    Traffic traffic{batch.edgeBytes + batch.weightBytes + written, 0, 0};
    if (brought != nullptr && brought->shard.scattered()) {
      traffic.scatteredBytes = rows;
      traffic.scatteredRows = brought->rowsOpened;
    } else {
      traffic.streamBytes += rows;
    }
    // a shard's streams come back to banks where those of the one before have left rows open
    const bool open = result_.cycles() > 0;
    if (device_.coordinated) {
      result_.rowsOpened += device_.dram.rowsOpened(traffic);
      return device_.cyclesOf(device_.dram.servedNs(traffic, open));
    }
    const auto bytes = static_cast<double>(traffic.streamBytes + traffic.scatteredBytes);
    if (bytes == 0) return 0;
    result_.rowsOpened += bytes * shares_.rowsAByte;
    return device_.cyclesOf(device_.dram.firstAccessNs(open)) +
           cyclesFor(bytes, device_.peakBytesPerCycle * (static_cast<double>(batch.writtenBytes) == bytes
                                                             ? shares_.writing
                                                             : shares_.memory));
  }

  void count(const Cost& cost) {
    result_.bytes[kEdgeStream] += cost.edgeBytes;
    result_.bytes[kRowStream] += cost.shard.bytes;
    result_.bytes[kWeightStream] += cost.weightBytes;
  }

  /// Edges come first: they say which rows are asked for. Nothing can be done meanwhile.
  void load(const Cost& next) {
    const auto bring = [&](const Cost& part, Cause cause, std::int64_t bytes) {
      if (bytes == 0) return;
      Stretch now;
      now.cycles = memory(&part, 0);
      now.busy[kHbm] = now.cycles;
      now.bytes[kHbm] = bytes;
      for (const Engine e : {kScheduler, kInputBuffer, kCores, kAggregationBuffer}) waits(now, e, cause);
      if (fused())
        waits(now, kSystolic, cause);
      else
        idles(now, kSystolic);
      idles(now, kOutputBuffer);
      result_.log.add(now);
    };
    Cost edges = next, rows = next;
    edges.shard = {};
    edges.bursts.clear();
    rows.edgeBytes = rows.weightBytes = 0;
    bring(edges, kEdges, edges.edgeBytes + edges.weightBytes);
    bring(rows, kRows, rows.shard.bytes);
    count(next);
  }

  /// The engines turn to an interval: what the last one left is written, and combined, meanwhile.
  void open(const Cost& cost) {
    writeEach_ = (toWrite_ + cost.shards - 1) / cost.shards;
    if (!fused()) return;
    const std::int64_t all = systolic_.cycles(cost.destinations, pass_.width, out());
    const std::int64_t tail =
        device_.twice ? systolic_.tailCycles(cost.destinations, pass_.width, out()) : all;
    combining_ = carried_ + all - tail;
    carried_ = tail;
  }

  /// A shard is worked on while the next one's edges and rows come (or, buffered once, come after it).
  void compute(const Cost& cost, const Cost* next) {
    if (cost.opens) open(cost);
    const std::int64_t written = cost.closes ? toWrite_ : std::min(writeEach_, toWrite_);
    toWrite_ -= written;
    const Cost* along = device_.twice ? next : nullptr;
    Stretch now;
    const std::int64_t busy = memory(along, written);
    now.cycles = std::max(busy, cost.slowest());
    now.busy[kHbm] = busy;
    now.bytes[kHbm] = written;
    if (along != nullptr) now.bytes[kHbm] += along->edgeBytes + along->weightBytes + along->shard.bytes;
    const Cause limit = cost.lanes >= cost.banks ? kLanes : kBanks;
    waits(now, kHbm, limit);
    const Cause from = longest(along, written);
    aggregate(now, cost, limit, from);
    combineMeanwhile(now, busy > cost.slowest() ? from : limit);
    leave(now, written);
    result_.log.add(now);
    result_.additions += cost.shard.nonzeros * pass_.width;
    if (along != nullptr) count(*along);
    if (cost.closes) close(cost);
    if (next != nullptr && !device_.twice) load(*next);
  }

  /// Of what HBM moves meanwhile: which is the most.
  static Cause longest(const Cost* brought, std::int64_t written) {
    const std::int64_t rows = brought != nullptr ? brought->shard.bytes : 0;
    const std::int64_t edges = brought != nullptr ? brought->edgeBytes : 0;
    return written > std::max(rows, edges) ? kWrites : rows > edges ? kRows : kEdges;
  }

  /// The engines that aggregate work on a shard: the faster wait for the slower, all for HBM.
  void aggregate(Stretch& now, const Cost& cost, Cause limit, Cause from) const {
    now.busy[kScheduler] = now.busy[kCores] = now.busy[kAggregationBuffer] = cost.lanes;
    now.busy[kInputBuffer] = cost.banks;
    now.bytes[kScheduler] = cost.edgeBytes;
    now.bytes[kInputBuffer] = now.bytes[kCores] = now.bytes[kAggregationBuffer] =
        cost.shard.nonzeros * pass_.width * kFeatureBytes;
    for (const Engine e : {kScheduler, kInputBuffer, kCores, kAggregationBuffer}) {
      now.stalled[e][limit] = cost.slowest() - now.busy[e];
      waits(now, e, from);
    }
  }

  /// Results pass the output buffer; nothing waits for it.
  void leave(Stretch& now, std::int64_t written) const {
    now.bytes[kOutputBuffer] = written;
    now.busy[kOutputBuffer] =
        std::min(now.cycles, cyclesFor(static_cast<double>(written), static_cast<double>(device_.port)));
    idles(now, kOutputBuffer);
  }

  void combineMeanwhile(Stretch& now, Cause cause) {
    const std::int64_t cycles = std::min(combining_, now.cycles);
    now.busy[kSystolic] = cycles;
    combining_ -= cycles;
    if (fused())
      waits(now, kSystolic, cause);
    else
      idles(now, kSystolic);
  }

  /// The interval's sums are done; the halves change hands once the other one is combined.
  void close(const Cost& cost) {
    if (combining_ > 0) alone(combining_, 0, 0, kCombining);
    combining_ = 0;
    const std::int64_t rows = cost.destinations;
    const std::int64_t results = device_.combines() ? rows * out() * kFeatureBytes : sumBytes(rows);
    const std::int64_t mask = pass_.masked ? (rows * pass_.width + 7) / 8 : 0;
    if (device_.combines()) {
      result_.multiplications += rows * pass_.width * out();
      result_.weightReads += systolic_.weightReads(rows, pass_.width, out());
    }
    result_.bytes[kResultStream] += results;
    result_.bytes[kMaskStream] += mask;
    const std::int64_t withMask = device_.maskApart ? 0 : mask;
    if (device_.combines() && !device_.pipelined) {
      toWrite_ += sumBytes(rows) + withMask;
      result_.bytes[kAgainStream] += 2 * sumBytes(rows);
    } else if (fused() && systolic_.energyAware && device_.twice) {
      toWrite_ += combined_;  // the interval before
      combined_ = results + withMask;
    } else {
      toWrite_ += results + withMask;
    }
    if (device_.twice) return;
    const std::int64_t combining = std::exchange(carried_, 0);
    alone(combining, std::exchange(toWrite_, 0), 0, combining > 0 ? kCombining : kWrites);
  }

  /// The combination engine, HBM, or both at work; those that aggregate wait for them, or are through.
  void alone(std::int64_t combining, std::int64_t written, std::int64_t read, std::optional<Cause> cause) {
    Stretch now;
    const std::int64_t busy = written + read > 0 ? memory(nullptr, written, read) : 0;
    now.cycles = std::max(busy, combining);
    if (combining + written + read == 0) return;
    now.busy[kHbm] = busy;
    now.bytes[kHbm] = written + read;
    now.busy[kSystolic] = combining;
    waits(now, kHbm, kCombining);
    if (combining > 0)
      waits(now, kSystolic, kWrites);
    else
      idles(now, kSystolic);
    for (const Engine e : {kScheduler, kInputBuffer, kCores, kAggregationBuffer})
      if (cause)
        waits(now, e, *cause);
      else
        idles(now, e);
    leave(now, written);
    result_.log.add(now);
  }

  /// The last sums are combined and leave; what was put off is done.
  void finish() {
    alone(carried_, std::exchange(toWrite_, 0), 0, std::nullopt);
    alone(0, combined_, 0, std::nullopt);
    if (device_.combines() && !device_.pipelined) {
      const std::int64_t weights = pass_.width * out() * kFeatureBytes;
      const bool kept = static_cast<double>(weights) <= device_.weightBytes;
      for (std::size_t i = 0; i < intervals_.size(); ++i) {
        const std::int64_t rows = intervals_[i], brought = i == 0 || !kept ? weights : 0;
        result_.bytes[kWeightStream] += brought;
        alone(systolic_.cycles(rows, pass_.width, out()), rows * out() * kFeatureBytes,
              sumBytes(rows) + brought, kCombining);
      }
    }
    if (!pass_.masked || !device_.maskApart) return;
    for (const std::int64_t rows : intervals_) {
      const std::int64_t bytes = device_.combines() ? rows * out() * kFeatureBytes : sumBytes(rows);
      result_.bytes[kAgainStream] += 2 * bytes;
      alone(0, bytes, bytes + (rows * pass_.width + 7) / 8, kMasking);
    }
  }

  const HyGcn& device_;
  const Systolic& systolic_;
  const SlicePass& pass_;
  Shares shares_;
  CycleModel* cycles_;  // or nullptr
  std::optional<Cost> held_;
  std::vector<std::int64_t> intervals_;       // destinations of each, so far
  std::int64_t toWrite_ = 0, writeEach_ = 0;  // bytes that HBM still has to take away
  std::int64_t combining_ = 0, carried_ = 0,
               combined_ = 0;  // cycles now, next; results of the interval before
  Result result_;
};

/// Bytes of every stream where each is moved once; `n` rows have a sum.
std::array<std::int64_t, kStreams> compulsoryBytes(const HyGcn& device, const SlicePass& pass,
                                                   const Graph& graph, std::int64_t n) {
  const std::int64_t out = device.combinationColumns, rowBytes = pass.width * kFeatureBytes;
  const std::int64_t resultRow = device.combines() ? out * kFeatureBytes : rowBytes;
  std::array<std::int64_t, kStreams> bytes{};
  bytes[kEdgeStream] = device.edgeBytes * graph.nonzeros;
  bytes[kRowStream] = sourcesUsed(graph) * rowBytes;
  bytes[kWeightStream] = rowBytes * out;
  bytes[kResultStream] = n * resultRow;
  bytes[kMaskStream] = pass.masked ? n * pass.width / 8 : 0;
  if (device.combines() && !device.pipelined) bytes[kAgainStream] += 2 * n * rowBytes;
  if (pass.masked && device.maskApart) bytes[kAgainStream] += 2 * n * resultRow;
  return bytes;
}

}  // namespace

Result tilePass(const HyGcn& device, const Systolic& systolic, const SlicePass& pass, const Graph& graph,
                const Shares& shares) {
  return Course(device, systolic, pass, shares, nullptr).run(graph);
}

Result cyclePass(const HyGcn& device, const Systolic& systolic, const SlicePass& pass, const Graph& graph) {
  CycleModel cycles(device, pass, graph);
  return Course(device, systolic, pass, {}, &cycles).run(graph);
}

Result boundOf(const HyGcn& device, const Systolic& systolic, const SlicePass& pass, const Graph& graph) {
  Result result;
  if (graph.nonzeros == 0) return result;
  const std::int64_t out = device.combinationColumns, n = rowsUsed(graph);
  result.bytes = compulsoryBytes(device, pass, graph, n);
  result.additions = graph.nonzeros * pass.width;
  result.multiplications = n * pass.width * out;
  result.weightReads = systolic.weightReads(n, pass.width, out);
  result.rowsOpened = device.dram.rowsOpened(Traffic{result.dramBytes(), 0, 0});
  const auto edges = static_cast<double>(graph.nonzeros);
  const std::int64_t moved = graph.nonzeros * pass.width * kFeatureBytes;
  const auto memory =
      static_cast<std::int64_t>(static_cast<double>(result.dramBytes()) / device.peakBytesPerCycle);
  const std::int64_t lanes = cyclesFor(edges * static_cast<double>(pass.width),
                                       static_cast<double>(device.cores * device.simdWidth));
  const std::int64_t banks = cyclesFor(static_cast<double>(moved), static_cast<double>(device.port));
  const std::int64_t multiplying =
      cyclesFor(static_cast<double>(result.multiplications), static_cast<double>(systolic.multipliers()));
  const std::int64_t slowest = std::max({lanes, banks, multiplying});
  Stretch now;
  now.cycles = std::max(memory, slowest);
  now.busy = {memory, lanes, banks, lanes, lanes, multiplying, 0};
  now.bytes = {result.dramBytes(),         result.bytes[kEdgeStream], moved, moved, moved, 0,
               result.bytes[kResultStream]};
  const Cause engine = slowest == multiplying ? kCombining : lanes >= banks ? kLanes : kBanks;
  const Cause cause = memory > slowest ? kEdges : engine;
  waits(now, kHbm, engine);
  for (const Engine e : {kScheduler, kInputBuffer, kCores, kAggregationBuffer}) waits(now, e, cause);
  if (device.combines())
    waits(now, kSystolic, cause);
  else
    idles(now, kSystolic);
  idles(now, kOutputBuffer);
  result.log.add(now);
  return result;
}

}  // namespace halo::sim::hygcn
