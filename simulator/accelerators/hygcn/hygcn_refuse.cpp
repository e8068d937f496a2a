#include "simulator/accelerators/hygcn/hygcn_refuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "simulator/device/accounting.h"
#include "simulator/device/device_parts.h"

namespace halo::sim::hygcn {
namespace {

constexpr double kMostBlocks = 2e8;
constexpr const char* kPowerShares[] = {"aggregation_buffer_percent",  "aggregation_compute_percent",
                                        "aggregation_control_percent", "combination_buffer_percent",
                                        "combination_compute_percent", "combination_control_percent",
                                        "coordinator_buffer_percent",  "coordinator_control_percent"};

/// Level `cycle` counts in a graph, a small one.
void refuseUncountable(const HyGcn& device, const DeviceTask& task) {
  if (task.level != Level::cycle || task.graph.nonzeros == 0) return;
  const std::int64_t burst = device.dram.table().burstBytes;
  if (device.line % burst != 0)
    throw InputError({.key = "device.line_bytes",
                      .message = "level 'cycle' moves bursts of " + std::to_string(burst) +
                                 " bytes; a line is one or several of them"});
  refuseLongCounting(task);
}

/// The bound is generous: nothing overlaps, every interval brings all sources, rows come alone from the worst
/// page.
void refuseLarge(const HyGcn& device, const DeviceTask& task) {
  const double worst = device.coordinated ? 8 : 1000;
  const auto n = static_cast<double>(task.graph.vertices), edges = static_cast<double>(task.graph.nonzeros);
  const auto out = static_cast<double>(device.combinationColumns);
  double bytes = 0, cycles = 0, again = 0;  // brought once an interval more
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0) continue;
    const auto width = static_cast<double>(pass.width);
    const double row = width * kFeatureBytes, result = std::max(width, out) * kFeatureBytes;
    const double intervals = n / static_cast<double>(device.shape(pass.width).tileRows) + 1;
    const double moved = edges * (static_cast<double>(device.edgeBytes + device.line) + row) +
                         (device.window == Window::gather ? 0 : intervals * n * row) + 5 * n * result +
                         intervals * width * out * kFeatureBytes;
    bytes += moved;
    again += device.window == Window::gather ? 0 : intervals * n * row;
    cycles += worst * moved / device.peakBytesPerCycle +
              edges * (static_cast<double>(device.coresFor(pass.width)) + row) + n * (out + 1) * (row + 1e3);
  }
  if (again > bytes / 2)  // small buffers make it many, not a slow memory
    refuseBeyondCounting(bytes, cycles, "aggregation_buffer_mb", "device.hbm_gbps");
  refuseBeyondCounting(bytes, cycles, "hbm_gbps", "device.aggregation_buffer_mb");
}

/// A level that looks at every shard must be able to.
void refuseManyBlocks(const HyGcn& device, const DeviceTask& task) {
  if (task.level == Level::analytic) return;
  for (const SlicePass& pass : task.passes)
    if (pass.width > 0 && blocksOf(task.graph, device.shape(pass.width)) +
                                  static_cast<double>(task.graph.nonzeros / device.edgesHeld()) >
                              kMostBlocks)
      throw InputError(Problem{
          .key = "device.input_buffer_mb",
          .message =
              "with device.aggregation_buffer_mb cuts this graph into more than 200 million shards; larger "
              "buffers, more slices, or level = \"analytic\""});
}

void refuseFigures(const Values& figures, std::vector<Problem>& problems) {
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({.key = key, .message = std::move(message)});
  };
  std::string letters = figures.text("uncoordinated_map");
  std::ranges::sort(letters);
  if (letters != "bcghr")
    wrong("uncoordinated_map", "'" + figures.text("uncoordinated_map") +
                                   "' is no map of addresses; each of r b g c h once, such as \"rbcgh\"");
  double percent = 0;
  for (const char* key : kPowerShares) percent += figures.real(key);
  if (std::abs(percent - 100) > 0.1)
    wrong(kPowerShares[0], "and the other seven shares of the chip's power make " +
                               fmt::format("{:.2f}", percent) + ", not 100");
}

}  // namespace

std::vector<Problem> refuseHyGcn(const Values& figures, const Library& library,
                                 std::span<const SlicePass> passes) {
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({.key = key, .message = std::move(message)});
  };
  if (auto problem = unknownMemory(figures, library)) return {std::move(*problem)};
  refuseFigures(figures, problems);
  const HyGcn device(figures, library);
  const std::int64_t widest = widestOf(passes);
  if (widest == 0) return problems;
  const TileShape shape = device.shape(widest);
  const std::string each = device.twice ? " in each half" : "";
  const std::string needs = "holds less than one row of " + std::to_string(widest) + " columns" + each +
                            "; more bytes, or more slices";
  if (shape.windowRows < 1) wrong("input_buffer_mb", needs);
  if (shape.tileRows < 1) wrong("aggregation_buffer_mb", needs);
  if (device.edgeBufferBytes < static_cast<double>(device.edgeBytes) * (device.twice ? 2 : 1))
    wrong("edge_buffer_mb", "holds less than one edge" + each + "; more bytes");
  // sums leave through the output buffer, combined or not; weights are as tall as rows are wide
  const std::int64_t out = std::max(widest, device.combinationColumns);
  if (device.outputBytes < static_cast<double>(out * kFeatureBytes))
    wrong("output_buffer_mb",
          fmt::format("holds less than one row of {} columns; more bytes, or more slices", out));
  if (device.weightBytes < static_cast<double>(widest * kFeatureBytes))
    wrong("weight_buffer_mb", "holds less than one column of weights for " + std::to_string(widest) +
                                  " columns; more bytes, or more slices");
  if (!device.combines()) return problems;
  if (const auto first = std::ranges::find_if(passes, &SlicePass::updated); first != passes.end())
    wrong("combination", "'on' multiplies what was aggregated, and layer " + std::to_string(first->layer) +
                             " of this model multiplies before; off, or model.order = \"aggregate-first\"");
  return problems;
}

void refuseTaskOfHyGcn(const DeviceTask& task) {
  const HyGcn device(task.figures, task.library);
  refuseUncountable(device, task);
  refuseManyBlocks(device, task);
  refuseLarge(device, task);
}

}  // namespace halo::sim::hygcn
