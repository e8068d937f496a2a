// What a look at a data set tells before it is loaded, what it refuses, and when it reads again.
#include <catch2/catch.hpp>
#include <limits>
#include <vector>

#include "datasets/dataset_counts.h"
#include "datasets/load.h"
#include "engine/base/problem.h"
#include "tests/datasets/own_cache.h"
#include "tests/support/array_files.h"
#include "tests/support/places.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

DatasetRequest requestOf(const std::filesystem::path& path) {
  DatasetRequest request;
  request.name = path.string();
  return request;
}

/// Whether looking at the set reads its content.
bool reads(const DatasetRequest& request) {
  bool read = false;
  datasetShape(request, [&](const std::string&, double) { read = true; });
  return read;
}

/// Another file under the same name: times may tick too slowly to tell, its inode does.
void replace(const OwnCache& own, const std::string& name, const std::string& bytes) {
  std::filesystem::rename(own.write("another", bytes), own.path(name));
}

/// A matrix without columns, as numpy writes it.
std::string npyOfNoColumns(Index rows) {
  const std::string dictionary =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", 0), }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(dictionary.size()) + '\0' + dictionary;
}

}  // namespace

TEST_CASE("a look tells shape, labels and remarks of a set, from its content or from its header", "[shape]") {
  const OwnCache own;
  own.write("tiny/raw/num-node-list.csv", "3\n");
  own.write("tiny/raw/edge.csv", "0,1\n1,2\n2,2\n");
  own.write("tiny/raw/node-feat.csv", "1,2\n3,4\n5,6\n");
  own.write("tiny/raw/node-label.csv", "0,1\n1,1\n0,0\n");
  const DatasetRequest request = requestOf(own.path("tiny"));
  for (int turn = 0; turn < 2; ++turn) {
    const DatasetShape shape = datasetShape(request);
    CHECK(shape.features == 2);
    CHECK(shape.classes == 2);
    CHECK(shape.multiLabel);
    CHECK(shape.source == own.path("tiny").string());
    CHECK(shape.remarks == loadDataset(request).remarks);
    CHECK(shape.remarks.back() == "1 self loop removed");
  }
  CHECK(datasetCounts(request)->remarks == loadDataset(request).remarks);
}

TEST_CASE("what the files said of loops and repetitions is kept with the converted set", "[shape]") {
  const OwnCache own;
  const DatasetRequest request = requestOf(own.write("g.txt", "0 1\n0 1\n0 1\n1 1\n1 0\n1 2\n"));
  for (int turn = 0; turn < 2; ++turn) {
    const Dataset set = loadDataset(request);
    CHECK(set.arcsRead == 6);
    CHECK(set.selfLoops == 1);
    CHECK(set.repeatedArcs == 2);
    CHECK(set.arcs.nonzeros() == 4);
  }
}

TEST_CASE("content is read once, and again when anything of the request or its files changes", "[shape]") {
  const OwnCache own;
  const auto graph = own.write("g.txt", "0 1\n1 2\n2 3\n");
  DatasetRequest request = requestOf(graph);
  CHECK(reads(request));
  CHECK_FALSE(reads(request));
  request.normalizeFeatures = true;  // done after reading
  CHECK_FALSE(reads(request));
  request.seed = 2;
  CHECK(reads(request));
  request.directed = true;
  CHECK(reads(request));
  request.format = "edge-list";
  CHECK_FALSE(reads(request));  // as it was found out to be
  request.features = own.write("f.csv", "1\n2\n3\n4\n").string();
  CHECK(reads(request));
  CHECK_FALSE(reads(request));
  replace(own, "f.csv", "1\n2\n3\n5\n");
  CHECK(reads(request));
  own.write("s/train.csv", "0\n");
  own.write("s/valid.csv", "1\n");
  own.write("s/test.csv", "2\n");
  request.split = own.path("s").string();
  CHECK(reads(request));
  CHECK_FALSE(reads(request));
  replace(own, "s/test.csv", "3\n");  // in a folder
  CHECK(reads(request));
  replace(own, "g.txt", "0 1\n1 2\n2 3\n");  // same bytes
  CHECK(reads(request));
  CHECK_FALSE(reads(request));
  own.write("g-labels.txt", "0 0\n1 1\n2 0\n3 1\n");  // beside it
  CHECK(reads(request));
}

TEST_CASE("a bad set is refused at every look, also after it was a good one", "[shape]") {
  const OwnCache own;
  const auto graph = own.write("g.txt", "0 1\n1 2\n");
  const DatasetRequest request = requestOf(graph);
  datasetShape(request);
  replace(own, "g.txt", "0 1\n1 x\n");
  for (int turn = 0; turn < 2; ++turn) CHECK_THROWS_WITH(datasetShape(request), Contains("g.txt:2:3: 'x'"));
  replace(own, "g.txt", "0 1\n1 2\n");
  CHECK(datasetShape(request).features == 64);
}

TEST_CASE("a cache that cannot be written makes looks read, and says so", "[shape]") {
  const OwnCache own;
  const DatasetRequest request = requestOf(own.write("g.txt", "0 1\n1 2\n"));
  own.write("cache", "a file where the folder should be");
  for (int turn = 0; turn < 2; ++turn) {
    CHECK(reads(request));
    CHECK_THAT(datasetShape(request).remarks.back(), Contains("could not be kept in the cache"));
  }
}

TEST_CASE("files have no scale, whether they were converted before or not", "[shape]") {
  const OwnCache own;
  DatasetRequest request = requestOf(own.write("g.txt", "0 1\n1 2\n"));
  request.scale = 0.5;
  for (int turn = 0; turn < 2; ++turn) {
    CHECK_THROWS_AS(datasetShape(request), InputError);
    CHECK_THROWS_WITH(datasetShape(request),
                      Contains("dataset.scale: only generated data sets have a scale"));
    CHECK_THROWS_AS(datasetCounts(request), InputError);
    request.scale = 1;
    datasetShape(request);
    request.scale = 0.5;
  }
}

TEST_CASE("a look keeps to the memory limit of the request, and makes no generated set", "[shape]") {
  const OwnCache own;
  DatasetRequest request = requestOf(own.write("n.mtx",
                                               "%%MatrixMarket matrix coordinate pattern general\n"
                                               "100000 100000 1\n1 2\n"));
  request.memoryLimitGib = 0.001;
  CHECK_THROWS_AS(datasetShape(request), DamagedInput);
  request.memoryLimitGib = 1;
  CHECK(datasetShape(request).features == 64);
  // no file declares its vertices: no file has to justify them
  CHECK(datasetShape(requestOf("papers100m-like")).classes == 172);
}

TEST_CASE("files that replace parts of a generated set must fit it, though it is not made", "[shape]") {
  const OwnCache own;
  DatasetRequest request = requestOf("papers100m-like");
  request.features = own.write("f.csv", "1\n2\n3\n").string();
  CHECK_THROWS_AS(datasetShape(request), DamagedInput);
  CHECK_THROWS_WITH(datasetShape(request), Contains("111059956 vertices need one each"));
  std::string features, labels, split;
  for (int v = 0; v < 32; ++v) {
    features += "1,2,3\n";
    labels += std::to_string(v % 5) + "\n";
    split += v < 4 ? "train\n" : "none\n";
  }
  request = requestOf("reddit-like");
  request.scale = 1e-4;  // 32 vertices
  request.features = own.write("f.csv", features).string();
  request.labels = own.write("l.txt", labels).string();
  const Dataset drawn = loadDataset(request);
  CHECK(datasetShape(request).features == drawn.features.cols());
  CHECK(datasetShape(request).classes == drawn.classes);
  CHECK(datasetShape(request).split() == drawn.split);
  request.split = own.write("s.txt", split).string();
  CHECK(datasetShape(request).split() == loadDataset(request).split);
  replace(own, "l.txt", "-1\n" + labels.substr(2));
  CHECK_THROWS_WITH(datasetShape(request), Contains("vertex 0 is in the split but has no label"));
}

TEST_CASE("features or labels without columns are refused, not replaced by generated ones", "[shape]") {
  const OwnCache own;
  DatasetRequest request = requestOf("karate");
  request.features = own.write("none.npy", npyOfNoColumns(34)).string();
  CHECK_THROWS_AS(loadDataset(request), DamagedInput);
  CHECK_THROWS_WITH(loadDataset(request), own.path("none.npy").string() +
                                              ": holds features of width 0; at least one column a vertex");
}

TEST_CASE("values that are not finite are refused with the first place", "[shape]") {
  const OwnCache own;
  DatasetRequest request = requestOf("karate");
  std::vector<float> values(68, 1);
  values[7] = values[19] = std::numeric_limits<float>::quiet_NaN();
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  request.features = own.write("f.npy", npyFile("<f4", "(34, 2)", bytes)).string();
  CHECK_THROWS_WITH(loadDataset(request),
                    Contains("row 3, column 1 is") && Contains("the first of 2 values that are not finite"));
  request.features = own.write("f.csv", "1,2\n1,2\n1,nan\n").string();
  CHECK_THROWS_WITH(loadDataset(request), Contains("f.csv:3:3: 'nan' is no feature; a finite number"));
}
