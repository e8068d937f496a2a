#include "simulator/accelerators/awb_gcn/awb_pass.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "engine/base/check.h"
#include "simulator/accelerators/awb_gcn/awb_cycles.h"
#include "simulator/graph/tiling.h"
#include "simulator/memory/streamed_dram.h"

namespace halo::sim::awb {
namespace {

constexpr std::int64_t kStripsAsked = 1 << 12;                   // of costs that are looked up
constexpr std::int64_t kItemsPerPe = 16, kLeastItems = 1 << 16;  // of a degree model

std::int64_t ceilDiv(std::int64_t amount, std::int64_t by) { return (amount + by - 1) / by; }
std::int64_t ceilOf(double amount) { return static_cast<std::int64_t>(std::ceil(amount - 1e-6)); }

std::int64_t rowsOf(const Graph& graph) {
  return graph.matrix == nullptr ? graph.vertices : graph.matrix->rows();
}
std::int64_t columnsOf(const Graph& graph) {
  return graph.matrix == nullptr ? graph.vertices : graph.matrix->cols;
}

/// Both directions of one column: what is read of the operand and what is written of the sums.
std::int64_t columnPairBytes(const Graph& graph) {
  return 2 * kFeatureBytes * std::max(rowsOf(graph), columnsOf(graph));
}

RoundLoads loadsOf(const Awb& awb, const Assignment& assignment) {
  const std::vector<std::int64_t> loads = assignment.loads();
  std::vector<std::int64_t> outputs(static_cast<std::size_t>(awb.inputs), 0);
  for (std::int64_t pe = 0; pe < awb.balance.pes; ++pe)
    outputs[static_cast<std::size_t>(awb.outputOf(pe))] += loads[static_cast<std::size_t>(pe)];
  return {smoothedMost(loads, awb.balance.hops), std::ranges::max(outputs)};
}

/// askStop: before each round.
void fillRounds(const Awb& awb, std::span<const std::int64_t> rowLoads, bool keepsAll, bool ends,
                const AskStop& askStop, Strip& strip) {
  StopAsks asks(askStop, 1);
  Assignment best = balanceRounds(rowLoads, awb.balance, [&](std::int64_t round, const Assignment& now) {
    asks.step();
    strip.rounds.push_back(loadsOf(awb, now));
    if (keepsAll || (ends && round == 0)) strip.assignments.push_back(now);
  });
  strip.rounds.push_back(loadsOf(awb, best));
  if (keepsAll || ends) strip.assignments.push_back(std::move(best));
}

/// What is asked of every engine while one strip is worked on.
struct StripCost {
  std::int64_t nonzeros = 0, columns = 0;
  std::array<std::int64_t, kStreams> bytes{};
  std::int64_t distribute = 0, multiply = 0;  // cycles if nothing were in the way
  std::int64_t network = 0, busiest = 0;      // cycles they take for themselves
  std::int64_t slowest = 0, fill = 0;         // cycles of both together
};

class StripPass {
 public:
  StripPass(const Awb& awb, const SlicePass& pass, const Graph& graph, bool cycles)
      : awb_(awb), pass_(pass), graph_(graph) {
    if (cycles) dram_.emplace(awb.dram, std::vector<bool>{false, false, false, true});
  }

  Result run(const Balance& balance, std::int64_t round, const SampledShares& shares) {
    const ColumnPlan plan = awb_.plan(graph_, pass_.width);
    HALO_CHECK(std::ssize(balance.strips) == plan.strips);
    StopAsks asks(graph_.askStop, kStripsAsked);
    for (std::int64_t group = 0; group < plan.groups; ++group) {
      const std::int64_t columns = std::min(plan.columns, pass_.width - group * plan.columns);
      for (const Strip& strip : balance.strips) {
        asks.step();
        if (strip.nonzeros > 0) work(costOf(strip, columns, round, shares));
        toWrite_ += kFeatureBytes * strip.rows * columns;  // sums of rows without a nonzero too
      }
      ++round;
    }
    finish();
    result_.additions = graph_.nonzeros * pass_.width;
    return std::move(result_);
  }

 private:
  StripCost costOf(const Strip& strip, std::int64_t columns, std::int64_t round,
                   const SampledShares& shares) {
    StripCost cost;
    cost.nonzeros = strip.nonzeros;
    cost.columns = columns;
    cost.bytes[kNonzeroStream] = awb_.elementBytes * strip.nonzeros;
    cost.bytes[kPointerStream] = awb_.pointerBytes * columnsOf(graph_);
    cost.bytes[kInputStream] = kFeatureBytes * columnsOf(graph_) * columns;
    cost.distribute = ceilDiv(strip.nonzeros, awb_.inputs);
    cost.multiply = ceilDiv(strip.nonzeros * columns, awb_.balance.pes);
    const RoundLoads& loads = strip.at(round);
    cost.busiest = loads.busiest * columns;
    cost.network = std::max(cost.distribute, loads.output);
    if (dram_) {
      const auto index = static_cast<std::size_t>(std::min(round, std::ssize(strip.assignments) - 1));
      cost.slowest = countedCycles(strip, strip.assignments[index], columns);
      cost.network = std::min(cost.network, cost.slowest);
      return cost;
    }
    const Shares& share = round == 0 ? shares.first : shares.kept;
    cost.network = ceilOf(static_cast<double>(cost.network) / share.network);
    cost.slowest = ceilOf(static_cast<double>(std::max(cost.network, cost.busiest)) / share.together);
    cost.fill = awb_.fill;
    return cost;
  }

  /// Columns that find the rows where others did take as long.
  std::int64_t countedCycles(const Strip& strip, const Assignment& assignment, std::int64_t columns) {
    const auto [entry, fresh] = counted_.try_emplace({&assignment, columns}, 0);
    if (fresh)
      entry->second =
          computeCycles(awb_,
                        packetsOf(awb_, strip, assignment,
                                  allByColumn(*graph_.matrix, strip.first, strip.first + strip.rows)),
                        columns, graph_.askStop);
    return entry->second;
  }

  std::int64_t memoryCycles(const std::array<std::int64_t, kStreams>& bytes) {
    if (dram_) {
      const double ns = static_cast<double>(result_.log.total().cycles) * 1e9 / awb_.hz;
      return awb_.cyclesOf(dram_->ns(ns, {bytes.begin(), bytes.end()}));
    }
    std::int64_t all = 0;
    for (const std::int64_t streamBytes : bytes) all += streamBytes;
    return awb_.cyclesOf(awb_.dram.servedNs({all, 0, 0}));
  }

  /// The strip is worked on as its nonzeros stream; the sums of the one before leave meanwhile.
  void work(StripCost cost) {
    cost.bytes[kOutputStream] = toWrite_;
    const std::int64_t memory = memoryCycles(cost.bytes), busy = cost.slowest + cost.fill;
    Interval<kEngines, kCauses> now;
    now.cycles = std::max(memory, busy);
    now.busy[kHbm] = memory;
    const Cause limit = cost.busiest >= cost.network ? kBusiest : kNetwork;
    now.stalled[kHbm][limit] = std::min(now.cycles - memory, cost.slowest);
    now.stalled[kHbm][kFilling] = now.cycles - memory - now.stalled[kHbm][limit];
    const auto [matrix, pointers, inputs, outputs] = cost.bytes;
    const Cause stream = outputs > std::max(matrix + pointers, inputs) ? kWrites
                         : inputs > matrix + pointers                  ? kColumns
                                                                       : kMatrix;
    const auto engine = [&](std::size_t e, std::int64_t work, std::int64_t alone, Cause own, Cause other) {
      now.busy[e] = work;
      now.stalled[e][own] += alone - work;
      now.stalled[e][other] += cost.slowest - alone;
      now.stalled[e][kFilling] += cost.fill;
      now.stalled[e][stream] += now.cycles - busy;
    };
    engine(kDistributor, cost.distribute, cost.network, kNetwork, limit);
    engine(kPes, cost.multiply, std::min(std::max(cost.busiest, cost.multiply), cost.slowest), kBusiest,
           limit);
    now.busy[kBuffer] = cost.multiply;  // its banks are the elements' own
    now.idle[kBuffer] = now.cycles - cost.multiply;
    const std::int64_t multiplies = cost.nonzeros * cost.columns;
    now.bytes = {matrix + pointers + inputs + outputs, matrix + pointers, 0, 3 * kFeatureBytes * multiplies};
    result_.log.add(now);
    for (std::size_t s = 0; s < kStreams; ++s) result_.bytes[s] += cost.bytes[s];
    toWrite_ = 0;
  }

  /// The last sums leave.
  void finish() {
    Interval<kEngines, kCauses> now;
    now.cycles = now.busy[kHbm] = memoryCycles({0, 0, 0, toWrite_});
    now.bytes[kHbm] = toWrite_;
    for (const std::size_t e : {kDistributor, kPes, kBuffer}) now.idle[e] = now.cycles;
    result_.log.add(now);
    result_.bytes[kOutputStream] += toWrite_;
  }

  const Awb& awb_;
  const SlicePass& pass_;
  const Graph& graph_;
  std::optional<StreamedDram> dram_;  // at level cycle
  std::map<std::pair<const Assignment*, std::int64_t>, std::int64_t> counted_;
  std::int64_t toWrite_ = 0;
  Result result_;
};

}  // namespace

Awb::Awb(const Values& f, const Library& library)
    : hz(f.real("freq_mhz") * 1e6),
      columnBytes(f.real("column_buffer_mb") * kMega),
      elementBytes(f.integer("row_number_bytes") + f.integer("value_bytes")),
      pointerBytes(f.integer("column_pointer_bytes")),
      inputs(std::min(f.integer("distributor_nonzeros_per_cycle"), f.integer("pes"))),
      lines(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(inputs)))),
      routerDepth(f.integer("router_queue")),
      queueDepth(f.integer("task_queue")),
      omega(f.text("distributor") == "tdq-2"),
      fewestBytes(f.text("columns_at_once") == "fewest-bytes"),
      converged(f.text("balance") == "converged"),
      balance{f.integer("pes"),        f.integer("smoothing_hops"), f.integer("switch_pairs"),
              f.integer("split_rows"), f.real("switch_step"),       f.integer("rounds")},
      fill(omega ? std::countr_zero(static_cast<std::uint64_t>(lines)) + 1 : 1),
      peakBytesPerCycle(f.real("dram_gbps") * 1e9 / hz),
      dram(library.memories.at(f.text("memory")), f.real("dram_gbps"), 64,
           f.text("memory_model") == "efficiency" ? DramModel::efficiency : DramModel::closedPage) {}

ColumnPlan Awb::plan(const Graph& graph, std::int64_t width) const {
  const auto pair = static_cast<double>(columnPairBytes(graph));
  const auto planFor = [&](std::int64_t columns) -> ColumnPlan {
    const double strips = std::ceil(pair * static_cast<double>(columns) / columnBytes);
    return {columns, ceilDiv(width, columns), std::max<std::int64_t>(1, static_cast<std::int64_t>(strips))};
  };
  const double room = std::floor(columnBytes / pair);
  if (!fewestBytes)
    return planFor(
        std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(room, static_cast<double>(width)))));
  ColumnPlan best;
  double least = 0;
  for (std::int64_t columns = 1; columns <= width; ++columns) {
    const ColumnPlan candidate = planFor(columns);
    if (columns > 1 && candidate.strips > rowsOf(graph)) break;  // less than a row
    const auto groups = static_cast<double>(candidate.groups), strips = static_cast<double>(candidate.strips);
    const auto operand = static_cast<double>(columnsOf(graph));
    const double bytes =
        groups * static_cast<double>(elementBytes * graph.nonzeros) +
        strips * operand *
            (groups * static_cast<double>(pointerBytes) + static_cast<double>(width * kFeatureBytes));
    if (columns > 1 && bytes >= least) continue;
    least = bytes;
    best = candidate;
  }
  return best;
}

double Balance::utilisation(std::int64_t pes, std::int64_t round) const {
  double work = 0, time = 0;
  for (const Strip& strip : strips) {
    work += static_cast<double>(strip.nonzeros);
    time += static_cast<double>(strip.at(round).busiest) * static_cast<double>(pes);
  }
  return time > 0 ? work / time : 1;
}

Balance balanceOf(const Awb& awb, const Graph& graph, std::int64_t strips, bool keepsAll) {
  Balance balance;
  const std::int64_t rows = rowsOf(graph);
  const std::int64_t sampled = std::min<std::int64_t>(strips, 4);
  for (std::int64_t s = 0; s < strips; ++s) {
    Strip strip{partBegin(rows, strips, s), 0, 0, {}, {}};
    strip.rows = partBegin(rows, strips, s + 1) - strip.first;
    const bool ends = (s * sampled) % strips < sampled;  // evenly over the strips
    if (graph.matrix != nullptr) {
      std::vector<std::int64_t> loads;
      for (std::int64_t r = strip.first; r < strip.first + strip.rows; ++r)
        loads.push_back(graph.matrix->degree(static_cast<Index>(r)));
      for (const std::int64_t load : loads) strip.nonzeros += load;
      fillRounds(awb, loads, keepsAll, ends, graph.askStop, strip);
    } else {
      strip.nonzeros = partBegin(graph.nonzeros, strips, s + 1) - partBegin(graph.nonzeros, strips, s);
      if (s == 0) {  // all strips are expected alike
        const std::int64_t items = std::max(kLeastItems, kItemsPerPe * awb.balance.pes);
        const std::int64_t most = ceilDiv(graph.nonzeros, strips);
        fillRounds(awb, expectedLoads(graph, strip.rows, most, items), keepsAll, true, graph.askStop, strip);
      } else {
        strip.rounds = balance.strips[0].rounds;
      }
    }
    balance.strips.push_back(std::move(strip));
  }
  balance.from = graph.matrix != nullptr ? "derived: nonzeros counted in the graph's rows"
                 : graph.exponent > 1
                     ? "assumed: degrees of a power law, exponent " + toText(Value(graph.exponent)) +
                           ", largest " + std::to_string(graph.maxDegree) + ", rows in random order"
                     : "assumed: arcs at random rows";
  return balance;
}

Result stripPass(const Awb& awb, const SlicePass& pass, const Graph& graph, const Balance& balance,
                 std::int64_t round, const SampledShares& shares, bool cycles) {
  if (graph.nonzeros == 0 || pass.width == 0) return Result();
  return StripPass(awb, pass, graph, cycles).run(balance, round, shares);
}

Result boundOf(const Awb& awb, const SlicePass& pass, const Graph& graph) {
  Result result;
  if (graph.nonzeros == 0 || pass.width == 0) return result;
  result.bytes = {awb.elementBytes * graph.nonzeros, awb.pointerBytes * columnsOf(graph),
                  kFeatureBytes * columnsOf(graph) * pass.width, kFeatureBytes * rowsOf(graph) * pass.width};
  result.additions = graph.nonzeros * pass.width;
  const std::int64_t bytes = result.dramBytes();
  const auto memory = static_cast<std::int64_t>(static_cast<double>(bytes) / awb.peakBytesPerCycle);
  const std::int64_t distribute = ceilDiv(graph.nonzeros, awb.inputs);
  const std::int64_t multiply = ceilDiv(result.additions, awb.balance.pes);
  const std::int64_t slowest = std::max(distribute, multiply);
  const Cause limit = multiply >= distribute ? kBusiest : kNetwork;
  Interval<kEngines, kCauses> now;
  now.cycles = std::max(memory, slowest);
  now.busy = {memory, distribute, multiply, multiply};
  now.bytes = {bytes, result.bytes[0] + result.bytes[1], 0, 3 * kFeatureBytes * result.additions};
  now.stalled[kHbm][limit] = now.cycles - memory;
  for (const auto& [engine, work] : {std::pair{kDistributor, distribute}, std::pair{kPes, multiply}}) {
    now.stalled[engine][limit] += slowest - work;
    now.stalled[engine][kMatrix] += now.cycles - slowest;
  }
  now.idle[kBuffer] = now.cycles - multiply;
  result.log.add(now);
  return result;
}

}  // namespace halo::sim::awb
