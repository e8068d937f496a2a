// How fast blocks of a graph are counted on one core: nonzeros a second for rows of 16 bytes (several a
// line), 40 and 76 bytes (one or two lines, two or three), windows of all, a fortieth and a four-hundredth of
// the rows.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "datasets/generate/generate_arcs.h"
#include "simulator/graph/tiling.h"

namespace {

using namespace halo;

/// Of this core's work alone: others on the machine do not count.
double seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Csr graphOf(Index vertices, double degree) {
  GraphShape shape;
  shape.generator = "community";
  shape.vertices = vertices;
  shape.averageDegree = degree;
  shape.maxDegree = 4000;
  shape.homophily = 0.01;
  shape.classes = 2;
  shape.directed = true;
  return plantCommunities(shape, planGraph(shape, 1), 1, {}, 0).arcs;
}

}  // namespace

int main() {
  for (const auto& [vertices, degree] : {std::pair<Index, double>{200'000, 100}, {2'000'000, 10}}) {
    const Csr matrix = graphOf(vertices, degree);
    const sim::Graph graph{matrix.rows(), matrix.nonzeros(), 1, &matrix};
    for (const std::int64_t rowBytes : {16, 40, 76})
      for (const std::int64_t parts : {1, 40, 400}) {
        std::vector<double> rates;
        std::int64_t lines = 0;
        for (int repeat = 0; repeat < 10; ++repeat) {
          const double begin = seconds();
          sim::forEachTile(graph, {vertices / parts, vertices / parts, rowBytes, 64},
                           [&](const sim::Tile& tile) {
                             for (const sim::Block& block : tile.blocks) lines += block.lines;
                           });
          rates.push_back(static_cast<double>(matrix.nonzeros()) / (seconds() - begin) * 1e-6);
        }
        std::ranges::nth_element(rates, rates.begin() + 5);
        std::printf(
            "%9lld vertices, %9lld nonzeros, %2lld bytes a row, %3lld x %3lld blocks: %6.0f million/s "
            "(%lld)\n",
            static_cast<long long>(vertices), static_cast<long long>(matrix.nonzeros()),
            static_cast<long long>(rowBytes), static_cast<long long>(parts), static_cast<long long>(parts),
            rates[5], static_cast<long long>(lines % 10));
      }
  }
}
