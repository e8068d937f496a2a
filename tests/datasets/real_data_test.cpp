// Every graph of the shared collection that is in a format we read loads with the counts of its README.

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <vector>

#include "datasets/load.h"
#include "engine/base/problem.h"
#include "tests/datasets/own_cache.h"
#include "tests/support/shared_data.h"

using namespace halo;

namespace {

struct Expected {
  const char* path;
  Index vertices, edges;  // undirected, without loops
  Index features = 0;     // 0: none in the files, generated and marked
  std::int32_t classes = 0;
  std::vector<Index> perClass = {};
  std::vector<Index> split = {};  // train, valid, test
  const char* format = "";
};

const Expected kExpected[] = {
    {"amazon-photo", 7650, 119081, 745, 8, {369, 1686, 703, 915, 882, 823, 1941, 331}},
    {"as-caida", 26475, 53381},
    {"blogcatalog-attributed", 5196, 171743, 8189, 6, {885, 777, 921, 858, 892, 863}},
    {"blogcatalog-multilabel", 10312, 333983, 0, 39},
    {"ca-astroph", 17903, 196972},
    {"cit-hepph", 34546, 420877},
    {"coauthor-cs",
     18333,
     81894,
     6805,
     15,
     {708, 462, 2050, 429, 1394, 2193, 371, 924, 775, 118, 1444, 2033, 420, 4136, 876}},
    {"collab-metis/astro-ph.graph", 16706, 121251},
    {"collab-metis/hep-th.graph", 8361, 15751},
    {"collab-metis/power.graph", 4941, 6594},
    {"collab-metis/PGPgiantcompo.graph", 10680, 24316},
    {"cora", 2708, 5278, 1433, 7, {351, 217, 418, 818, 426, 298, 180}, {140, 500, 1000}},
    {"cora/cora_planetoid.npz", 2708, 5278, 1433, 7, {351, 217, 418, 818, 426, 298, 180}},
    {"cora/gnn-benchmark/cora.npz", 2708, 5278, 1433, 7},
    {"cora/graphsage", 2708, 5278, 0, 7, {}, {1500, 500, 708}},
    {"dblp", 17716, 52867, 1639, 4, {7920, 5645, 1982, 2169}},
    {"ego-twitter", 81306, 1342296},
    {"ego-twitter/edges.zip", 81306, 1342296},
    {"email-eu-core", 1005, 16064, 0, 42},
    {"facebook-combined", 4039, 88234},
    {"facebook-pages", 22470, 170823, 4714, 4, {6495, 6880, 5768, 3327}},
    {"film", 7600, 26659, 931, 5, {853, 1337, 1630, 1815, 1965}, {3648, 2432, 1520}},
    {"github-social", 37700, 289003, 0, 2, {27961, 9739}},
    {"mesh-walshaw/wing.graph", 62032, 121544},
    {"mesh-walshaw/4elt.graph", 15606, 45878},
    {"p2p-gnutella08", 6301, 20777},
    {"pubmed", 19717, 44324, 0, 3, {4103, 7739, 7875}, {60, 500, 1000}},
    {"pubmed/pubmed_planetoid_no-attr.npz", 19717, 44324, 0, 3, {4103, 7739, 7875}},
    {"road-dimacs9/NY.gr.xz", 264346, 365050},
    {"road-dimacs9/FLA.gr.xz", 1070376, 1343951},
    {"road-dimacs9/NE.gr.xz", 1524453, 1934010},
    {"road-usroads/road-euroroad.mtx", 1174, 1417},
    {"small-classics/karate.gml", 34, 78},
    {"small-classics/dolphins.gml", 62, 159},
    {"small-classics/lesmis.gml", 77, 254},
    {"small-classics/football.gml", 115, 613, 0, 12, {9, 8, 11, 12, 10, 5, 13, 8, 10, 12, 7, 10}},
    {"small-classics/polbooks.gml", 105, 441, 0, 3, {49, 43, 13}},
    {"soc-slashdot0902", 82168, 504230},
    {"twitch-de", 9498, 153138, 3170, 2, {3756, 5742}},
    {"web-notredame", 325729, 1090108},
    {"webkb-texas", 183, 279, 1703, 5, {33, 1, 18, 101, 30}, {87, 59, 37}},
    {"wiki-vote", 8298, 100762},
    {"wikipedia-squirrel", 5201, 198353, 3148, 0},
};

bool marked(const Dataset& set, const std::string& mark) {
  return std::find(set.marks.begin(), set.marks.end(), mark) != set.marks.end();
}

void checkCounts(const Dataset& set, const Expected& expected) {
  CHECK(set.vertices() == expected.vertices);
  CHECK(set.arcs.nonzeros() == 2 * expected.edges);
  CHECK(selfLoops(set.arcs) == 0);
  CHECK(isSymmetric(set.arcs));
  CHECK(set.features.rows() == expected.vertices);
  CHECK(marked(set, "generated features") == (expected.features == 0));
  if (expected.features > 0) CHECK(set.features.cols() == expected.features);
  CHECK(marked(set, "generated labels") == (expected.classes == 0));
  if (expected.classes > 0) CHECK(set.classes == expected.classes);
  for (std::size_t c = 0; c < expected.perClass.size(); ++c)
    CHECK(std::count(set.labels.begin(), set.labels.end(), static_cast<std::int32_t>(c)) ==
          expected.perClass[c]);
  CHECK(marked(set, "generated split") == expected.split.empty());
  if (!expected.split.empty())
    CHECK(std::vector<Index>{set.count(Split::train), set.count(Split::valid), set.count(Split::test)} ==
          expected.split);
}

Dataset load(const std::filesystem::path& path) {
  DatasetRequest request;
  request.name = path.string();
  return loadDataset(request);
}

Index sumOf(const Matrix& matrix) {
  double sum = 0;
  for (const Scalar value : matrix.values()) sum += static_cast<double>(value);
  return static_cast<Index>(sum);
}

}  // namespace

namespace {

/// Edges above which a graph takes seconds to read and is left for a night.
constexpr Index kLarge = 600'000;

void countRealGraphs(bool large) {
  const OwnCache scratch;
  for (const Expected& expected : kExpected) {
    if ((expected.edges > kLarge) != large) continue;
    const auto path = sharedData(std::string("data/") + expected.path);
    if (path.empty()) continue;
    CAPTURE(expected.path);
    checkCounts(load(path), expected);
    std::filesystem::remove_all(scratch.cache());
  }
}

}  // namespace

TEST_CASE("every real graph in a format we read has the counts of its README", "[real]") {
  countRealGraphs(false);
}

TEST_CASE("every large real graph in a format we read has the counts of its README", "[.nightly]") {
  countRealGraphs(true);
}

TEST_CASE("real features and label sets have the sums of their READMEs", "[real]") {
  const OwnCache scratch;
  // film lists 40987 features: 10 of them twice and 6 with the number 0, which its header does not count
  const std::pair<const char*, Index> sums[] = {
      {"cora", 49216}, {"film", 40987 - 10 - 6}, {"webkb-texas", 15266}};
  for (const auto& [name, sum] : sums)
    if (const auto path = sharedData(std::string("data/") + name); !path.empty())
      CHECK(sumOf(load(path).features) == sum);
  if (const auto path = sharedData("data/blogcatalog-multilabel"); !path.empty()) {
    const Dataset set = load(path);
    CHECK(set.multiLabel());
    CHECK(sumOf(set.multiLabels) == 14476);
  }
}

TEST_CASE("two forms of Cora hold the same graph, features and labels", "[real]") {
  const OwnCache scratch;
  const auto folder = sharedData("data/cora");
  if (folder.empty()) return;
  const Dataset csv = load(folder), npz = load(folder / "cora_planetoid.npz");
  CHECK(csv.arcs.columns == npz.arcs.columns);
  CHECK(csv.labels == npz.labels);
  CHECK(
      std::equal(csv.features.values().begin(), csv.features.values().end(), npz.features.values().begin()));
  CHECK(std::count(csv.remarks.begin(), csv.remarks.end(),
                   "not read: cora_planetoid.npz (its form is that of npz)") == 1);
}

TEST_CASE("the flags of ego-Twitter fit as features and the factions of the karate club as labels",
          "[real]") {
  const OwnCache scratch;
  if (const auto folder = sharedData("data/ego-twitter"); !folder.empty()) {
    DatasetRequest request;
    request.name = (folder / "edges.zip").string();
    request.features = (folder / "attributes.zip").string();
    const Dataset set = loadDataset(request);
    CHECK(set.features.cols() == 1007);
    CHECK(sumOf(set.features) == 192641);
  }
  if (const auto folder = sharedData("data/small-classics"); !folder.empty()) {
    DatasetRequest request;
    request.name = (folder / "karate.gml").string();
    request.labels = (folder / "karate-faction.csv").string();
    const Dataset set = loadDataset(request);
    CHECK(set.classes == 2);
    CHECK(std::count(set.labels.begin(), set.labels.end(), 0) == 17);
  }
}

TEST_CASE("the damaged size line of road-usroads is refused and without its blot the graph is whole",
          "[real]") {
  const OwnCache scratch;
  const auto file = sharedData("data/road-usroads/road-usroads.mtx");
  if (file.empty()) return;
  CHECK_THROWS_WITH(load(file),
                    file.string() + ":15:8: '129164%' is not a whole number; the number of columns");
  std::ifstream in(file);
  std::stringstream bytes;
  bytes << in.rdbuf();
  std::string text = bytes.str();
  text.erase(text.find("129164%") + 6, 1);
  checkCounts(load(scratch.write("usroads.mtx", text)), {"road-usroads", 129164, 165435});
}

TEST_CASE("the part of ogbn-arxiv that is there is refused with what is missing", "[real]") {
  const OwnCache scratch;
  const auto folder = sharedData("data/ogbn-arxiv-partial");
  if (folder.empty()) return;
  CHECK_THROWS_WITH(load(folder),
                    (folder / "raw" / "edge.csv.gz").string() + ": is missing; the OGB layout needs it");
}

TEST_CASE("a folder with several graphs of one format asks for one of them", "[real]") {
  const OwnCache scratch;
  const auto folder = sharedData("data/road-dimacs9");
  if (folder.empty()) return;
  CHECK_THROWS_WITH(load(folder),
                    "dataset.path: " + folder.string() +
                        ": several files are in the format pace (FLA.gr.xz, NE.gr.xz, NY.gr.xz); name one");
}
