#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "datasets/load.h"
#include "tests/datasets/own_cache.h"
#include "tests/support/places.h"

using namespace halo;

namespace {

const std::string kGood = std::string(kSourceDir) + "/tests/data/good/";

Dataset load(const std::string& path, bool directed = false) {
  DatasetRequest request;
  request.name = path;
  request.directed = directed;
  return loadDataset(request);
}

std::vector<Vertex> rowOf(const Dataset& set, Index row) {
  return {set.arcs.row(row).begin(), set.arcs.row(row).end()};
}

bool says(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

TEST_CASE("lines may end as on Windows and what is missing is generated and marked", "[formats]") {
  const OwnCache cache;
  const Dataset set = load(kGood + "crlf.txt");
  CHECK(set.vertices() == 3);
  CHECK(set.arcs.nonzeros() == 6);
  CHECK(set.marks == std::vector<std::string>{"generated features", "generated labels", "generated split"});
  CHECK(set.features.cols() == 64);
  CHECK(set.classes == 3);
  CHECK(set.count(Split::train) == 1);
  CHECK(says(set.remarks, "read as edge-list: " + kGood + "crlf.txt"));
}

TEST_CASE("vertex numbers with gaps are renumbered in ascending order and that is remarked", "[formats]") {
  const OwnCache cache;
  const Dataset set = load(kGood + "gaps.csv", /*directed=*/true);
  REQUIRE(set.vertices() == 3);  // 5, 70, 1000000
  CHECK(set.directed);
  CHECK(rowOf(set, 0) == std::vector<Vertex>{2});  // 1000000 → 5
  CHECK(rowOf(set, 1) == std::vector<Vertex>{0});  // 5 → 70
  CHECK(rowOf(set, 2).empty());
  CHECK(
      says(set.remarks, "vertex numbers have gaps (3 up to 1000000); renumbered from 0 in ascending order"));
  CHECK(says(set.remarks,
             "columns after the second (weights, times) are not used: every edge counts the same"));
}

TEST_CASE("sizes and weights of a METIS file are read over", "[formats]") {
  const OwnCache cache;
  const Dataset set = load(kGood + "weights.metis");
  CHECK(set.vertices() == 3);
  CHECK(rowOf(set, 1) == std::vector<Vertex>{0, 2});
  CHECK(says(set.remarks, "sizes and weights of the METIS file are not read"));
}

TEST_CASE("both spellings of an npz bundle hold graph, features and labels, stored or deflated",
          "[formats]") {
  const OwnCache cache;
  const std::string name = GENERATE(as<std::string>(), "stored.npz", "dotted.npz");
  CAPTURE(name);
  const Dataset set = load(kGood + name);
  CHECK(set.vertices() == 2);
  CHECK(set.arcs.nonzeros() == 2);
  CHECK(set.features.cols() == 3);
  CHECK(set.features(0, 0) == 1);
  CHECK(set.features(1, 1) == 2);
  CHECK(set.features(1, 2) == 0);
  CHECK(set.labels == std::vector<std::int32_t>{0, 1});
}

TEST_CASE("an entry of a matrix is an arc from its row to its column", "[formats]") {
  const OwnCache cache;
  const Dataset set = load(kGood + "skew.mtx", /*directed=*/true);
  CHECK(rowOf(set, 0).empty());
  CHECK(rowOf(set, 1) == std::vector<Vertex>{0});
  CHECK(rowOf(set, 2) == std::vector<Vertex>{1});
  CHECK(says(set.remarks, "1 self loop removed"));
}

TEST_CASE("a GraphSAINT folder is read whole", "[formats]") {
  const OwnCache cache;
  const Dataset set = load(kGood + "saint");
  CHECK(set.vertices() == 2);
  CHECK(set.features(1, 1) == 4);
  CHECK(set.labels == std::vector<std::int32_t>{0, 1});
  CHECK(set.split == std::vector<Split>{Split::train, Split::valid});
  CHECK(set.marks.empty());
}

TEST_CASE("GraphSAGE files with text ids link by place and may have many labels", "[formats]") {
  const OwnCache cache;
  const Dataset set = load(kGood + "sage");
  CHECK(set.vertices() == 3);
  CHECK(rowOf(set, 0) == std::vector<Vertex>{2});  // a is row 2, c is row 0
  CHECK(set.multiLabel());
  CHECK(set.classes == 2);
  CHECK(set.multiLabels(2, 0) == 1);
  CHECK(set.multiLabels(0, 1) == 1);
  CHECK(set.split == std::vector<Split>{Split::test, Split::valid, Split::train});
  CHECK(set.features(0, 0) == 7);
}

TEST_CASE("repeated arcs are merged and loops removed with their numbers remarked", "[formats]") {
  const OwnCache cache;
  const auto path = cache.write("multi.txt", "0 1\n0 1\n1 1\n1 0\n2 2\n2 1\n");
  const Dataset set = load(path.string());
  CHECK(set.arcs.nonzeros() == 4);
  CHECK(says(set.remarks, "2 self loops removed"));
  CHECK(says(set.remarks, "1 repeated arc merged"));
  CHECK(isSymmetric(set.arcs));
}

TEST_CASE("of several forms in a folder the first of the order is taken and the others are named",
          "[formats]") {
  const OwnCache cache;
  cache.write("mixed/a.txt", "0 1\n");
  cache.write("mixed/b.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n");
  cache.write("mixed/README.md", "# About\nNot a graph.\n");
  const Dataset set = load(cache.path("mixed").string());
  CHECK(set.vertices() == 3);
  CHECK(says(set.remarks, "read as matrix-market: " + cache.path("mixed/b.mtx").string()));
  CHECK(says(set.remarks, "not read: a.txt (its form is that of edge-list)"));
}

TEST_CASE("features, labels and split of other files replace those of the set", "[formats]") {
  const OwnCache cache;
  DatasetRequest request;
  request.name = cache.write("g.txt", "0 1\n1 2\n2 3\n").string();
  request.features = cache.write("f.csv", "a,b\n1,2\n3,4\n5,6\n0,0\n").string();
  request.labels = cache.write("l.txt", "1\n2\n1\n2\n").string();
  request.split = cache.write("s.txt", "train\nvalid\ntest\nnone\n").string();
  request.normalizeFeatures = true;
  const Dataset set = loadDataset(request);
  CHECK(set.marks.empty());
  CHECK(set.features(1, 0) == Approx(3.0 / 7));
  CHECK(set.features(3, 0) == 0);
  CHECK(set.labels == std::vector<std::int32_t>{0, 1, 0, 1});
  CHECK(set.classes == 2);
  CHECK(set.split == std::vector<Split>{Split::train, Split::valid, Split::test, Split::none});
}

TEST_CASE("a generated split has three fifths, one fifth and the rest, the same for the same seed",
          "[formats]") {
  const OwnCache cache;
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + " " + std::to_string((i + 1) % 100) + "\n";
  DatasetRequest request;
  request.name = cache.write("ring.txt", text).string();
  const Dataset a = loadDataset(request);
  CHECK(a.count(Split::train) == 60);
  CHECK(a.count(Split::valid) == 20);
  CHECK(a.count(Split::test) == 20);
  request.seed = 2;
  const Dataset b = loadDataset(request);
  CHECK(a.split != b.split);
  CHECK(a.fingerprint != b.fingerprint);
}

TEST_CASE("a bundled set needs no file and a part of it can be replaced", "[formats]") {
  const OwnCache cache;
  DatasetRequest request;
  request.name = "karate";
  const Dataset set = loadDataset(request);
  CHECK(set.vertices() == 34);
  CHECK(set.arcs.nonzeros() == 156);
  std::string words;
  for (int v = 0; v < 34; ++v) words += v < 30 ? "train\n" : "test\n";
  request.split = cache.write("split.txt", words).string();
  const Dataset other = loadDataset(request);
  CHECK(other.count(Split::train) == 30);
  CHECK(other.arcs.columns == set.arcs.columns);
}
