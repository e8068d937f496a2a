// What `dataset convert` writes is read back equal, and what a format cannot keep is said.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "app/commands/dataset_files.h"
#include "datasets/load.h"
#include "engine/base/philox.h"
#include "tests/app/program.h"
#include "tests/datasets/own_cache.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

Dataset written(const OwnCache& own, const Dataset& set, const std::string& format) {
  const std::string name = format == "ogb" ? "set" : format == "metis" ? "set.graph" : "set.txt";
  for (const auto& [path, contents] : datasetFiles(set, format, own.path(name))) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    contents(out);
  }
  DatasetRequest request;
  request.name = own.path(name).string();
  request.format = format;
  request.directed = set.directed;
  return loadDataset(request);
}

/// A graph of up to 30 vertices, many of them isolated, with every part that a set may have.
Dataset anySet(std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 5);
  const auto n = static_cast<Index>(2 + random.below(29));
  Dataset set = datasetOf("any", n, randomArcs(n, static_cast<Index>(1 + random.below(40)), seed),
                          random.below(2) == 0);
  for (Index i = 0; i < set.features.size(); ++i)
    if (random.below(3) == 0)
      set.features.data()[i] = static_cast<Scalar>(std::pow(10, 60 * random.uniform() - 30));
  if (random.below(2) == 0) {
    set.labels.clear();
    set.multiLabels.setZero(n, 3);
    for (Scalar& label : set.multiLabels.values()) label = static_cast<Scalar>(random.below(2));
    set.multiLabels(0, 0) = set.multiLabels(0, 1) = 1;  // else columns may be one label each
  } else {
    set.labels.front() = 0;
    set.labels.back() = set.classes - 1;
  }
  for (Split& part : set.split) part = static_cast<Split>(random.below(4));
  for (std::size_t v = 1; v + 1 < set.labels.size(); ++v)
    if (set.split[v] == Split::none && random.below(2) == 0) set.labels[v] = -1;
  return set;
}

bool says(const std::vector<std::string>& lines, const std::string& part) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return holds(line, part); });
}

}  // namespace

TEST_CASE("every part of a set is read again from the ogb layout as it was written", "[convert]") {
  const auto seed = GENERATE(range(0, 60));
  CAPTURE(seed);
  const OwnCache own;
  const Dataset set = anySet(static_cast<std::uint64_t>(seed));
  const Dataset back = written(own, set, "ogb");
  CHECK(back.arcs.offsets == set.arcs.offsets);
  CHECK(back.arcs.columns == set.arcs.columns);
  CHECK(std::ranges::equal(back.features.values(), set.features.values()));
  CHECK(back.labels == set.labels);
  CHECK(std::ranges::equal(back.multiLabels.values(), set.multiLabels.values()));
  CHECK(back.classes == set.classes);
  CHECK(back.split == set.split);
  CHECK(back.marks.empty());
}

TEST_CASE("every graph is read again from matrix-market and metis, isolated vertices included", "[convert]") {
  const auto seed = GENERATE(range(0, 60));
  CAPTURE(seed);
  const OwnCache own;
  const Dataset set = anySet(static_cast<std::uint64_t>(seed));
  for (const std::string format : {"matrix-market", "metis"}) {
    if (format == "metis" && set.directed) continue;
    CAPTURE(format);
    const Dataset back = written(own, set, format);
    CHECK(back.arcs.offsets == set.arcs.offsets);
    CHECK(back.arcs.columns == set.arcs.columns);
  }
}

TEST_CASE("an edge list keeps a graph, or it is said that isolated vertices are not in it", "[convert]") {
  const auto seed = GENERATE(range(0, 60));
  CAPTURE(seed);
  const OwnCache own;
  const Dataset set = anySet(static_cast<std::uint64_t>(seed));
  if (set.arcs.nonzeros() == 0) return;
  const Dataset back = written(own, set, "edge-list");
  const bool same = back.arcs.offsets == set.arcs.offsets && back.arcs.columns == set.arcs.columns;
  CHECK((same || says(lossesOf(set, "edge-list"), "have no edge and stand on no line")));
  CHECK(back.arcs.nonzeros() == set.arcs.nonzeros());
}

TEST_CASE("what a format cannot keep is said, and nothing where it keeps all", "[convert]") {
  Dataset set = datasetOf("set", 5, {{1, 2}, {2, 3}}, false);
  set.labels = {0, 1, 2, 0, 1};
  CHECK(lossesOf(set, "ogb").empty());
  CHECK(
      says(lossesOf(set, "edge-list"), "2 of 5 vertices have no edge and stand on no line, the first is 0"));
  CHECK_FALSE(says(lossesOf(set, "metis"), "vertices have no edge"));
  CHECK(says(lossesOf(set, "metis"), "the graph alone was written"));
  set.marks = {"generated graph", "generated split"};
  CHECK(lossesOf(set, "ogb").empty());
  CHECK(says(lossesOf(set, "matrix-market"), "the marks are not kept: generated graph, generated split"));
  set.directed = true;
  CHECK(says(lossesOf(set, "ogb"), "directed = true"));
  set.labels = {1, 2, 1, 2, 1};
  CHECK(says(lossesOf(set, "ogb"), "class 0 of 0 to 2 has no vertex"));
  set.labels = {0, 1, 1, 0, 1};
  CHECK(says(lossesOf(set, "ogb"), "class 2 of 0 to 2 has no vertex"));
  set.labels.clear();
  set.multiLabels.setZero(5, 3);
  CHECK(says(lossesOf(set, "ogb"), "no vertex has two labels"));
  set.multiLabels(1, 0) = set.multiLabels(1, 2) = 1;
  CHECK_FALSE(says(lossesOf(set, "ogb"), "no vertex has two labels"));
}

TEST_CASE("info tells of a small set everything that people check", "[app]") {
  const Program haloscope;
  // 0 → 1 twice, 1 → 1, 1 → 2, 2 → 0; 3 – 4; 5 alone
  haloscope.file("s/raw/num-node-list.csv", "6\n");
  haloscope.file("s/raw/edge.csv", "0,1\n0,1\n1,1\n1,2\n2,0\n3,4\n");
  haloscope.file("s/raw/node-feat.csv", "1,2\n0,0\n-3,4\n0,0\n0.5,0\n2,2\n");
  haloscope.file("s/raw/node-label.csv", "0\n1\n1\n1\nnan\n2\n");
  haloscope.file("s/split/a/train.csv", "0\n1\n");
  haloscope.file("s/split/a/valid.csv", "2\n");
  haloscope.file("s/split/a/test.csv", "3\n");
  const auto info = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"dataset", "info", "s", "--json"});
    return jsonLines(haloscope(words).out).at(0);
  };
  const auto undirected = info({}), directed = info({"--directed"});
  const nlohmann::json both = {{"vertices", 6},
                               {"arcs_read", 6},
                               {"self_loops", 1},
                               {"repeated_arcs", 1},
                               {"isolated_vertices", 1},
                               {"components", 3},
                               {"largest_component_vertices", 3},
                               {"features", 2},
                               {"smallest_feature", -3.0},
                               {"largest_feature", 4.0},
                               {"zero_feature_rows", 2},
                               {"non_finite_features", 0},
                               {"classes", 3},
                               {"class_vertices", {1, 3, 1}},
                               {"smallest_class_vertices", 1},
                               {"largest_class_vertices", 3},
                               {"unlabelled_vertices", 1},
                               {"train_vertices", 2},
                               {"valid_vertices", 1},
                               {"test_vertices", 1},
                               {"unsplit_vertices", 2}};
  for (const auto& [key, value] : both.items()) {
    CAPTURE(key);
    CHECK(undirected.at(key) == value);
    CHECK(directed.at(key) == value);
  }
  CHECK(undirected.at("mean_feature").get<double>() == Approx(8.5 / 12));
  CHECK(undirected.at("arcs") == 8);
  CHECK(undirected.at("undirected_edges") == 4);
  CHECK(undirected.at("smallest_in_degree") == 0);
  CHECK(undirected.at("median_in_degree") == 1.5);
  CHECK(undirected.at("largest_in_degree") == 2);
  CHECK_FALSE(undirected.contains("largest_out_degree"));
  CHECK(directed.at("arcs") == 4);
  CHECK(directed.at("largest_in_degree") == 1);
  CHECK(directed.at("largest_out_degree") == 1);
  CHECK(directed.at("vertices_without_in_neighbours") == 2);
  CHECK_FALSE(directed.contains("undirected_edges"));
  const Ended summary = haloscope({"dataset", "info", "s"});
  CHECK(holds(summary.out, "repeated arcs"));
  CHECK(holds(summary.out, "1 repeated arc merged"));
  CHECK_FALSE(holds(summary.out, "class vertices  ["));
}
