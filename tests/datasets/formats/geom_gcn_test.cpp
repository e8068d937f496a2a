#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"
#include "tests/support/array_files.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

const std::string kNodes = "node_id\tfeature\tlabel\n1\t0,1\t1\n0\t1,0\t0\n2\t1,1\t1\n";
const std::string kEdges = "node_id\tnode_id\n0\t1\n1\t2\n";

std::filesystem::path geom(const OwnCache& own, const std::string& nodes, const std::string& edges = kEdges) {
  own.write("set/out1_node_feature_label.txt", nodes);
  own.write("set/out1_graph_edges.txt", edges);
  return own.path("set");
}

std::string refused(const std::string& nodes, const std::string& edges = kEdges) {
  const OwnCache own;
  const std::string message = refusalOf(geom(own, nodes, edges)), root = own.path("set/out1_").string();
  return message.starts_with(root) ? message.substr(root.size()) : message;
}

}  // namespace

TEST_CASE("a Geom-GCN folder is read by the vertices that it names", "[geom-gcn]") {
  const OwnCache own;
  const Dataset set = loadAt(geom(own, kNodes));
  CHECK(set.labels == std::vector<std::int32_t>{0, 1, 1});
  CHECK(set.features(0, 0) == 1);
  CHECK(set.features(0, 1) == 0);
  CHECK(set.arcs.nonzeros() == 4);
  // a file without names loses no edge
  CHECK(loadAt(geom(own, kNodes, "0\t1\n1\t2\n")).arcs.nonzeros() == 4);
  const auto remarks = loadAt(geom(own, "n\tfeature_amount:3\tl\n0\t\t0\n1\t1,3\t1\n2\t2\t1\n")).remarks;
  CHECK(std::count(remarks.begin(), remarks.end(), "1 of 3 vertices have no features") == 1);
}

TEST_CASE("an empty cell of a Geom-GCN file is refused at its line and column", "[geom-gcn]") {
  const std::string row = "an empty cell; `vertex<TAB>features<TAB>class` on a line";
  CHECK(refused("n\tf\tl\n0\t1,0\t\n") == "node_feature_label.txt:2:6: " + row);
  CHECK(refused("n\tf\tl\n\t1,0\t1\n") == "node_feature_label.txt:2:1: " + row);
  CHECK(refused("n\tf\tl\n0\t\t1\n") == "node_feature_label.txt:2:3: " + row);
  const std::string comma = "an empty cell; every ',' stands between two values";
  CHECK(refused("n\tf\tl\n0\t1,,0\t1\n") == "node_feature_label.txt:2:5: " + comma);
  CHECK(refused("n\tf\tl\n0\t1,0,\t1\n") == "node_feature_label.txt:2:6: " + comma);
  CHECK(refused(kNodes, "a\tb\n0\t\t1\n") ==
        "graph_edges.txt:2:3: an empty cell; every tab stands between two values");
}

TEST_CASE("a Geom-GCN line that is separated otherwise than those above is refused", "[geom-gcn]") {
  CHECK_THAT(
      refused("n\tf\tl\n0\t1;0\t1\n1\t0,1\t0\n"),
      Contains("node_feature_label.txt:3:4: ',' between the fields of this line, ';' in the lines above"));
  CHECK_THAT(refused(kNodes, "a\tb\n0\t1\n1,2\n"), Contains("graph_edges.txt:3:2: ',' between the fields"));
  CHECK_THAT(refused(kNodes, "a\tb\n0,1\n1,2\n"), Contains("graph_edges.txt:2:2: ',' between the fields"));
  CHECK(refused(kNodes, "a b\n0,1\n1,2\n").empty());
}

TEST_CASE("a Geom-GCN line of other columns is refused", "[geom-gcn]") {
  CHECK_THAT(refused("n\tf\tl\n0\t1\t0\t1\n"),
             Contains("node_feature_label.txt:2: `vertex<TAB>features<TAB>class`"));
  CHECK(refused("0\t1,0\t1\n1\t0,1\t0\n") ==
        "node_feature_label.txt:1: names no columns; a line of names first");
  CHECK(refused("n\tf\tl\n0 3\t1,0\t1\n") == "node_feature_label.txt:2:3: '3' is too much; a vertex number");
  CHECK(refused("n\tf\tl\n0\t1,0\t1000001\n") ==
        "node_feature_label.txt:2:7: 1000001 is no class; a class is a whole number from 0 to 1000000");
  CHECK_THAT(refused(kNodes, "edge\tsource\ttarget\n0\t0\t1\n"),
             Contains("graph_edges.txt:1: column 2 is named"));
}

TEST_CASE("the header of Geom-GCN's vertices names their columns in order", "[geom-gcn]") {
  CHECK_THAT(refused("label\tfeature\tnode_id\n0\t0,1\t2\n"),
             Contains("node_feature_label.txt:1: column 3 is named 'node_id'"));
  CHECK_THAT(refused("node_id\tlabel\tfeature\n0\t1\t0\n"),
             Contains("node_feature_label.txt:1: column 2 is named 'label'"));
}

TEST_CASE("the header of Geom-GCN's vertices counts the features in digits", "[geom-gcn]") {
  const auto nodes = [](const std::string& amount) {
    return "node_id\tfeature_amount:" + amount + "\tlabel\n0\t1,2\t0\n1\t1,3\t1\n2\t5\t0\n";
  };
  const OwnCache own;
  for (const std::string amount : {"5", " 5", "  5 ", "5)"}) {
    CAPTURE(amount);
    const Dataset set = loadAt(geom(own, nodes(amount)));
    REQUIRE(set.features.cols() == 5);
    CHECK(set.features(1, 2) == 1);
    CHECK(set.features(2, 4) == 1);
  }
  // lists that could be flags are lists too
  CHECK(loadAt(geom(own, "n\tfeature_amount: 5\tl\n0\t1,0\t0\n1\t1,1\t1\n2\t1,0\t0\n")).features.cols() == 5);
  for (const std::string amount : {"abc", "5x", "-5", "0", "2.5", "99999999999999999999"}) {
    CAPTURE(amount);
    CHECK(refused(nodes(amount)) == "node_feature_label.txt:1:24: feature_amount '" + amount +
                                        "' is no number of features; a whole number from 1");
  }
  CHECK_THAT(refused(nodes("")), Contains("node_feature_label.txt:1"));
  CHECK_THAT(refused(nodes(" 5 6")), Contains("node_feature_label.txt:1:25: feature_amount '5 6'"));
}

TEST_CASE("a vertex of Geom-GCN has no class where the cell says so", "[geom-gcn]") {
  const OwnCache own;
  for (const std::string none : {"-1", "nan", "None", "NA"}) {
    CAPTURE(none);
    const Dataset set =
        loadAt(geom(own, "node_id\tfeature\tlabel\n1\t0,1\t1\n0\t1,0\t0\n2\t1,1\t" + none + "\n"));
    CHECK(set.labels == std::vector<std::int32_t>{0, 1, -1});
  }
  CHECK_THAT(refused("n\tf\tl\n0\t1,0\tnan\n0\t1,0\t0\n"), Contains("vertex 0 breaks the numbering"));
  CHECK_THAT(refused("n\tf\tl\n0\t1,0\t-2\n"), Contains("node_feature_label.txt:2:7: -2 is no class"));
}

TEST_CASE("splits of Geom-GCN are masks or lists of vertices", "[geom-gcn]") {
  const OwnCache own;
  const auto folder = geom(own, kNodes);
  const auto split = [&](const std::string& train, const std::string& valid) {
    own.write("set/splits/a.npz", npzOf({{train, longs({2})}, {valid, longs({0})}}));
    return loadAt(folder);
  };
  const Dataset set = split("train_idx", "val_idx");
  CHECK(set.split == std::vector<Split>{Split::valid, Split::none, Split::train});
  CHECK(set.marks.empty());
  CHECK_THAT(refusal([&] { split("first", "second"); }),
             Contains("splits/a.npz: holds no split") && Contains("Its arrays are: first, second"));
  const auto remarks = split("train_idx", "validation_idx").remarks;
  CHECK(std::count(remarks.begin(), remarks.end(), "a.npz: arrays that are not read: validation_idx") == 1);
}

namespace {

std::filesystem::path listed(const OwnCache& own, const std::string& rows, const std::string& name = "set") {
  own.write(name + "/out1_node_feature_label.txt", "node_id\tfeature\tlabel\n" + rows);
  own.write(name + "/out1_graph_edges.txt", kEdges);
  return own.path(name);
}

}  // namespace

TEST_CASE("features of Geom-GCN that can be no flags are the numbers of those that are set", "[geom-gcn]") {
  const OwnCache own;
  const std::string rows = "0\t10,3,7\t0\n1\t2\t1\n2\t5,6\t0\n";
  const Dataset set = loadAt(listed(own, rows));
  REQUIRE(set.features.cols() == 11);
  for (Index column = 0; column < 11; ++column)
    CHECK(set.features(0, column) == (column == 3 || column == 7 || column == 10 ? 1 : 0));
  CHECK(set.features(1, 2) == 1);
  CHECK(std::ranges::count(set.remarks,
                           "out1_node_feature_label.txt: features are read as the numbers of those that are "
                           "set, from 0; the largest makes the width, 11") == 1);
  // flags as far as the first row goes
  CHECK(loadAt(listed(own, "0\t0,1\t0\n1\t0,4\t1\n2\t3,2\t0\n")).features.cols() == 5);
  const Dataset film = loadAt(listed(own, rows, "film"));
  CHECK(film.features.cols() == 932);
  CHECK(film.features(0, 10) == 1);
  CHECK(std::ranges::count(film.remarks,
                           "out1_node_feature_label.txt: features are read as the numbers of those that are "
                           "set, from 0; the width is that of film, 932") == 1);
  CHECK(loadAt(listed(own, "0\t0,1\t0\n1\t1,0\t1\n2\t1,1\t0\n", "film")).features.cols() == 2);
}

TEST_CASE("flags of Geom-GCN that are damaged are no lists", "[geom-gcn]") {
  const auto refusedRows = [](const std::string& rows) {
    return refused("node_id\tfeature\tlabel\n" + rows);
  };
  CHECK(refusedRows("0\t0,1,1\t0\n1\t0,2,1\t1\n2\t1,1,0\t0\n") ==
        "node_feature_label.txt:3: feature 2 cannot be; 0 or 1, or the numbers of those that are set, each "
        "once");
  CHECK(refusedRows("0\t0,1\t0\n1\t2,1\t1\n2\t1,0\t0\n").starts_with("node_feature_label.txt:3: feature 2 "));
  CHECK(refusedRows("0\t0,1\t0\n1\t1\t1\n2\t1,0\t0\n") ==
        "node_feature_label.txt:3: has 1 features; the vertices above have 2");
  CHECK(
      refusedRows("0\t10,3,3\t0\n1\t2\t1\n2\t5,6\t0\n").starts_with("node_feature_label.txt:2: feature 10 "));
}
