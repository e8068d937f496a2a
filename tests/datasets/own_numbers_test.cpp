// Labels, features and splits from files of their own beside a graph that numbers its vertices in its own
// way: from 1, with gaps, or beyond 64 bits.

#include <catch2/catch.hpp>
#include <string>

#include "datasets/contract/labels_beside.h"
#include "datasets/load.h"
#include "datasets/overrides.h"
#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"
#include "tests/support/array_files.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

using Labels = std::vector<std::int32_t>;

const char* const kFromOne = "1 2\n2 3\n3 4\n4 1\n";
const char* const kGaps = "0 30\n30 60\n60 90\n90 0\n";
const char* const kNames = "5 100000000000000000001\n100000000000000000001 100000000000000000002\n";

/// A graph of `text` with the parts that files of these texts give.
struct Parts {
  std::string labels, features, split, ending = ".csv";
};

DatasetRequest request(const OwnCache& own, const std::string& graph, const Parts& parts) {
  DatasetRequest request;
  request.name = own.write("g.txt", graph).string();
  if (!parts.labels.empty()) request.labels = own.write("l" + parts.ending, parts.labels).string();
  if (!parts.features.empty()) request.features = own.write("f.csv", parts.features).string();
  if (!parts.split.empty()) {
    own.write("s/train.csv", parts.split);
    own.write("s/valid.csv", "");
    request.split = own.write("s/test.csv", "").parent_path().string();
  }
  return request;
}

Dataset loaded(const std::string& graph, const Parts& parts) {
  const OwnCache own;
  return loadDataset(request(own, graph, parts));
}

std::string refused(const std::string& graph, const Parts& parts) {
  const OwnCache own;
  return refusal([&] { loadDataset(request(own, graph, parts)); });
}

bool says(const Dataset& set, const std::string& words) {
  return std::any_of(set.remarks.begin(), set.remarks.end(),
                     [&](const std::string& remark) { return remark.find(words) != std::string::npos; });
}

const std::string kTaken = "its vertex numbers are taken for those of the graph's file";

}  // namespace

TEST_CASE("labels have the vertex numbers of the graph's file", "[numbers]") {
  const Dataset partial = loaded(kFromOne, {.labels = "1 5\n2 6\n3 7\n"});
  CHECK(partial.labels == Labels{5, 6, 7, -1});
  CHECK(says(partial, "l.csv: " + kTaken));
  CHECK(loaded(kFromOne, {.labels = R"({"1":0,"2":1,"3":0})", .ending = ".json"}).labels ==
        Labels{0, 1, 0, -1});
  const Dataset all = loaded(kFromOne, {.labels = "4 1\n1 0\n2 0\n3 2\n"});
  CHECK(all.labels == Labels{0, 0, 2, 1});
  CHECK_FALSE(says(all, kTaken));
  CHECK(loaded(kGaps, {.labels = "0 0\n30 1\n60 2\n"}).labels == Labels{0, 1, 2, -1});
  CHECK(loaded(kNames, {.labels = "100000000000000000002 1\n5 0\n100000000000000000001 2\n"}).labels ==
        Labels{0, 2, 1});
  CHECK(loaded("p tw 3 2\n1 2\n2 3\n", {.labels = "1 1\n2 0\n"}).labels == Labels{1, 0, -1});
}

TEST_CASE("labels that count all rows are taken so with a remark, some of them are refused", "[numbers]") {
  const Dataset rows = loaded(kFromOne, {.labels = "0 1\n1 0\n2 0\n3 2\n"});
  CHECK(rows.labels == Labels{1, 0, 0, 2});
  CHECK(says(rows, "l.csv numbers the vertices from 0, unlike the graph's file"));
  CHECK_THAT(refused(kFromOne, {.labels = "0 1\n1 0\n"}),
             Contains("l.csv:1: column 1: 0 is no vertex of the graph's file"));
  CHECK_THAT(refused(kGaps, {.labels = "0 1\n1 0\n"}), Contains("l.csv:2: column 1: 1 is no vertex of the"));
  CHECK_THAT(refused(kGaps, {.labels = R"({"0":0,"3":1})", .ending = ".json"}),
             Contains("'3': has a class but is no vertex of the graph's file"));
}

TEST_CASE("features and splits have the vertex numbers of the graph's file", "[numbers]") {
  const Dataset features = loaded(kGaps, {.features = "id,f\n90,3\n0,1\n30,4\n60,5\n"});
  CHECK(features.features(0, 0) == 1);
  CHECK(features.features(3, 0) == 3);
  const Dataset unnamed = loaded(kGaps, {.features = "0,1\n30,4\n60,5\n90,6\n"});
  CHECK(unnamed.features.cols() == 1);
  CHECK(says(unnamed, "the first column of f.csv is the vertex number and no feature"));
  const Dataset split = loaded(kFromOne, {.split = "1\n2\n"});
  CHECK(split.split == std::vector<Split>{Split::train, Split::train, Split::none, Split::none});
  CHECK(says(split, "s: " + kTaken));
  CHECK(loaded(kGaps, {.split = "90\n"}).split[3] == Split::train);
  CHECK_THAT(refused(kFromOne, {.split = "1\n0\n"}),
             Contains("train.csv:2:1: 0 is no vertex of the graph's"));
  CHECK_THAT(refused(kGaps, {.split = "30\n30\n"}),
             Contains("train.csv:2:1: vertex 30 is listed twice in train; every vertex once"));
}

TEST_CASE("labels beside a graph are taken by their exact names", "[numbers]") {
  const OwnCache own;
  const auto labelsFor = [&](const std::string& graph) {
    return labelsNear(own.path(graph)).labels.filename().string();
  };
  for (const char* file :
       {"net.txt", "net2.txt", "netflix-labels.txt", "net2-labels.txt", "bc_adjlist.txt", "bc_labels.txt",
        "email-Enron.txt", "email-Eu-core.txt", "email-Eu-core-department-labels.txt"})
    own.write(file, "0 1\n");
  CHECK(labelsFor("net.txt").empty());
  CHECK(labelsFor("net2.txt") == "net2-labels.txt");
  CHECK(labelsFor("bc_adjlist.txt") == "bc_labels.txt");
  CHECK(labelsFor("email-Enron.txt").empty());
  CHECK(labelsFor("email-Eu-core.txt") == "email-Eu-core-department-labels.txt");
  own.write("net-labels-old.txt", "0 1\n1 0\n");
  CHECK(labelsFor("net.txt").empty());
  own.write("net-labels.txt", "0 0\n1 1\n");
  own.write("net_labels.csv", "0 1\n1 0\n");
  const Dataset set = loadAt(own.path("net.txt"));
  CHECK(set.labels == Labels{0, 1});
  CHECK(says(set, "labels from net-labels.txt"));
  CHECK(says(set, "labels that are not read: net-labels-old.txt, net_labels.csv; dataset.labels names"));
  DatasetRequest request;
  request.name = own.path("net.txt").string();
  own.write("net-labels.txt", "7 0\n");
  request.labels = own.write("mine.csv", "1\n0\n").string();
  CHECK(loadDataset(request).labels == Labels{1, 0});
}

TEST_CASE("labels beside a graph that say of no graph are remarked", "[numbers]") {
  for (const char* name : {"labels.txt", "node_labels.csv", "class-labels.txt"}) {
    CAPTURE(name);
    const OwnCache own;
    own.write("set/g.txt", "0 1\n1 2\n");
    own.write("set/" + std::string(name), "0\n1\n0\n");
    const std::string remark = "labels that are not read: " + std::string(name) + "; dataset.labels names";
    CHECK(says(loadAt(own.path("set")), remark));
    CHECK(says(loadAt(own.path("set/g.txt")), remark));
    DatasetRequest request;
    request.name = own.path("set").string();
    request.labels = own.path("set/" + std::string(name)).string();
    const Dataset set = loadDataset(request);
    CHECK(set.labels == Labels{0, 1, 0});
    CHECK_FALSE(says(set, "labels that are not read"));
  }
}

TEST_CASE("labels beside a graph are remarked where vertices have two lines or none", "[numbers]") {
  const OwnCache own;
  const auto graph = own.write("g.txt", "0 1\n1 2\n2 3\n");
  const auto with = [&](const std::string& labels) {
    own.write("g-labels.txt", labels);
    return loadAt(graph);
  };
  const std::string twice =
                        "g-labels.txt: vertex 3 has labels on line 4 and on line 6; the set is read as one "
                        "of several labels a vertex",
                    none = "g-labels.txt has no line for 1 of 4 vertices; they have no label";
  const Dataset both = with("0 0\n1 1\n2 0\n3 1\n\n3 0\n");
  CHECK(both.multiLabel());
  CHECK(says(both, twice));
  CHECK_FALSE(says(both, "no line"));
  for (const char* single : {"0 0\n1 1\n2 0\n3 1\n", "0 0\n1 1\n2 0\n3 1\n3 1\n", "0 0\n1 1\n2 0\n3 nan\n"}) {
    CAPTURE(single);
    const Dataset set = with(single);
    CHECK_FALSE(set.multiLabel());
    CHECK_FALSE(says(set, "g-labels.txt: "));
    CHECK_FALSE(says(set, "no line"));
  }
  // on one line they are meant
  const Dataset multi = with("0 0 1\n1 1\n2 0\n3 1\n");
  CHECK(multi.multiLabel());
  CHECK_FALSE(says(multi, "several labels"));
  for (const char* labels : {"0 0\n1 1\n2 0\n", "1 0\n2 1\n3 0\n", "3 0\n1 0 1\n0 1\n"}) {
    CAPTURE(labels);
    CHECK(says(with(labels), none));
  }
}

TEST_CASE("an empty line and quotes around nothing are vertices without label", "[numbers]") {
  for (const char* text :
       {"0\n1\n\n1\n", "0\n1\n\"\"\n1\n", "\"0\"\n\"1\"\n\"\"\n\"1\"\n", "label\n0\n1\n\n1\n"}) {
    CAPTURE(text);
    CHECK(loaded(kFromOne, {.labels = text}).labels == Labels{0, 1, -1, 1});
  }
  CHECK(loaded(kFromOne, {.labels = "0\n1\n0\n1\n\n"}).labels == Labels{0, 1, 0, 1});
  CHECK_THAT(refused(kFromOne, {.labels = "0\n\n1\n0\n1\n\n"}),
             Contains("l.csv:2:1: an empty line is a vertex without label"));
  CHECK_THAT(refused(kFromOne, {.labels = "0\n\n1\n"}),
             Contains("l.csv:3: the rows end after 2; 4 vertices need one each"));
  CHECK(loaded(kFromOne, {.features = "\"1\",\"0.5\"\n2,3\n3,4\n4,5\n"}).features(0, 0) == Approx(0.5));
  CHECK_THAT(refused(kFromOne, {.features = "\"1,5\"\n2\n3\n4\n"}),
             Contains("f.csv:1:1: '\"1,5\"' is not a number; a feature is a number, decimals with a point"));
}

TEST_CASE("a vertex twice and a feature that is not finite are refused where they stand", "[numbers]") {
  CHECK_THAT(refused(kFromOne, {.labels = "1 1\n1 0\n2 2\n3 0\n"}),
             Contains("l.csv:2: column 1: vertex 1 was in line 1 already"));
  CHECK_THAT(refused(kFromOne, {.features = "id,f\n4,nan\n3,1\n2,1\n1,1\n"}),
             Contains("f.csv:2:3: 'nan' is no feature; a finite number"));
}

TEST_CASE("splits in archives are masks or lists, whatever their type says of them", "[numbers]") {
  const OwnCache own;
  const auto split = [&](const std::string& name, const std::string& bytes) {
    DatasetRequest request;
    request.name = own.write("g.txt", "0 1\n1 2\n2 3\n3 4\n").string();
    request.split = own.write("s.npz", npzOf({{name, bytes}})).string();
    return loadDataset(request).split;
  };
  const std::vector<Split> right = {Split::none, Split::none, Split::train, Split::train, Split::none};
  CHECK(split("train_idx", longs({2, 3})) == right);
  CHECK(split("train_idx", npyFile("|b1", "(5,)", std::string("\0\0\1\1\0", 5))) == right);
  CHECK(split("train_mask", longs(5, 2, {0, 1, 0, 1, 1, 0, 1, 0, 0, 1})) == right);
  CHECK_THAT(refusal([&] {
               split("train_idx", longs({0, 0, 1, 1, 0}));
             }),
             Contains("train_idx: element 1 is 0, as element 0 is; a list has every vertex once"));
  CHECK_THAT(refusal([&] { split("val", longs({0})); }), Contains("holds no split; masks train_mask"));
}

TEST_CASE("arrays of an archived split that are not read are remarked", "[numbers]") {
  const OwnCache own;
  DatasetRequest request;
  request.name = own.write("g.txt", "0 1\n1 2\n2 3\n3 4\n").string();
  request.split = own.write("s.npz", npzOf({{"train_idx", longs({2, 3})},
                                            {"validation_idx", longs({0})},
                                            {"seed", longs({7})},
                                            {"test_idx", longs({1})}}))
                      .string();
  CHECK(says(loadDataset(request), "s.npz: arrays that are not read: seed, validation_idx"));
  request.split = own.write("s.npz", npzOf({{"train_idx", longs({2})}, {"val_idx", longs({0})}})).string();
  CHECK_FALSE(says(loadDataset(request), "not read"));
}

TEST_CASE("labels beside a graph that only their ending names are remarked", "[numbers]") {
  for (const char* name : {"g.labels", "g.node_labels", "g.labels.gz"}) {
    CAPTURE(name);
    const OwnCache own;
    own.write("set/g.txt", "0 1\n1 2\n");
    own.write("set/" + std::string(name), "0 1\n1 0\n2 1\n");
    CHECK(says(loadAt(own.path("set/g.txt")),
               "labels that are not read: " + std::string(name) + "; dataset.labels names"));
  }
}

TEST_CASE("features that are no one array of numbers are refused as what they are", "[numbers]") {
  const std::string fields =
      "{'descr': [('a', '<f8'), ('b', '<f8')], 'fortran_order': False, 'shape': (4,), }\n";
  std::string records("\x93NUMPY\x01\x00", 8);
  records += static_cast<char>(fields.size());
  records += '\0' + fields + std::string(64, '\0');
  CHECK_THAT(refused(kFromOne, {.features = records}),
             Contains("the numpy header describes records of named fields, not numbers of one type"));
  const OwnCache own;
  std::vector<std::string> remarks;
  const auto sparse = own.write("f.npz", zipOf({{"data.npy", floats({1, 2})},
                                                {"indices.npy", longs({0, 1})},
                                                {"indptr.npy", longs({0, 1, 2, 2, 2})},
                                                {"shape.npy", longs({4, 2})}}));
  CHECK_THAT(refusal([&] { readFeatureFile(sparse, 4, remarks); }),
             Contains("holds a sparse matrix; features are one dense array, a row a vertex"));
}
