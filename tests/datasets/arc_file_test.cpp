#include "datasets/arc_file.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "datasets/dataset_counts.h"
#include "datasets/load.h"
#include "engine/base/philox.h"
#include "engine/base/problem.h"
#include "tests/datasets/own_cache.h"

using namespace halo;

namespace {

bool same(const CsrRows& a, const CsrRows& b) {
  return a.cols == b.cols && std::ranges::equal(a.offsets, b.offsets) &&
         std::ranges::equal(a.columns, b.columns);
}

/// A text of random edges, loops and repetitions among them.
std::string randomEdges(Index vertices, Index edges, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 1);
  std::string text;
  const auto n = static_cast<std::uint64_t>(vertices);
  for (Index e = 0; e < edges; ++e)
    text += std::to_string(random.below(n)) + "\t" + std::to_string(random.below(n)) + "\n";
  return text + text.substr(0, text.find('\n') + 1);
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a streamed edge list has the arcs of the same list loaded", "[datasets]") {
  const OwnCache folder;
  const auto [name, text] = GENERATE(table<std::string, std::string>({
      {"small", "0 1\n1 2\n0 2\n"},
      {"loops", "0 0\n0 1\n1 0\n1 0\n2 2\n3 1\n"},
      {"from one", "# made by hand\n1 2 0.5 7\n2 3 1 8\n3 1 1 9\n"},
      {"absent numbers", "0 1\n1 5\n2 3\n5 0\n"},
      {"names", "source,target\n0,1\n1,2\n"},
      {"counts", "5 6 9\n4 1 1\n1 2 1\n2 3 1\n3 4 1\n4 0 1\n0 2 1\n"},
      {"repeated", "0 1\n1 0\n0 1\n1 2\n2 1\n2 1\n1 2\n"},
      {"without direction", "% sym unweighted\n1 2\n2 3\n3 3\n"},
      {"counts promised", "% sym unweighted\n% 99 10 10\n1 2\n2 3\n"},
      {"first vertices promised", "% sym unweighted\n% 3 5 5\n3 4\n4 5\n3 5\n"},
      {"random", ""},
  }));
  const bool directed = GENERATE(false, true);
  CAPTURE(name, directed);
  std::ofstream(folder.path("g.txt")) << (text.empty() ? randomEdges(300, 4000, 3) : text);
  DatasetRequest request;
  request.name = folder.path("g.txt").string();
  request.directed = directed;
  const auto streamed = streamedArcs(request);
  REQUIRE(streamed);
  const Dataset loaded = loadDataset(request);
  CHECK(same(streamed->rows(), loaded.arcs));
  CHECK(streamed->directed() == loaded.directed);
  CHECK(streamed->remarks() == loaded.remarks);
  streamed->release();
  CHECK(same(streamed->rows(), loaded.arcs));
  // the second time it is opened, not made
  const auto again = streamedArcs(request);
  REQUIRE(again);
  CHECK(same(again->rows(), loaded.arcs));
  CHECK(again->remarks() == loaded.remarks);
  // changed, it is made anew
  std::ofstream(folder.path("g.txt")) << "0 1\n";
  CHECK(streamedArcs(request)->rows().nonzeros() == (directed ? 1 : 2));
}

TEST_CASE("counts of a set have its remarks, whether it is streamed, converted or neither", "[datasets]") {
  const OwnCache folder;
  const auto [text, words] = GENERATE(table<std::string, std::string>({
      {"5 6 9\n4 1 1\n1 2 1\n2 3 1\n3 4 1\n4 0 1\n0 2 1\n", "the first edge (5 6) looks like counts"},
      {"1 2\n2 3\n", "vertices are numbered from 1"},
      {"0 1\n1 2\n2 2\n0 1\n", "1 self loop removed"},
      {"0 1\n1 2\n2 2\n0 1\n", "1 repeated arc merged"},
      {"# Nodes: 4 Edges: 9\n0 1\n1 2\n", "line 1 promises 9 edges; the file holds 2"},
      {"# Nodes: 4 Edges: 9\n0 1\n1 2\n", "line 1 promises 4 vertices; the edges make 3"},
      {"0 1\n1 1000000\n", "vertex numbers have gaps"},
  }));
  CAPTURE(text);
  DatasetRequest request;
  request.name = folder.write("g.txt", text).string();
  const auto fresh = datasetCounts(request);
  const auto second = datasetCounts(request);
  const Dataset loaded = loadDataset(request);
  const auto converted = datasetCounts(request);
  REQUIRE((fresh && second && converted));
  CHECK(fresh->remarks == loaded.remarks);
  CHECK(second->remarks == loaded.remarks);
  CHECK(converted->remarks == loaded.remarks);
  CHECK(std::ranges::any_of(loaded.remarks, [&, words = words](const std::string& remark) {
    return remark.find(words) != std::string::npos;
  }));
}

TEST_CASE("labels that are not read are remarked of a streamed set too", "[datasets]") {
  const OwnCache folder;
  folder.write("g-labels-old.txt", "0 1\n1 0\n");
  DatasetRequest request;
  request.name = folder.write("g.txt", "0 1\n1 2\n").string();
  const auto streamed = streamedArcs(request);
  REQUIRE(streamed);
  CHECK(streamed->remarks() == loadDataset(request).remarks);
  CHECK_THAT(streamed->remarks().back(),
             Catch::Matchers::StartsWith("labels that are not read: g-labels-old.txt"));
}

TEST_CASE("what cannot be streamed is loaded", "[datasets]") {
  const OwnCache folder;
  DatasetRequest request;
  const auto streams = [&](const std::string& text) {
    std::ofstream(folder.path("g.txt")) << text;
    request.name = folder.path("g.txt").string();
    return streamedArcs(request).has_value();
  };
  CHECK(streams("0 1\n"));
  CHECK_FALSE(streams("0 1\n1 1000000\n"));                // numbers with gaps
  CHECK_FALSE(streams("0 99999999999\n99999999999 1\n"));  // beyond 32 bits
  std::ofstream(folder.path("g-labels.txt")) << "0 1\n1 0\n";
  CHECK_FALSE(streams("0 1\n"));
  std::filesystem::remove(folder.path("g-labels.txt"));
  request.features = folder.path("g.txt").string();
  CHECK_FALSE(streams("0 1\n"));
  request.features.clear();
  request.name = "karate";
  CHECK_FALSE(streamedArcs(request).has_value());
  CHECK_THROWS_WITH(streams("0 1\n1 x\n"), Catch::Matchers::Contains("g.txt:2:3"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.cache()))
    if (entry.is_regular_file()) CHECK(entry.path().extension() == ".arcs");  // nothing unfinished
}

TEST_CASE("a damaged file of arcs is none", "[datasets]") {
  const OwnCache folder;
  std::ofstream(folder.path("g.txt")) << randomEdges(50, 300, 4);
  const auto file = folder.path("g.arcs");
  REQUIRE(makeArcFile(folder.path("g.txt"), false, file, "stamp"));
  const auto arcFile = ArcFile::open(file, "stamp");
  REQUIRE(arcFile);
  const std::size_t columns = 128 + 8 * arcFile->rows().offsets.size(),
                    remarks = columns + 4 * arcFile->rows().columns.size();
  CHECK_FALSE(ArcFile::open(file, "other"));
  CHECK_FALSE(ArcFile::open(folder.path("none"), "stamp"));
  const std::string original = contents(file);
  const auto damaged = [&](std::string bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
    return !ArcFile::open(file, "stamp").has_value();
  };
  CHECK(damaged(""));
  CHECK(damaged(original.substr(0, 100)));
  CHECK(damaged(original.substr(0, original.size() - 1)));
  CHECK(damaged(original + "x"));
  CHECK(original.size() > remarks);
  std::string number = original;
  number[remarks - 1] = '\x7f';  // a column beyond the last
  CHECK(damaged(number));
  number = original;
  number[128 + 8] = '\x7f';  // an offset beyond the next
  CHECK(damaged(number));
  CHECK_FALSE(damaged(original));
}

TEST_CASE("a bipartite list is not read for a file of arcs that it cannot have", "[datasets]") {
  const OwnCache folder;
  DatasetRequest request;
  request.name = folder.write("out.b", "% bip unweighted\n% 3 2 2\n1 1\n1 2\n2 2\n").string();
  int reports = 0;
  CHECK_FALSE(streamedArcs(request, [&](const std::string&, double) { ++reports; }));
  CHECK(reports == 0);
  CHECK(loadDataset(request).vertices() == 4);
}
