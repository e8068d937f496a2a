// A slow, obvious second opinion on level `tile` of the SPU: every block's lines as a set, the course of a
// pass written out as a list of what happens one after the other, memory and adders by their formulas.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

struct Drawn {
  Csr matrix;
  std::int64_t width = 1;
  bool masked = true, twice = true;
  double nodeMb = 1, outputMb = 1, mhz = 500, gbps = 1024;
  std::int64_t line = 64, indexBytes = 4, countBytes = 2, decode = 1024;
};

Drawn drawn(std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 23);
  const auto pick = [&](auto... from) {
    const std::array all{from...};
    return all[random.below(all.size())];
  };
  const Index vertices = pick(1, 2, 7, 40, 150, 400);
  Drawn d;
  d.matrix = randomDirected(vertices, vertices * pick(1, 3, 8), seed);
  d.width = pick(1, 4, 5, 16, 40);
  d.masked = pick(true, false);
  d.twice = pick(true, true, false);
  d.nodeMb = pick(0.001, 0.002, 0.01, 1.0);
  d.outputMb = pick(0.001, 0.003, 0.02, 1.0);
  d.mhz = pick(500.0, 1000.0);
  d.gbps = pick(64.0, 1024.0, 100.0, 3.0);
  d.line = pick(32, 64, 128);
  d.indexBytes = pick(4, 8);
  d.countBytes = pick(2, 4);
  d.decode = pick(1, 4, 1024);
  return d;
}

DeviceResult simulated(const Drawn& d) {
  const std::map<std::string, Value> other = {{"node_buffer_mb", d.nodeMb},
                                              {"output_buffer_mb", d.outputMb},
                                              {"freq_mhz", d.mhz},
                                              {"hbm_gbps", d.gbps},
                                              {"line_bytes", d.line},
                                              {"index_bytes", d.indexBytes},
                                              {"row_count_bytes", d.countBytes},
                                              {"decoder_edges_per_cycle", d.decode},
                                              {"buffering", std::string(d.twice ? "double" : "single")},
                                              {"efficiencies", std::string("figures")}};
  const Graph graph{d.matrix.rows(), d.matrix.nonzeros(), 1, &d.matrix};
  return find<AcceleratorEntry>("spu")->simulate(
      {deviceFigures("spu", other), library(), graph, {{0, Pass::forward, d.width, d.masked}}, Level::tile});
}

std::int64_t upTo(double value) { return static_cast<std::int64_t>(std::ceil(value - 1e-6)); }
std::int64_t dividedUp(std::int64_t total, std::int64_t parts) { return (total + parts - 1) / parts; }

struct Work {
  std::int64_t nonzeros = 0, index = 0, rows = 0;
  double opened = 0;        // rows of DRAM
  bool scattered = false;   // not every line of the window is wanted
  std::int64_t leaves = 0;  // what may leave when this is done: the sums of a tile that ends here, its mask
};

/// HBM2: channels of 32 GB/s, pages of 1 KB, 16 banks; 28 ns until the first burst.
std::int64_t memory(const Drawn& d, std::int64_t streamed, const Work* brought) {
  double bytes = static_cast<double>(streamed), pages = bytes / 1024;
  if (brought != nullptr) {
    bytes += static_cast<double>(brought->rows);
    pages += brought->scattered ? brought->opened : static_cast<double>(brought->rows) / 1024;
  }
  if (bytes == 0) return 0;
  const double onChannel = pages / (d.gbps / 32);
  const double ns = std::max({bytes / d.gbps, onChannel * 30 / 4, onChannel * 48 / 16}) / (1 - 260.0 / 3900);
  return upTo((28 + ns) * d.mhz * 1e-3);
}

std::vector<Work> workOf(const Drawn& d) {
  const std::int64_t n = d.matrix.rows(), rowBytes = 4 * d.width;
  const double halves = d.twice ? 2 : 1;
  const auto tileRows =
      static_cast<std::int64_t>(std::min(d.outputMb * 1e6 / halves / static_cast<double>(rowBytes),
                                         4e6 / halves * 8 / static_cast<double>(d.width)));
  const auto windowRows = static_cast<std::int64_t>(d.nodeMb * 1e6 / halves / static_cast<double>(rowBytes));
  const std::int64_t tiles = dividedUp(n, tileRows), windows = dividedUp(n, windowRows);
  std::vector<Work> all;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const std::int64_t first = n * t / tiles, last = n * (t + 1) / tiles;
    bool any = false;
    for (std::int64_t w = 0; w < windows; ++w) {
      const std::int64_t begin = n * w / windows, end = n * (w + 1) / windows;
      Work work;
      std::set<std::int64_t> lines;
      for (std::int64_t row = first; row < last; ++row)
        for (const Vertex v : d.matrix.row(static_cast<Index>(row))) {
          if (v < begin || v >= end) continue;
          ++work.nonzeros;
          for (std::int64_t byte = (v - begin) * rowBytes; byte < (v - begin + 1) * rowBytes; ++byte)
            lines.insert(byte / d.line);
        }
      if (work.nonzeros == 0) continue;
      const std::int64_t touched = std::ssize(lines), allLines = dividedUp((end - begin) * rowBytes, d.line);
      const double perPage = std::min(1024.0 / static_cast<double>(d.line), static_cast<double>(allLines));
      const double share = static_cast<double>(touched) / static_cast<double>(allLines);
      work.index = d.indexBytes * work.nonzeros + d.countBytes * (last - first);
      work.rows = std::min((end - begin) * rowBytes, touched * d.line);
      work.scattered = touched < allLines;
      work.opened = std::min(static_cast<double>(touched),
                             static_cast<double>(allLines) / perPage * (1 - std::pow(1 - share, perPage)));
      all.push_back(work);
      any = true;
    }
    const std::int64_t outputs = (last - first) * d.width;
    if (any) all.back().leaves = 4 * outputs + (d.masked ? dividedUp(outputs, 8) : 0);
  }
  return all;
}

/// A tile's sums are written beside the block after the one that completes them; of the last tile alone.
std::int64_t cyclesOf(const Drawn& d, const std::vector<Work>& work) {
  if (work.empty()) return 0;
  const std::int64_t throughTrees = 2 * 14;
  const auto summing = [&](const Work& block) {
    const std::int64_t rowsOfTree = 16384 / d.width;  // by themselves
    return std::max({dividedUp(block.nonzeros, d.decode), dividedUp(block.nonzeros, 65536 / (4 * d.width)),
                     dividedUp(block.nonzeros, rowsOfTree), dividedUp(block.nonzeros * d.width, 16384)}) +
           throughTrees;
  };
  std::int64_t cycles = memory(d, 0, &work[0]);
  for (std::size_t k = 0; k < work.size(); ++k) {
    const std::int64_t written = k > 0 ? work[k - 1].leaves : 0;
    const Work* next = k + 1 < work.size() ? &work[k + 1] : nullptr;
    cycles += std::max(summing(work[k]), memory(d, work[k].index + written, d.twice ? next : nullptr));
    if (next != nullptr && !d.twice) cycles += memory(d, 0, next);
  }
  return cycles + memory(d, work.back().leaves, nullptr);
}

}  // namespace

TEST_CASE("no sum is written before its tile's last block has been added", "[simulator]") {
  int severalTiles = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Drawn d = drawn(seed);
    const std::vector<Work> work = workOf(d);
    const DeviceResult result = simulated(d);
    CAPTURE(seed, d.matrix.rows(), d.width, d.twice, work.size());
    CHECK(result.cycles == cyclesOf(d, work));
    std::int64_t bytes = 0, nonzeros = 0, tiles = 0;
    for (const Work& block : work) {
      bytes += block.index + block.rows + block.leaves;
      nonzeros += block.nonzeros;
      tiles += block.leaves > 0 ? 1 : 0;
    }
    CHECK(result.dramBytes() == bytes);
    CHECK(result.operations == nonzeros * d.width);
    severalTiles += tiles > 1 ? 1 : 0;
  }
  CHECK(severalTiles > 10);
}
