// Numbers of classes that say something else than they are read as: −1 and 1, one alone, and codes.

#include "tests/datasets/loading.h"
#include "tests/datasets/refusal.h"
#include "tests/support/array_files.h"

using namespace halo;

namespace {

const std::string kPath = "0 1\n1 2\n2 3\n";
const char* const kTwoClasses =
    "1 and -1 are no two classes: -1 means no label, which leaves one; write two classes as 0 and 1";

/// A path of four vertices with labels beside it.
struct Path {
  OwnCache own;
  Dataset with(const std::string& labels) const {
    own.write("net_labels.txt", labels);
    return loadAt(own.write("net.txt", kPath));
  }
  /// Named by dataset.labels.
  Dataset named(const std::string& file, const std::string& labels) const {
    DatasetRequest request;
    request.name = own.write("g.txt", kPath).string();
    request.labels = own.write(file, labels).string();
    return loadDataset(request);
  }
};

std::string npzWith(const std::string& labels) {
  return npzOf({{"edge_index", longs(2, 3, {0, 1, 2, 1, 2, 3})}, {"y", labels}});
}

std::string gmlWith(std::initializer_list<const char*> values) {
  std::string text = "graph [ ";
  int id = 0;
  for (const char* value : values) text += "node [ id " + std::to_string(id++) + " value " + value + " ] ";
  return text + "edge [ source 0 target 1 ] ]";
}

/// Whether reading it is refused, for 1 and −1 are no two classes.
template <class Work>
bool refusesTwo(const Work& work) {
  const std::string message = refusal(work);
  return message.find(kTwoClasses) != std::string::npos;
}

}  // namespace

TEST_CASE("labels 1 and -1 are refused, as -1 means no label and one class is left", "[datasets]") {
  const Path path;
  for (const char* labels : {"0 1\n1 -1\n2 1\n3 -1\n", "0 1.0\n1 -1.0\n2 1.0\n3 -1\n", "0 1\n1 -1\n"}) {
    CAPTURE(labels);
    CHECK(refusesTwo([&] { path.with(labels); }));
  }
  const std::pair<const char*, const char*> files[] = {
      {"pm.csv", "1\n-1\n1\n-1\n"},
      {"pm.txt", "1.0\n-1.0\nnan\n1\n"},
      {"pm.csv", "vertex,label\n0,1\n1,-1\n2,1\n3,1\n"},
      {"pm.json", R"({"0": 1, "1": -1, "2": 1, "3": -1})"},
      {"pm.json", R"({"0": 1, "1": "-1", "2": 1, "3": null})"}};
  for (const auto& [name, labels] : files) {
    CAPTURE(name, labels);
    CHECK(refusesTwo([&] { path.named(name, labels); }));
  }
  CHECK(refusesTwo([&] { path.named("pm.npy", longs({1, -1, 1, -1})); }));
  for (const std::string& labels : {longs({1, -1, 1, -1}), floats({1, -1, 1, -1})})
    CHECK(refusesTwo([&] { loadAt(path.own.write("g.npz", npzWith(labels))); }));
  for (const char* none : {"-1", "\"-1\"", "-1.0"}) {
    CAPTURE(none);
    CHECK(refusesTwo([&] { loadAt(path.own.write("g.gml", gmlWith({"1", none, "1"}))); }));
  }
}

TEST_CASE("labels 1 and -1 of sets in folders are refused too", "[datasets]") {
  const OwnCache own;
  own.write("m/a_edges.csv", "id_1,id_2\n0,1\n1,2\n");
  own.write("m/a_target.csv", "id,target\n0,-1\n1,1\n2,-1\n");
  CHECK(refusesTwo([&] { loadAt(own.path("m")); }));
  own.write("g/out1_node_feature_label.txt", "node_id\tfeature\tlabel\n0\t0,1\t1\n1\t1,0\t-1\n2\t1,1\t1\n");
  own.write("g/out1_graph_edges.txt", "node_id\tnode_id\n0\t1\n1\t2\n");
  CHECK(refusesTwo([&] { loadAt(own.path("g")); }));
  own.write("o/raw/num-node-list.csv", "3\n");
  own.write("o/raw/edge.csv", "0,1\n1,2\n");
  own.write("o/raw/node-label.csv", "1\n-1\n1\n");
  CHECK(refusesTwo([&] { loadAt(own.path("o")); }));
  own.write("s/t-G.json", R"({"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}]})");
  own.write("s/t-id_map.json", R"({"0": 0, "1": 1})");
  own.write("s/t-class_map.json", R"({"0": -1, "1": 1})");
  CHECK(refusesTwo([&] { loadAt(own.path("s")); }));
}

TEST_CASE("one class alone is remarked, and vertices without a label beside it are honest", "[datasets]") {
  const Path path;
  const char* const alone = ": there is nothing to tell it from";
  for (const char* labels : {"0 1\n1 1\n", "0 1\n1 nan\n2 1\n", "0 0\n1 -1\n", "0 1\n1 1\n2 1\n3 1\n"}) {
    CAPTURE(labels);
    const Dataset set = path.with(labels);
    CHECK(set.classes == 1);
    CHECK(remarks(set, alone));
  }
  CHECK(remarks(path.with("0 1\n1 nan\n2 1\n"), "all labels are one class, 1: there is nothing to tell it"));
  CHECK_FALSE(remarks(path.with("0 0\n1 1\n2 -1\n"), alone));
  CHECK(path.with("0 1\n1 2\n2 -1\n").classes == 2);
}

TEST_CASE("classes of which fewer than half have a vertex are remarked as codes", "[datasets]") {
  const Path path;
  const char* const rest = "; where numbers are codes, number the classes from 0";
  CHECK(remarks(path.with("0 2019\n1 2020\n2 2021\n3 2019\n"),
                std::string("only 3 of 2022 classes have a vertex: classes are counted up to the largest "
                            "number, 2021") +
                    rest));
  CHECK(path.with("0 2019\n1 2020\n").classes == 2021);
  CHECK(remarks(path.with("0 1\n1 5\n2 1\n"),
                "only 2 of 5 classes have a vertex: classes are counted up to "
                "the largest number, 5"));
  CHECK(remarks(path.named("codes.npy", longs({10, 20, 30, 10})), "only 3 of 31 classes"));
  CHECK(remarks(loadText("g.gml", gmlWith({"0", "10", "20"})), "only 3 of 21 classes"));
  // several labels a vertex
  CHECK(remarks(path.with("0 100 7\n1 300\n"),
                "only 3 of 301 classes have a vertex: classes are counted up "
                "to the largest number, 300"));
  for (const char* labels : {"0 0\n1 1\n2 3\n", "0 1\n1 2\n2 4\n", "0 0 1\n1 3\n", "0 3\n1 0\n"}) {
    CAPTURE(labels);
    CHECK_FALSE(remarks(path.with(labels), "largest number"));
  }
}

TEST_CASE("points before three zeros in classes of sets are remarked, for they may group thousands",
          "[datasets]") {
  const OwnCache own;
  own.write("m/a_edges.csv", "id_1,id_2\n0,1\n1,2\n");
  const auto target = [&](const std::string& second) {
    own.write("m/a_target.csv", "id,target\n0,1.000\n1," + second + "\n2,1.000\n");
    return loadAt(own.path("m"));
  };
  const std::string words = ": every number with a point has three digits behind it";
  CHECK(remarks(target("2.000"), "a_target.csv" + words));
  CHECK_FALSE(remarks(target("2.0"), words));
  CHECK_FALSE(remarks(target("2000"), words));
  CHECK(remarks(loadText("g.gml", gmlWith({"1.000", "2.000"})), "value" + words));
  CHECK_FALSE(remarks(loadText("g.gml", gmlWith({"1.0", "2.0"})), words));
  CHECK_FALSE(remarks(loadText("g.gml", gmlWith({"a.000", "b.000"})), words));
}
