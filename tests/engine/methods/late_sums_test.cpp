// From which epoch on distgnn's late sums are exact once weights stand still: the schedule of cd-r
// followed message by message, with a flag in place of each row that says whether it is the exact one. Two
// workers; each vertex has its root at one of them and its leaf at the other.
#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "engine/base/philox.h"

namespace {

struct Vertex {
  int bin = 0, root = 0;                    // worker of the root
  std::array<std::vector<int>, 2> sources;  // whose rows it sums at each worker
};

struct Schedule {
  int epochs, layers;
  std::vector<Vertex> vertices;
};

/// What has come of one layer's sums, by vertex.
struct Received {
  std::vector<bool> up, down;            // latest used: at the root, at the leaf
  std::vector<bool> upOnWay, downOnWay;  // sent when the bin last had its turn
};

/// The first epoch from which on the roots' outputs of the last layer are all exact.
int exactFrom(const Schedule& s) {
  const std::size_t n = s.vertices.size();
  const std::vector<bool> no(n, false);
  std::vector<Received> received(static_cast<std::size_t>(s.layers), {no, no, no, no});
  const int last = 3 * s.epochs * s.layers + s.epochs;
  int from = 0;
  for (int epoch = 0; epoch < last; ++epoch) {
    std::array<std::vector<bool>, 2> rows;  // by worker
    rows.fill(std::vector<bool>(n, true));  // what enters layer 0 never changes
    bool outputs = true;
    for (Received& r : received) {
      std::array<std::vector<bool>, 2> next = {no, no};
      outputs = true;
      for (std::size_t v = 0; v < n; ++v) {
        const Vertex& vertex = s.vertices[v];
        const auto own = [&](std::size_t worker) {
          for (const int u : vertex.sources[worker])
            if (!rows[worker][static_cast<std::size_t>(u)]) return false;
          return true;
        };
        const auto root = static_cast<std::size_t>(vertex.root), leaf = 1 - root;
        const bool turn = epoch % s.epochs == vertex.bin;
        if (turn) r.up[v] = r.upOnWay[v], r.down[v] = r.downOnWay[v];
        next[root][v] = own(root) && r.up[v];
        next[leaf][v] = r.down[v];
        if (turn) r.upOnWay[v] = own(leaf), r.downOnWay[v] = next[root][v];
        outputs = outputs && next[root][v];
      }
      rows = next;
    }
    if (!outputs) from = epoch + 1;
  }
  return from;
}

/// Every sum takes in every vertex's row; every bin has some.
Schedule densest(int epochs, int layers) {
  Schedule s{epochs, layers, {}};
  const int n = 2 * epochs;
  std::vector<int> all;
  for (int v = 0; v < n; ++v) all.push_back(v);
  for (int v = 0; v < n; ++v) s.vertices.push_back({v % epochs, v / epochs, {all, all}});
  return s;
}

Schedule randomSchedule(int epochs, int layers, std::uint64_t seed) {
  halo::PhiloxStream random(seed, halo::Purpose::shuffle, 5);
  const auto below = [&](int count) {
    return static_cast<int>(random.below(static_cast<std::uint64_t>(count)));
  };
  Schedule s{epochs, layers, {}};
  const int n = 2 + below(8);
  for (int v = 0; v < n; ++v) {
    Vertex vertex{below(epochs), below(2), {}};
    for (auto& sources : vertex.sources)
      for (int k = below(4); k > 0; --k) sources.push_back(below(n));
    s.vertices.push_back(std::move(vertex));
  }
  return s;
}

int bound(int epochs, int layers) { return 3 * epochs * layers - epochs - layers; }

}  // namespace

TEST_CASE(
    "late sums become exact in epoch 3rL - r - L at the latest, and not before where all depends on all",
    "[distgnn]") {
  for (int layers = 1; layers <= 4; ++layers)
    for (int epochs = 1; epochs <= 5; ++epochs) {
      CAPTURE(layers, epochs);
      CHECK(exactFrom(densest(epochs, layers)) == bound(epochs, layers));
      for (std::uint64_t seed = 0; seed < 40; ++seed)
        CHECK(exactFrom(randomSchedule(epochs, layers, seed)) <= bound(epochs, layers));
    }
}

TEST_CASE("the bound of 2rL + r - 1 epochs is exceeded from three layers on", "[distgnn]") {
  const auto theirs = [](int epochs, int layers) { return 2 * epochs * layers + epochs - 1; };
  for (int epochs = 1; epochs <= 5; ++epochs) {
    CHECK(exactFrom(densest(epochs, 1)) <= theirs(epochs, 1));
    CHECK(exactFrom(densest(epochs, 2)) <= theirs(epochs, 2));
  }
  CHECK(exactFrom(densest(3, 3)) == 21);
  CHECK(theirs(3, 3) == 20);
}
