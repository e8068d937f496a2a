// AWB-GCN (Geng et al., MICRO 2020): column-wise product with workload rebalancing. The columns k of the
// dense operand come one after the other. For each, every nonzero A(i, j) goes to the processing element (PE)
// of row i, which adds A(i, j) B(j, k) to its sum. At first that is PE i mod PEs.
//
//   for each group of columns that is on the chip at a time    (8 bytes a row and column: operand and sums)
//     for each strip of output rows                            (one, if a whole column fits)
//       stream the strip's nonzeros, column by column, and the operand's columns with them
//         distribute each nonzero to its row's PE, or to a neighbour with less to do; multiply and add
//     the sums leave while the next strip is worked on
//
// After each group rows are moved between PEs until the loads are even (awb_rebalance.h). Level `analytic` is
// a bound: every byte once, loads perfectly even, nothing in the way. Level `tile` is one event a strip and
// group: DRAM or the slower of distributor and busiest PE, whichever is longer.
// Not modelled: hazards of sums of one row that follow each other, and masks (all outputs are made and
// written). The dense products before the aggregation, and their pipelining with it, are not modelled either.
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "simulator/accelerators/awb_gcn/awb_cycles.h"
#include "simulator/device/accounting.h"
#include "simulator/device/device_parts.h"

namespace halo::sim::awb {
namespace {

constexpr double kMostLoads = 2e9;  // PEs × strips × rounds where rows are counted
constexpr double kMostSteps = 2e6;  // strips × groups of one pass

constexpr std::string_view kDistributors[] = {"tdq-1", "tdq-2"};
constexpr std::string_view kConflictModels[] = {"cycle-model", "closed-form"};
constexpr std::string_view kPlans[] = {"fit", "fewest-bytes"};
constexpr std::string_view kBalances[] = {"cold", "converged"};
constexpr Level kLevels[] = {Level::analytic, Level::tile, Level::cycle};

constexpr Parameter kParameters[] = {
    kClock,
    {"pes", "processing elements, a multiply and an add a cycle each", Integer{4096, 1, 1 << 18}},
    {"column_buffer_mb", "columns of operand and sums, 10^6 bytes", Real{30.5, 1e-6, 1e6}},
    peakOf("dram_gbps"),
    kMemory,
    kMemoryModel,
    kRowNumberBytes,
    kValueBytes,
    {"column_pointer_bytes", "of the begin of one column, in every strip", Integer{4, 0, 16}},
    {"columns_at_once",
     "fit: as many as the buffer holds; fewest-bytes: as many, in as many strips, as move the fewest bytes",
     Choice{"fit", kPlans}},
    {"distributor", "tdq-1: queues alone; tdq-2: an Omega network", Choice{"tdq-2", kDistributors}},
    {"distributor_nonzeros_per_cycle", "that enter it, and leave it", Integer{256, 1, 1 << 16}},
    {"conflicts",
     "of level tile; cycle-model: nonzeros counted in sampled strips; closed-form: a router queue's worth to "
     "each output at random",
     Choice{"cycle-model", kConflictModels}},
    {"router_queue", "places at each input of a switch", Integer{4, 1, 1024}},
    {"task_queue", "nonzeros that wait at a PE", Integer{8, 1, 4096}},
    {"smoothing_hops", "neighbours on each side that take a PE's work", Integer{2, 0, 64}},
    {"switch_pairs", "pairs of PEs that exchange rows in a round", Integer{64, 0, 1 << 20}},
    {"switch_step", "share of half the difference that a pair exchanges", Real{1, 0, 1}},
    {"split_rows", "rows above the mean load that are split in a round", Integer{64, 0, 1 << 20}},
    {"rounds", "of rebalancing, one a group of columns; then the best is kept", Integer{10, 0, 100}},
    {"balance", "cold: rounds begin with this epoch; converged: they are over", Choice{"cold", kBalances}},
    kTechnology,
    kBufferMacro,
    {"dram_pj_per_byte", "of DRAM, everything in it", Real{140, 0, 1e4}},
    {"chip_power_w", "of the chip without DRAM", Real{215, 0, 1e4}},
    kLeakage,
    kChipEnergy,
};

/// A balance for each way to cut the rows, made when it is first asked for, and how far its rounds are.
class Balances {
 public:
  Balances(const Awb& awb, const DeviceTask& task) : awb_(awb), task_(task) {}

  struct State {
    Balance balance;
    std::int64_t round = 0;
    std::map<std::int64_t, SampledShares> shares;  // by columns at a time
  };

  State& stateFor(std::int64_t strips) {
    const auto entry = states_.find(strips);
    if (entry != states_.end()) return entry->second;
    State& state = states_[strips];
    state.balance = balanceOf(awb_, task_.graph, strips, task_.level == Level::cycle);
    if (awb_.converged) state.round = awb_.balance.rounds + 1;
    return state;
  }
  const SampledShares& sharesOf(State& state, std::int64_t columns) {
    const auto entry = state.shares.find(columns);
    if (entry != state.shares.end()) return entry->second;
    return state.shares[columns] =
               closed() ? closedShares(awb_) : sampleShares(awb_, task_.graph, state.balance, columns);
  }
  const std::map<std::int64_t, State>& states() const { return states_; }
  bool closed() const { return task_.figures.text("conflicts") == "closed-form"; }

 private:
  const Awb& awb_;
  const DeviceTask& task_;
  std::map<std::int64_t, State> states_;
};

void addFactors(const Awb& awb, const Balances& balances, std::vector<Factor>& factors) {
  for (const auto& [strips, state] : balances.states()) {
    const std::string suffix = "_strips_" + std::to_string(strips);
    factors.push_back({"utilisation_first_round" + suffix, state.balance.utilisation(awb.balance.pes, 0),
                       state.balance.from});
    factors.push_back({"utilisation_balanced" + suffix,
                       state.balance.utilisation(awb.balance.pes, awb.balance.rounds + 1),
                       state.balance.from});
    for (const auto& [columns, shares] : state.shares) {
      const std::string with = suffix + "_columns_" + std::to_string(columns);
      const std::string from = balances.closed()
                                   ? "derived: balls in bins, outputs at random"
                                   : "cycle model: " + std::to_string(shares.nonzeros) + " nonzeros in " +
                                         std::to_string(shares.strips) + " sampled strips";
      factors.push_back({"network_share" + with, shares.kept.network, from});
      factors.push_back({"together_share" + with, shares.kept.together, from});
    }
  }
}

/// Energy of every component by counts; with chip power, what is on the chip shares it.
void account(const DeviceTask& task, DeviceResult& result) {
  const EnergyTable& table = task.library.energies;
  const double node = task.figures.real("technology_nm");
  const double sram = table.sramPjPerByte(task.figures.real("sram_macro_kb"), node);
  const double multiply = table.operationPj("fp32_multiply", node) + table.operationPj("fp32_add", node);
  const double dramByte = task.figures.real("dram_pj_per_byte");
  auto& components = result.components;
  components[kHbm].energyPj = static_cast<double>(result.dramBytes()) * dramByte;
  // into a queue and out; through the network word by word
  const double words = static_cast<double>(components[kDistributor].bytes) / 4;
  const double crossbar =
      task.figures.text("distributor") == "tdq-2"
          ? table.operationPj("crossbar_1to4_32bit", node) *
                static_cast<double>(crossbarsTo(task.figures.integer("distributor_nonzeros_per_cycle")))
          : 0;
  components[kDistributor].energyPj =
      2 * static_cast<double>(components[kDistributor].bytes) * sram + words * crossbar;
  components[kPes].energyPj = static_cast<double>(result.operations) * multiply;
  components[kBuffer].energyPj = static_cast<double>(components[kBuffer].bytes) * sram;
  result.factors.push_back({"dram_pj_per_byte", dramByte, "assumed: figure of the device"});
  result.factors.push_back({"multiply_add_pj", multiply, table.scaledSource("fp32_multiply", node)});
  result.factors.push_back({"sram_pj_per_byte", sram, table.scaledSource("sram_8kb_64bit", node)});
  accountEnergy(result, {task.figures.real("chip_power_w"), false}, task.figures.real("leakage_w"),
                task.figures.text("energy_mode") == "chip-power");
}

void refuseTaskOfAwb(const DeviceTask& task) {
  const Awb awb(task.figures, task.library);
  double bytes = 0, cycles = 0;
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0) continue;
    const ColumnPlan plan = task.level == Level::analytic ? ColumnPlan{} : awb.plan(task.graph, pass.width);
    const auto steps = static_cast<double>(plan.groups) * static_cast<double>(plan.strips);
    if (steps > kMostSteps)
      throw InputError(Problem{
          .key = "device.column_buffer_mb",
          .message = "cuts this graph into more than two million strips; a larger buffer, more slices, or "
                     "level = \"analytic\""});
    const double loads = static_cast<double>(plan.strips) * static_cast<double>(awb.balance.pes) *
                         static_cast<double>(awb.balance.rounds + 1);
    if (task.graph.matrix != nullptr && loads > kMostLoads)
      throw InputError(Problem{
          .key = "device.column_buffer_mb",
          .message = "cuts this graph into so many strips that balancing each takes too long; a larger "
                     "buffer, fewer device.rounds, or level = \"analytic\""});
    const auto nonzeros = static_cast<double>(task.graph.nonzeros), width = static_cast<double>(pass.width);
    const double moved = static_cast<double>(plan.groups) * static_cast<double>(awb.elementBytes) * nonzeros +
                         (steps + width * static_cast<double>(plan.strips) + width) *
                             static_cast<double>(task.graph.vertices) * 16;
    bytes += moved;
    cycles += 2 * moved / awb.peakBytesPerCycle + nonzeros * (width + 64);  // all on one PE, one at a time
  }
  refuseBeyondCounting(bytes, cycles, "freq_mhz", "device.dram_gbps");
  refuseLongCounting(task);
}

DeviceResult simulateAwb(const DeviceTask& task) {
  refuseTaskOfAwb(task);
  const Awb awb(task.figures, task.library);
  DeviceResult result = nothingDone(kNames, kStreamNames);
  result.factors = {
      {"dram_stream_share", awb.dram.streamShare(), "derived: refreshes of " + task.figures.text("memory")}};
  Balances balances(awb, task);
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0 || task.graph.nonzeros == 0) continue;
    Result passResult;
    if (task.level == Level::analytic) {
      passResult = boundOf(awb, pass, task.graph);
    } else {
      const ColumnPlan plan = awb.plan(task.graph, pass.width);
      Balances::State& state = balances.stateFor(plan.strips);
      const bool cycles = task.level == Level::cycle;
      const SampledShares none;
      passResult = stripPass(awb, pass, task.graph, state.balance, state.round,
                             cycles ? none : balances.sharesOf(state, plan.columns), cycles);
      state.round += plan.groups;
    }
    append(passResult, kNames, pass, result);
  }
  addFactors(awb, balances, result.factors);
  result.ns = static_cast<double>(result.cycles) / awb.hz * 1e9;
  account(task, result);
  return result;
}

std::vector<Problem> refuseAwb(const Values& figures, const Library& library, std::span<const SlicePass>) {
  if (auto problem = unknownMemory(figures, library)) return {std::move(*problem)};
  if (figures.real("column_buffer_mb") * kMega < 2 * kFeatureBytes)
    return {{.key = "column_buffer_mb",
             .message = "holds less than one element of a column and one of its sums; more bytes"}};
  return {};
}

/// One strip's share of the sums of one group of columns, PE by PE.
void executeStrip(const CsrRows& A, const Matrix& H, const Strip& strip, const Assignment& assignment,
                  Index firstColumn, Index endColumn, Matrix& sums) {
  for (const auto& pieces : assignment.ofPe)
    for (const Piece& piece : pieces) {
      const auto r = static_cast<Index>(strip.first + piece.row);
      const auto row = A.row(r);
      for (auto i = at(piece.part); i < row.size(); i += at(piece.parts))
        for (Index c = firstColumn; c < endColumn; ++c) sums(r, c) += H(row[i], c);
    }
}

Matrix executeAwb(const Values& figures, const Library& library, const CsrRows& A, const Matrix& H,
                  std::span<const std::uint8_t> mask) {
  HALO_CHECK(!A.weighted() && A.cols == H.rows());
  Matrix sums;
  sums.setZero(A.rows(), H.cols());
  if (H.cols() == 0 || A.rows() == 0) return sums;
  const Awb awb(figures, library);
  const Graph graph{A.rows(), A.nonzeros(), 1, A};
  const ColumnPlan plan = awb.plan(graph, H.cols());
  const Balance balance = balanceOf(awb, graph, plan.strips, true);
  for (std::int64_t group = 0; group < plan.groups; ++group) {
    const auto first = static_cast<Index>(group * plan.columns);
    const Index end = std::min<Index>(H.cols(), first + static_cast<Index>(plan.columns));
    for (const Strip& strip : balance.strips) {
      const std::int64_t round = awb.converged ? std::ssize(strip.assignments) : group;
      const auto index = std::min(round, std::ssize(strip.assignments) - 1);
      executeStrip(A, H, strip, strip.assignments[at(index)], first, end, sums);
    }
  }
  keepWanted(mask, sums);
  return sums;
}

Values scaledAwb(const Values& figures, double share) {
  Values scaled = figures;
  for (const char* key : {"column_buffer_mb", "dram_gbps", "chip_power_w", "leakage_w"})
    scaled.find(key)->second = figures.real(key) * share;
  for (const char* key : {"pes", "distributor_nonzeros_per_cycle"})
    scaled.find(key)->second =
        std::max<std::int64_t>(1, std::llround(static_cast<double>(figures.integer(key)) * share));
  for (const char* key : {"switch_pairs", "split_rows"})
    scaled.find(key)->second =
        static_cast<std::int64_t>(std::ceil(static_cast<double>(figures.integer(key)) * share));
  return scaled;
}

Roof roofOfAwb(const Values& figures) {
  return {static_cast<double>(figures.integer("pes")) * figures.real("freq_mhz") * 1e6,
          figures.real("dram_gbps") * 1e9};
}

const Registered<AcceleratorEntry> self{
    {.declaration = {"awb-gcn",
                     "AWB-GCN: column-wise product, rows moved between elements until loads are even",
                     "Geng et al., MICRO 2020", kParameters},
     .levels = kLevels,
     .refuse = refuseAwb,
     .refuseTask = refuseTaskOfAwb,
     .scaled = scaledAwb,
     .execute = executeAwb,
     .simulate = simulateAwb,
     .roof = roofOfAwb}};

}  // namespace
}  // namespace halo::sim::awb
