#include "simulator/accelerators/hygcn/hygcn_device.h"

#include <algorithm>

namespace halo::sim::hygcn {

HyGcn::HyGcn(const Values& f, const Library& library)
    : hz(f.real("freq_mhz") * 1e6),
      cores(f.integer("simd_cores")),
      simdWidth(f.integer("simd_width")),
      port(f.integer("input_buffer_bytes_per_cycle")),
      inputBytes(f.real("input_buffer_mb") * kMega),
      edgeBufferBytes(f.real("edge_buffer_mb") * kMega),
      weightBytes(f.real("weight_buffer_mb") * kMega),
      outputBytes(f.real("output_buffer_mb") * kMega),
      aggregationBytes(f.real("aggregation_buffer_mb") * kMega),
      line(f.integer("line_bytes")),
      edgeBytes(f.integer("edge_bytes")),
      window(f.text("window") == "fit"      ? Window::fit
             : f.text("window") == "shrink" ? Window::shrink
                                            : Window::gather),
      twice(f.text("buffering") == "double"),
      coordinated(f.text("coordination") == "on"),
      pipelined(f.text("pipeline") == "on"),
      maskApart(f.text("mask") == "separate"),
      uncoordinatedMap(f.text("uncoordinated_map")),
      combinationColumns(f.text("combination") == "on" ? f.integer("combination_columns") : 0),
      peakBytesPerCycle(f.real("hbm_gbps") * 1e9 / hz),
      dram(library.memories.at(f.text("memory")), f.real("hbm_gbps"), line,
           f.text("memory_model") == "efficiency" ? DramModel::efficiency : DramModel::closedPage) {}

TileShape HyGcn::shape(std::int64_t width) const {
  const double row = static_cast<double>(width * kFeatureBytes), halves = twice ? 2 : 1;
  const auto wholeRows = [](double rows) { return static_cast<std::int64_t>(std::min(rows, 4e9)); };
  return {wholeRows(aggregationBytes / halves / row), wholeRows(inputBytes / halves / row),
          width * kFeatureBytes, line};
}

Systolic::Systolic(const Values& f)
    : modules(f.integer("systolic_modules")),
      moduleRows(f.integer("module_rows")),
      columns(f.integer("module_columns")),
      energyAware(f.text("mode") == "energy-aware") {}

std::int64_t Systolic::cycles(std::int64_t rows, std::int64_t in, std::int64_t out) const {
  if (rows <= 0 || in <= 0 || out <= 0) return 0;
  const std::int64_t groupRows = energyAware ? modules * moduleRows : moduleRows;
  const std::int64_t groups = (rows - 1) / groupRows + 1;
  const std::int64_t turns = energyAware ? groups : (groups - 1) / modules + 1;
  const std::int64_t strips = (out - 1) / columns + 1;
  return turns * strips * (groupRows + columns + in);
}

std::int64_t Systolic::tailCycles(std::int64_t rows, std::int64_t in, std::int64_t out) const {
  return cycles(energyAware ? rows : std::min(rows, moduleRows), in, out);
}

std::int64_t Systolic::weightReads(std::int64_t rows, std::int64_t in, std::int64_t out) const {
  if (rows <= 0) return 0;
  const std::int64_t groupRows = energyAware ? modules * moduleRows : moduleRows;
  return ((rows - 1) / groupRows + 1) * in * out;
}

}  // namespace halo::sim::hygcn
