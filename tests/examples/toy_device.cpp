// A simulated device in one file: CONTRIBUTING.md, "Add a device". Compiled by the suite and linked nowhere.
//
//   T = max( bytes ÷ bandwidth, additions ÷ adders )       every byte once: a bound
//
// Not modelled: everything else.
#include "simulator/device/accounting.h"
#include "simulator/device/device_parts.h"
#include "simulator/device/intervals.h"
#include "simulator/device/pass_result.h"
#include "simulator/graph/tiling.h"

namespace halo::sim::toy {
namespace {

constexpr std::int64_t kFeatureBytes = 4;
constexpr Level kLevels[] = {Level::analytic};
constexpr Parameter kParameters[] = {
    kClock,
    {"adders", "FP32 adders", Integer{128, 1, 1 << 20}},
    peakOf("hbm_gbps"),
    kIndexBytes,
    kTechnology,
    kLeakage,
    {"chip_power_w", "of the chip without HBM", Real{1, 0, 1e4}},
    kChipEnergy,
};

enum Engine : std::size_t { kHbm, kAdders, kEngines };
enum Cause : std::size_t { kForHbm, kForAdders, kCauses };
enum Stream : std::size_t { kIndexStream, kRowStream, kSumStream, kStreams };
constexpr const char* kEngineNames[] = {"hbm", "adders"};
constexpr const char* kCauseNames[] = {"hbm", "adders"};
constexpr const char* kStreamNames[] = {"column numbers", "rows of sources", "sums"};
constexpr Name kWorking[] = {Name::stream, Name::reduce};
constexpr Name kWaiting[] = {Name::awaitRows, Name::awaitAdders};
constexpr EngineNames kNames{kEngineNames, kCauseNames, kWorking, kWaiting};

PassResult<kEngines, kCauses, kStreams> boundOf(const Values& figures, const SlicePass& pass,
                                                const Graph& graph) {
  PassResult<kEngines, kCauses, kStreams> result;
  const std::int64_t row = pass.width * kFeatureBytes;
  result.bytes = {graph.nonzeros * figures.integer("index_bytes"), sourcesUsed(graph) * row,
                  rowsUsed(graph) * row};
  result.additions = graph.nonzeros * pass.width;
  const double bytesPerCycle = figures.real("hbm_gbps") * 1e3 / figures.real("freq_mhz");
  const std::int64_t moved = cyclesFor(static_cast<double>(result.dramBytes()), bytesPerCycle);
  const std::int64_t added =
      cyclesFor(static_cast<double>(result.additions), static_cast<double>(figures.integer("adders")));
  result.log.add(
      sideBySide<kCauses, kEngines>({moved, added}, {result.dramBytes(), 0}, {kForHbm, kForAdders}));
  return result;
}

DeviceResult simulate(const DeviceTask& task) {
  DeviceResult result = nothingDone(kNames, kStreamNames);
  for (const SlicePass& pass : task.passes)
    if (pass.width > 0) append(boundOf(task.figures, pass, task.graph), kNames, pass, result);
  result.ns = static_cast<double>(result.cycles) / task.figures.real("freq_mhz") * 1e3;
  const EnergyTable& table = task.library.energies;
  result.components[kHbm].energyPj = static_cast<double>(result.dramBytes()) * table.dramPjPerByte();
  result.components[kAdders].energyPj = static_cast<double>(result.operations) *
                                        table.operationPj("fp32_add", task.figures.real("technology_nm"));
  accountEnergy(result, {task.figures.real("chip_power_w"), false}, task.figures.real("leakage_w"),
                task.figures.text("energy_mode") == "chip-power");
  return result;
}

std::vector<Problem> refuse(const Values&, const Library&, std::span<const SlicePass>) { return {}; }

void refuseTask(const DeviceTask&) {}

/// The sums that it makes, row after row.
Matrix execute(const Values&, const Library&, const CsrRows& A, const Matrix& H,
               std::span<const std::uint8_t> mask) {
  Matrix sums;
  sums.setZero(A.rows(), H.cols());
  for (Index r = 0; r < A.rows(); ++r)
    for (const Vertex v : A.row(r))
      for (Index c = 0; c < H.cols(); ++c) sums(r, c) += H(v, c);
  keepWanted(mask, sums);
  return sums;
}

Values scaled(const Values& figures, double share) {
  Values smaller = figures;
  for (const char* key : {"freq_mhz", "hbm_gbps", "chip_power_w", "leakage_w"})
    smaller.find(key)->second = figures.real(key) * share;
  return smaller;
}

Roof roof(const Values& figures) {
  return {static_cast<double>(figures.integer("adders")) * figures.real("freq_mhz") * 1e6,
          figures.real("hbm_gbps") * 1e9};
}

const Registered<AcceleratorEntry> self{
    {.declaration = {"toy", "a bound of memory and adders", "none: an example", kParameters},
     .levels = kLevels,
     .refuse = refuse,
     .refuseTask = refuseTask,
     .scaled = scaled,
     .execute = execute,
     .simulate = simulate,
     .roof = roof}};

}  // namespace
}  // namespace halo::sim::toy
