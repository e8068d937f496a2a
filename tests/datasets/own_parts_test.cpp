// Features, labels and splits of the user's own in the place of the set's: read exactly, named in messages,
// and without the marks of what they replace.

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>

#include "datasets/load.h"
#include "datasets/overrides.h"
#include "engine/base/problem.h"
#include "tests/datasets/own_cache.h"
#include "tests/support/array_files.h"

using namespace halo;

namespace {

using Labels = std::vector<std::int32_t>;
using Marks = std::vector<std::string>;

constexpr Index kVertices = 16'777'218;  // more than the whole numbers that a float32 tells apart

/// A matrix of two columns as numpy writes it.
template <class T>
std::string npyPairs(const std::string& descr, std::initializer_list<T> values) {
  const std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                                 std::to_string(values.size() / 2) + ", 2), }\n";
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size());
  file += '\0';
  return file + dictionary +
         std::string(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T));
}

std::string lines(int count, const std::string& line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line + "\n";
  return text;
}

std::string identity(int size) {
  std::string text;
  for (int r = 0; r < size; ++r)
    for (int c = 0; c < size; ++c) text += std::string(r == c ? "2" : "0") + (c + 1 < size ? "," : "\n");
  return text;
}

DatasetRequest karate() {
  DatasetRequest request;
  request.name = "karate";
  return request;
}

/// A graph of four vertices in the OGB layout, all of whose parts are marked as generated.
DatasetRequest marked(const OwnCache& own) {
  own.write("set/raw/num-node-list.csv", "4\n");
  own.write("set/raw/edge.csv", "0,1\n1,2\n2,3\n");
  own.write("set/raw/node-feat.csv", "1\n2\n3\n4\n");
  own.write("set/raw/node-label.csv", "0\n1\n0\n1\n");
  own.write("set/split/given/train.csv", "0\n1\n");
  own.write("set/split/given/valid.csv", "2\n");
  own.write("set/split/given/test.csv", "3\n");
  own.write("set/marks.txt", "generated graph\ngenerated features\ngenerated labels\ngenerated split\n");
  DatasetRequest request;
  request.name = own.path("set").string();
  return request;
}

}  // namespace

TEST_CASE("labels of vertices above two to the twenty-fourth go to these vertices", "[parts]") {
  const OwnCache own;
  std::vector<std::string> remarks;
  const auto last = own.write("last.txt", "0 0\n16777217 1\n");
  const Labels lastLabels = readLabelFile(last, kVertices, remarks).labels;
  CHECK(lastLabels[16'777'216] == -1);
  CHECK(lastLabels[16'777'217] == 1);
  const auto both = own.write("both.txt", "0 0\n16777216 2\n16777217 1\n");
  const Labels bothLabels = readLabelFile(both, kVertices, remarks).labels;
  CHECK(bothLabels[16'777'216] == 2);
  CHECK(bothLabels[16'777'217] == 1);
  const auto array =
      own.write("both.npy", npyPairs<std::int64_t>("<i8", {0, 0, 16'777'216, 2, 16'777'217, 1}));
  CHECK(readLabelFile(array, kVertices, remarks).labels == bothLabels);
  const auto missing = [](const std::string& file, int lines) {
    return file + " has no line for " + std::to_string(kVertices - lines) +
           " of 16777218 vertices; they have no label";
  };
  CHECK(remarks ==
        std::vector<std::string>{missing("last.txt", 2), missing("both.txt", 3), missing("both.npy", 3)});
  CHECK_THROWS_WITH(readLabelFile(own.write("beyond.txt", "0 0\n16777218 1\n"), kVertices, remarks),
                    own.path("beyond.txt").string() + ":2: column 1: 16777218 is no vertex; 0 to 16777217");
}

TEST_CASE("labels by vertex may count from one and leave vertices out", "[parts]") {
  const OwnCache own;
  std::vector<std::string> remarks;
  CHECK(readLabelFile(own.write("l.txt", "vertex,class\n4,1\n1,0\n"), 4, remarks).labels ==
        Labels{0, -1, -1, 1});
  CHECK(remarks == std::vector<std::string>{"l.txt numbers the vertices from 1",
                                            "l.txt has no line for 2 of 4 vertices; they have no label"});
  CHECK_THROWS_WITH(readLabelFile(own.write("n.txt", "0 1\nnan 0\n"), 4, remarks),
                    own.path("n.txt").string() + ":2: column 1: nan is no vertex; 0 to 3");
}

TEST_CASE("columns of labels other than zero and one are refused with their place", "[parts]") {
  const OwnCache own;
  std::vector<std::string> remarks;
  const LabelFile good = readLabelFile(own.write("m.csv", "1,0,1\n0,0,1\n"), 2, remarks);
  CHECK(good.classes == 3);
  CHECK(good.multiLabels(1, 2) == 1);
  CHECK_THROWS_WITH(readLabelFile(own.write("m.csv", "1,0,1\n0,5,1\n"), 2, remarks),
                    own.path("m.csv").string() +
                        ":2: column 2: 5 is no label; several labels a vertex are columns of 0 and 1");
}

TEST_CASE("the largest number of labels without a sign is remarked, as it may mean none", "[parts]") {
  const OwnCache own;
  const auto remarksOf = [&](const std::string& file) {
    std::vector<std::string> remarks;
    CHECK(readLabelFile(own.write("l.npy", file), 4, remarks).labels.size() == 4);
    return remarks;
  };
  const auto remark = [](const std::string& largest, const std::string& type) {
    return Marks{"l.npy holds " + largest + ", the largest of " + type +
                 ", beside 0 to 1; taken for a class. Where it means no label, save the array with a sign"};
  };
  CHECK(remarksOf(npyFile("|u1", "(4,)", bytesOf<std::uint8_t>({0, 1, 255, 1}))) == remark("255", "u1"));
  CHECK(remarksOf(npyFile("|u1", "(4, 1)", bytesOf<std::uint8_t>({0, 1, 255, 1}))) == remark("255", "u1"));
  CHECK(remarksOf(npyFile("<u2", "(4,)", bytesOf<std::uint16_t>({0, 1, 65535, 1}))) == remark("65535", "u2"));
  CHECK(remarksOf(npyPairs<std::uint8_t>("|u1", {0, 0, 1, 255, 2, 1, 3, 0})) == remark("255", "u1"));
  CHECK(remarksOf(npyFile("|u1", "(4,)", bytesOf<std::uint8_t>({0, 200, 255, 1}))).empty());
  CHECK(remarksOf(npyFile("<i2", "(4,)", bytesOf<std::int16_t>({0, 1, 255, 1}))).empty());
}

TEST_CASE("only a column of exactly the row numbers is left out of the features", "[parts]") {
  const OwnCache own;
  std::vector<std::string> remarks;
  const Matrix numbered = readFeatureFile(own.write("f.csv", "0,5\n1,6\n2,7\n"), 3, remarks);
  CHECK(numbered.cols() == 1);
  CHECK(numbered(2, 0) == 7);
  CHECK(remarks == std::vector<std::string>{"the first column of f.csv is the vertex number and no feature"});
  // as a float32 the second would be 1
  CHECK(readFeatureFile(own.write("g.csv", "0,5\n1.00000001,6\n2,7\n"), 3, remarks).cols() == 2);
  CHECK(readFeatureFile(own.write("h.csv", "0,5\n1,6\n"), 2, remarks).cols() == 2);
}

TEST_CASE("a part of the user's own is not marked as what it replaces", "[parts]") {
  const OwnCache own;
  CHECK(loadDataset(karate()).marks == Marks{"identity features", "generated split"});
  DatasetRequest request = karate();
  request.features = own.write("f.csv", identity(34)).string();
  CHECK(loadDataset(request).marks == Marks{"generated split"});
  request = karate();
  request.split = own.write("s.txt", lines(17, "train") + lines(17, "test")).string();
  CHECK(loadDataset(request).marks == Marks{"identity features"});
  request = karate();
  request.labels = own.write("l.txt", lines(17, "0") + lines(17, "1")).string();
  CHECK(loadDataset(request).marks == Marks{"identity features", "generated split"});
}

TEST_CASE("parts of the user's own take their marks out of a written set", "[parts]") {
  const OwnCache own;
  DatasetRequest request = marked(own);
  CHECK(loadDataset(request).marks.size() == 4);
  request.labels = own.write("l.txt", "1\n0\n1\n0\n").string();
  CHECK(loadDataset(request).marks == Marks{"generated graph", "generated features", "generated split"});
  request.features = own.write("f.csv", identity(4)).string();
  request.split = own.write("s.txt", lines(4, "train")).string();
  CHECK(loadDataset(request).marks == Marks{"generated graph"});
}

TEST_CASE("what is wrong with a part of the user's own is told with the name of its file", "[parts]") {
  const OwnCache own;
  const auto refusal = [](const DatasetRequest& request) -> std::string {
    try {
      loadDataset(request);
    } catch (const DamagedInput& error) {
      return error.what();
    }
    return "";
  };
  for (const DatasetRequest& set : {karate(), marked(own)}) {
    const int n = set.name == "karate" ? 34 : 4;
    CAPTURE(set.name);
    DatasetRequest request = set;
    request.features = own.write("f.csv", lines(n - 1, "1") + "nan\n").string();
    CHECK(refusal(request) ==
          request.features + ":" + std::to_string(n) + ":1: 'nan' is no feature; a finite number");
    request = set;
    request.labels = own.write("l.txt", lines(n, "nan")).string();
    CHECK(refusal(request) == request.labels + ": split: vertex 0 is in the split but has no label");
    request.split = own.write("s.txt", lines(n, "train")).string();
    CHECK(refusal(request) == request.split + ": split: vertex 0 is in the split but has no label");
    request.split = own.write("s.txt", lines(n, "none")).string();
    CHECK(refusal(request) == request.labels + ": labels: no vertex has a label");
  }
}

TEST_CASE("a finite number beyond the range of features is refused as it is written", "[parts]") {
  if (sizeof(Scalar) != 4) return;  // a double holds it
  const OwnCache own;
  std::vector<std::string> remarks;
  const std::string beyond = " is beyond the range of the numbers that are trained with, -3.4e38 to 3.4e38";
  CHECK_THROWS_WITH(readFeatureFile(own.write("f.csv", "1,2\n3,-1e39\n"), 2, remarks),
                    own.path("f.csv").string() + ":2:3: '-1e39'" + beyond);
  CHECK_THROWS_WITH(readFeatureFile(own.write("f.npy", npyPairs<double>("<f8", {1, 2, 3, 1e39})), 2, remarks),
                    own.path("f.npy").string() + ": row 1, column 1: 1e+39" + beyond);
  CHECK(readFeatureFile(own.write("g.csv", "1\n3.4e38\n"), 2, remarks)(1, 0) == Approx(3.4e38));
  DatasetRequest request = marked(own);
  own.write("set/raw/node-feat.csv", "1\n2\n1e39\n4\n");
  CHECK_THROWS_WITH(loadDataset(request),
                    own.path("set/raw/node-feat.csv").string() + ":3:1: '1e39'" + beyond);
}
