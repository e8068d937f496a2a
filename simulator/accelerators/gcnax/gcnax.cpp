// GCNAX (Li et al., HPCA 2021): outer products with tile sizes and an order of loops chosen for each product.
//
//   for the three loops over tiles of rows, of columns of A (`inner`) and of columns of H, in the order found
//     bring the tile of A, of H, of unfinished sums        (each only if it is not the one that is there)
//     for each column of the tile of A: its nonzeros times the tile's row of H, added to the sums
//
// The order and the tiles are those of the fewest DRAM bytes (loop_tiling.h). Every tile is moved whole, also
// where A has no nonzero in it. Level `analytic` is a bound: every byte once, all multipliers busy. Level
// `tile` is one event a tile: DRAM moves the next one while this one is multiplied.
// Not modelled: fusing the dense product with the aggregation (only aggregations are simulated), masks, and
// the array's pipeline.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/base/check.h"
#include "simulator/accelerators/gcnax/gcnax_pass.h"
#include "simulator/device/accounting.h"
#include "simulator/device/device_parts.h"
#include "simulator/graph/tiling.h"

namespace halo::sim::gcnax {
namespace {

constexpr double kMostTiles = 2e7;

constexpr Level kLevels[] = {Level::analytic, Level::tile};

constexpr Parameter kParameters[] = {
    kClock,
    {"macs", "multipliers, each with an adder", Integer{16, 1, 1 << 24}},
    {"macs_per_engine", "multipliers that work on one column of a tile together", Integer{16, 1, 1 << 24}},
    {"sparse_buffer_mb", "tiles of the matrix, 10^6 bytes", Real{0.064, 1e-6, 1e6}},
    {"dense_buffer_mb", "tiles of the dense operand, 10^6 bytes", Real{0.256, 1e-6, 1e6}},
    {"output_buffer_mb", "tiles of sums, 10^6 bytes", Real{0.256, 1e-6, 1e6}},
    peakOf("dram_gbps"),
    kMemory,
    kMemoryModel,
    kRowNumberBytes,
    kValueBytes,
    {"column_pointer_bytes", "of the begin of one column of a tile", Integer{4, 0, 16}},
    kTechnology,
    kBufferMacro,
    {"dram_pj_per_byte", "of DRAM, everything in it", Real{56, 0, 1e4}},
    {"chip_power_w", "of the chip without DRAM", Real{0.223, 0, 1e4}},
    kLeakage,
    kChipEnergy,
};

void account(const DeviceTask& task, DeviceResult& result) {
  const EnergyTable& table = task.library.energies;
  const double node = task.figures.real("technology_nm");
  const double sram = table.sramPjPerByte(task.figures.real("sram_macro_kb"), node);
  const double multiply = table.operationPj("fp32_multiply", node) + table.operationPj("fp32_add", node);
  const double dramByte = task.figures.real("dram_pj_per_byte");
  const auto stream = [&](std::size_t s) { return static_cast<double>(result.streams[s].value); };
  const auto bytes = [&](std::size_t e) { return static_cast<double>(result.components[e].bytes); };
  auto& components = result.components;
  components[kHbm].energyPj = static_cast<double>(result.dramBytes()) * dramByte;
  components[kMacs].energyPj =  // and the matrix's tiles in and out of their buffer
      static_cast<double>(result.operations) * multiply +
      2 * (stream(kNonzeroStream) + stream(kPointerStream)) * sram;
  components[kDenseBuffer].energyPj = (stream(kDenseStream) + bytes(kDenseBuffer)) * sram;
  components[kOutputBuffer].energyPj =
      (stream(kReadStream) + stream(kWriteStream) + bytes(kOutputBuffer)) * sram;
  result.factors.push_back({"dram_pj_per_byte", dramByte, "assumed: figure of the device"});
  result.factors.push_back({"multiply_add_pj", multiply, table.scaledSource("fp32_multiply", node)});
  result.factors.push_back({"sram_pj_per_byte", sram, table.scaledSource("sram_32kb_64bit", node)});
  accountEnergy(result, {task.figures.real("chip_power_w"), false}, task.figures.real("leakage_w"),
                task.figures.text("energy_mode") == "chip-power");
}

void addFactors(const LoopTiling& tiling, const SlicePass& pass, std::vector<Factor>& factors) {
  const std::string suffix = "_width_" + std::to_string(pass.width);
  const std::string from = "derived: fewest DRAM bytes of all tilings; loops " + text(tiling.order);
  constexpr const char* kFactors[] = {"tile_rows", "tile_inner", "tile_columns"};
  for (std::size_t l = 0; l < kLoops; ++l)
    factors.push_back({kFactors[l] + suffix, static_cast<double>(tiling.tile[l]), from});
}

[[noreturn]] void refuse(const char* key, const std::string& message) {
  throw InputError({.key = key, .message = message});
}

/// The tiling of a pass that can be walked.
LoopTiling tilingFor(const Gcnax& gcnax, const DeviceTask& task, const SlicePass& pass) {
  const auto tiling = gcnax.tilingOf(task.graph, pass.width);
  if (!tiling)
    refuse("device.sparse_buffer_mb",
           "with device.dense_buffer_mb and device.output_buffer_mb has no room for a tile of this graph");
  double tiles = 1;
  for (const std::int64_t trips : tiling->trips(productOf(task.graph, pass.width)))
    tiles *= static_cast<double>(trips);
  if (tiles > kMostTiles)
    refuse(
        "device.output_buffer_mb",
        "with device.dense_buffer_mb and device.sparse_buffer_mb cuts this graph into more than 20 million "
        "tiles; larger buffers, more slices, or level = \"analytic\"");
  return *tiling;
}

/// As if all passes were like this one.
void refuseLarge(const Gcnax& gcnax, const DeviceTask& task, const Result& result) {
  double bytes = 0;
  for (const std::int64_t stream : result.bytes) bytes += static_cast<double>(stream);
  const auto passes = static_cast<double>(task.passes.size());
  const double cycles = 2 * bytes / gcnax.peakBytesPerCycle + static_cast<double>(result.additions);
  refuseBeyondCounting(passes * bytes, passes * cycles, "freq_mhz", "device.dram_gbps");
}

void refuseTaskOfGcnax(const DeviceTask& task) {
  const Gcnax gcnax(task.figures, task.library);
  std::set<std::int64_t> widths;  // passes of one width are alike
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0 || !widths.insert(pass.width).second) continue;
    refuseLarge(gcnax, task, boundOf(gcnax, pass, task.graph));
    if (task.level == Level::tile && task.graph.nonzeros > 0) tilingFor(gcnax, task, pass);
  }
}

DeviceResult simulateGcnax(const DeviceTask& task) {
  refuseTaskOfGcnax(task);
  const Gcnax gcnax(task.figures, task.library);
  DeviceResult result = nothingDone(kNames, kStreamNames);
  result.factors = {{"dram_stream_share", gcnax.dram.streamShare(),
                     "derived: refreshes of " + task.figures.text("memory")}};
  std::map<std::int64_t, Result> resultOfWidth;  // passes of one width are alike
  for (const SlicePass& pass : task.passes) {
    if (pass.width == 0 || task.graph.nonzeros == 0) continue;
    auto entry = resultOfWidth.find(pass.width);
    if (entry == resultOfWidth.end()) {
      if (task.level == Level::analytic) {
        entry = resultOfWidth.emplace(pass.width, boundOf(gcnax, pass, task.graph)).first;
      } else {
        const LoopTiling tiling = tilingFor(gcnax, task, pass);
        addFactors(tiling, pass, result.factors);
        entry = resultOfWidth.emplace(pass.width, tilePass(gcnax, pass, task.graph, tiling)).first;
        refuseLarge(gcnax, task, entry->second);
      }
    }
    append(entry->second, kNames, pass, result);
  }
  result.ns = static_cast<double>(result.cycles) / gcnax.hz * 1e9;
  account(task, result);
  return result;
}

std::vector<Problem> refuseGcnax(const Values& figures, const Library& library, std::span<const SlicePass>) {
  if (auto problem = unknownMemory(figures, library)) return {std::move(*problem)};
  const Gcnax gcnax(figures, library);
  std::vector<Problem> problems;
  const auto needs = [&](const char* key, double room, std::int64_t bytes, const char* content) {
    if (room < static_cast<double>(bytes))
      problems.push_back(
          {.key = key, .message = std::string("holds less than ") + content + " in each half; more bytes"});
  };
  needs("sparse_buffer_mb", gcnax.room.sparse, gcnax.bytes.nonzero + gcnax.bytes.pointer,
        "one nonzero and its column's begin");
  needs("dense_buffer_mb", gcnax.room.dense, gcnax.bytes.feature, "one element");
  needs("output_buffer_mb", gcnax.room.sums, gcnax.bytes.feature, "one sum");
  return problems;
}

Matrix executeGcnax(const Values& figures, const Library& library, const CsrRows& A, const Matrix& H,
                    std::span<const std::uint8_t> mask) {
  HALO_CHECK(!A.weighted() && A.cols == H.rows());
  Matrix sums;
  sums.setZero(A.rows(), H.cols());
  if (H.cols() == 0 || A.rows() == 0) return sums;
  const Graph graph{A.rows(), A.nonzeros(), 1, A};
  const auto tiling = Gcnax(figures, library).tilingOf(graph, H.cols());
  HALO_CHECK(tiling.has_value());
  const Product product = productOf(graph, H.cols());
  const std::array<std::int64_t, kLoops> trips = tiling->trips(product);
  std::array<std::int64_t, kLoops> now{};
  const auto begin = [&](std::int64_t count, std::size_t loop, std::int64_t after) {
    return static_cast<Index>(partBegin(count, trips[loop], now[loop] + after));
  };
  const auto multiply = [&] {
    const Index firstSource = begin(product.inner, 1, 0), endSource = begin(product.inner, 1, 1);
    const Index firstColumn = begin(product.columns, 2, 0), endColumn = begin(product.columns, 2, 1);
    for (Index r = begin(product.rows, 0, 0); r < begin(product.rows, 0, 1); ++r) {
      const auto row = A.row(r);
      for (auto v = std::ranges::lower_bound(row, firstSource); v != row.end() && *v < endSource; ++v)
        for (Index c = firstColumn; c < endColumn; ++c) sums(r, c) += H(*v, c);
    }
  };
  const auto at = [&](std::size_t loop) { return static_cast<std::size_t>(tiling->order[loop]); };
  const std::size_t a = at(0), b = at(1), c = at(2);
  for (now[a] = 0; now[a] < trips[a]; ++now[a])
    for (now[b] = 0; now[b] < trips[b]; ++now[b])
      for (now[c] = 0; now[c] < trips[c]; ++now[c]) multiply();
  keepWanted(mask, sums);
  return sums;
}

Values scaledGcnax(const Values& figures, double share) {
  Values scaled = figures;
  for (const char* key :
       {"sparse_buffer_mb", "dense_buffer_mb", "output_buffer_mb", "dram_gbps", "chip_power_w", "leakage_w"})
    scaled.find(key)->second = figures.real(key) * share;
  scaled.find("macs")->second =
      std::max<std::int64_t>(1, std::llround(static_cast<double>(figures.integer("macs")) * share));
  return scaled;
}

Roof roofOfGcnax(const Values& figures) {
  return {static_cast<double>(figures.integer("macs")) * figures.real("freq_mhz") * 1e6,
          figures.real("dram_gbps") * 1e9};
}

const Registered<AcceleratorEntry> self{
    {.declaration = {"gcnax",
                     "GCNAX: outer products, tiles and order of loops searched for the fewest DRAM bytes",
                     "Li et al., HPCA 2021", kParameters},
     .levels = kLevels,
     .refuse = refuseGcnax,
     .refuseTask = refuseTaskOfGcnax,
     .scaled = scaledGcnax,
     .execute = executeGcnax,
     .simulate = simulateGcnax,
     .roof = roofOfGcnax}};

}  // namespace
}  // namespace halo::sim::gcnax
