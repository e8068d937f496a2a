// Columns of tables that number the vertices: whose row it is, and when such a column is none.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "datasets/overrides.h"
#include "datasets/parts/table.h"
#include "tests/datasets/own_cache.h"
#include "tests/datasets/parts/small_tables.h"
#include "tests/support/array_files.h"

using namespace halo;
using Catch::Matchers::Contains;

TEST_CASE("features go to the vertices that a named column numbers", "[table]") {
  Remarks remarks;
  for (const char* head :
       {"node_id,f1,f2", "id,f1,f2", "nodeId,f1,f2", "Vertex,f1,f2", "\"NODE ID\",\"f1\",\"f2\"", ",f1,f2",
        "\"\",f1,f2", "Unnamed: 0,f1,f2", "index,0,1", ",0,1"}) {
    CAPTURE(head);
    CHECK(features(std::string(head) + "\n2,20,200\n0,0,0\n3,30,300\n1,10,100\n", 4, &remarks) == kTens);
    CHECK(remarks.empty());
    CHECK(features(std::string(head) + "\n0,0,0\n1,10,100\n2,20,200\n3,30,300\n", 4) == kTens);
  }
  CHECK(features("f1;vertex;f2\n20;2;200\n0;0;0\n30;3;300\n10;1;100\n", 4) == kTens);
  CHECK(features("vertex\tf1\tf2\n3\t20\t200\n1\t0\t0\n4\t30\t300\n2\t10\t100\n", 4, &remarks) == kTens);
  CHECK(remarks == Remarks{"f.csv numbers the vertices from 1"});
}

TEST_CASE("numbers of vertices with gaps, repeats or strangers are refused with their lines", "[table]") {
  CHECK(refusedFeatures("id,f\n0,1\n1,2\n1,3\n", 3) ==
        "f.csv:4: vertex 1 was in line 3 already; a row a vertex");
  CHECK(refusedFeatures("id,f\n0,1\n1,2\n3,3\n", 3) == "f.csv:4: 3 is no vertex; 0 to 2");
  CHECK(refusedFeatures("id,f\n0,1\n1.5,2\n2,3\n", 3) == "f.csv:3: 1.5 is no vertex; 0 to 2");
  CHECK(refusedFeatures("id,f\n0,1\n2,3\n", 3) == "f.csv:3: the rows end after 2; 3 vertices need one each");
  CHECK_THAT(refusedFeatures("id,f\na,1\n", 1), Contains("f.csv:2:1: 'a' is not a number"));
  CHECK_THAT(refusedFeatures(",node_id,f\n0,1,2\n", 1), Contains("f.csv:1: columns 1 and 2 are both named"));
  CHECK_THAT(refusedFeatures("id\n0\n1\n", 2), Contains("f.csv: holds features of width 0"));
}

TEST_CASE("a column of row numbers without a name is left out in order only", "[table]") {
  Remarks remarks;
  CHECK(features("1,5\n2,6\n3,7\n", 3, &remarks) == std::vector<Scalar>{5, 6, 7});
  CHECK(remarks == Remarks{"the first column of f.csv is the vertex number and no feature"});
  // three rows may have it by chance
  CHECK(features("1,5\n0,6\n2,7\n", 3, &remarks) == std::vector<Scalar>{1, 5, 0, 6, 2, 7});
  REQUIRE(remarks.size() == 2);
  CHECK_THAT(remarks[0], Contains("holds every number from 0 to 2 once; it is read as a feature"));
  CHECK_THAT(remarks[1], Contains("if the comma stands before decimals, write a point there"));
  std::string shuffled;
  for (int v = 0; v < 8; ++v) shuffled += std::to_string((v * 3 + 2) % 8) + "," + std::to_string(v) + "\n";
  CHECK_THAT(refusedFeatures(shuffled, 8),
             Contains("f.csv: the first column holds every number from 0 to 7 once, not "
                      "in order: it may be a feature or number the vertices"));
  for (const char* name : {"rank", "customer_id", "Knoten", "txId", "key"}) {  // no list knows all names
    CAPTURE(name);
    CHECK_THAT(
        refusedFeatures(std::string(name) + ",f\n" + shuffled, 8),
        Contains("f.csv: the first column ('" + std::string(name) + "') holds every number from 0 to 7") &&
            Contains("name it `vertex` in a first line of names if it numbers them"));
  }
  CHECK(features("vertex,f\n" + shuffled, 8).size() == 8);
  std::string behind = "f,rank\n";  // as the refusal says
  for (int v = 0; v < 8; ++v) behind += "0.5," + std::to_string((v * 3 + 2) % 8) + "\n";
  CHECK(features(behind, 8, &remarks).size() == 16);
  CHECK(remarks.size() == 1);
  std::string doubled = shuffled;
  doubled.replace(0, 1, "0");  // the 2 is gone
  CHECK(features(doubled, 8, &remarks).size() == 16);
  CHECK_THAT(remarks.at(0),
             Contains("the first column of f.csv is read as a feature; it would number the rows "
                      "if 0 did not stand there twice"));
  // a name makes it a feature, in order too
  CHECK(features("time,f\n0,5\n1,6\n2,7\n", 3, &remarks).size() == 6);
  CHECK(remarks.size() == 1);
  CHECK(features("0.5,5\n1,6\n2,7\n", 3, &remarks).size() == 6);
  CHECK(remarks.empty());
}

TEST_CASE("numbers of columns above rows are pointed at where there is a row too many", "[table]") {
  const std::string hint = "; if line 1 holds the numbers of columns, as pandas writes them, take it out";
  const std::string more = "more than the 2 rows that there should be";
  CHECK(refusedFeatures("0,1\n0.5,2\n0.25,3\n", 2) == "f.csv:3: " + more + hint);
  CHECK(refusedFeatures("0\n0.5\n0.25\n", 2) == "f.csv:3: " + more + hint);
  CHECK(refusedFeatures("0,2\n0.5,2\n0.25,3\n", 2) == "f.csv:3: " + more);
  CHECK(features("0,1\n0.5,2\n", 2) == std::vector<Scalar>{0, 1, 0.5, 2});
  CHECK(refusedFeatures("id,f\n0,1\n1,2\n2,3\n", 2) == "f.csv:4: " + more);  // names stand there already
}

TEST_CASE("only an index before all columns may have no name", "[table]") {
  CHECK(features(",a\n1,5\n0,6\n", 2) == std::vector<Scalar>{6, 5});
  CHECK(refusedFeatures("a,\n1,2\n3,4\n", 2) ==
        "f.csv:1: the name of column 2 is empty; each column has a name");
  CHECK(refusedFeatures("a,,b\n1,0,4\n3,1,4\n", 2) ==
        "f.csv:1: the name of column 2 is empty; each column has a name");
}

TEST_CASE("a later column of features that numbers the rows is remarked", "[table]") {
  Remarks remarks;
  const std::string read = "it is read as a feature: leave it out if it numbers the vertices";
  const auto numbers = [&](const Remarks& said) {
    return std::ranges::any_of(said, [&](const std::string& remark) { return remark.ends_with(read); });
  };
  CHECK(features("5,7,0\n6,7,1\n7,9,2\n", 3, &remarks).size() == 9);
  CHECK(remarks == Remarks{"column 3 of f.csv holds every number from 0 to 2 once; " + read});
  features("5,1,7,1\n6,2,7,2\n9,3,7,3\n", 3, &remarks);
  CHECK(remarks ==
        Remarks{"column 2 of f.csv holds every number from 1 to 3 once, like 1 other column; " + read});
  features("f,g\n5,0\n6,1\n9,2\n", 3, &remarks);
  CHECK(remarks == Remarks{"column 2 of f.csv holds every number from 0 to 2 once; " + read});
  features("0,4,1\n1,5,2\n2,5,3\n", 3, &remarks);  // behind the vertex, which is left out
  REQUIRE(remarks.size() == 2);
  CHECK_THAT(remarks[1], Contains("column 3 of f.csv"));
  std::string shuffled;
  for (int v = 0; v < 8; ++v) shuffled += "0.5," + std::to_string((v * 3 + 2) % 8) + "\n";
  features(shuffled, 8, &remarks);
  CHECK(remarks.size() == 1);
  for (const char* text : {"5,1\n6,0\n9,2\n", "5,1,0\n6,0,1\n9,0,0\n", "5,0.5\n6,1\n9,2\n", "5,2\n6,3\n9,4\n",
                           "id,f\n0,0\n1,1\n2,2\n"}) {
    CAPTURE(text);
    features(text, 3, &remarks);
    CHECK_FALSE(numbers(remarks));
  }
  features("5,0\n6,1\n", 2, &remarks);
  CHECK_FALSE(numbers(remarks));
}

TEST_CASE("columns that number the vertices are remarked in every format of features", "[table]") {
  const OwnCache own;
  const std::string array = floats(3, 2, {5, 1, 7, 2, 5, 3});
  const auto arcs = [](const std::string& before) {
    return std::vector<std::pair<std::string, std::string>>{{before + "data", longs({1, 1})},
                                                            {before + "indices", longs({1, 0})},
                                                            {before + "indptr", longs({0, 1, 2, 2})},
                                                            {before + "shape", longs({3, 3})}};
  };
  own.write("ogb/raw/num-node-list.csv", "3\n");
  own.write("ogb/raw/edge.csv", "1,0\n");
  own.write("ogb/raw/node-feat.csv", "5,1\n7,2\n5,3\n");
  own.write("saint/adj_full.npz", npzOf(arcs("")));
  own.write("saint/role.json", R"({"tr": [0], "va": [1], "te": [2]})");
  own.write("saint/class_map.json", R"({"0": 0, "1": 1, "2": 0})");
  own.write("saint/feats.npy", array);
  own.write("sage/a-G.json", R"({"nodes": [{"id": 0, "val": false, "test": false},
    {"id": 1, "val": true, "test": false}, {"id": 2, "val": false, "test": true}],
    "links": [{"source": 0, "target": 1}]})");
  own.write("sage/a-id_map.json", R"({"0": 0, "1": 1, "2": 2})");
  own.write("sage/a-class_map.json", R"({"0": 0, "1": 1, "2": 0})");
  own.write("sage/a-feats.npy", array);
  auto bundle = arcs("adj_");
  bundle.emplace_back("attr_matrix", array);
  own.write("a.npz", npzOf(bundle));
  const std::pair<const char*, const char*> sets[] = {{"ogb", "node-feat.csv"},
                                                      {"saint", "feats.npy"},
                                                      {"sage", "a-feats.npy"},
                                                      {"a.npz", "the features of a.npz"}};
  for (const auto& [set, fileName] : sets) {
    CAPTURE(set);
    const auto remarks = loadAt(own.path(set)).remarks;
    CHECK(std::count(remarks.begin(), remarks.end(),
                     "column 2 of " + std::string(fileName) +
                         " holds every number from 1 to 3 once; it is read as a feature: leave it out if it "
                         "numbers the vertices") == 1);
  }
}

TEST_CASE("a first column that numbers the vertices in another order is refused in arrays and OGB",
          "[table]") {
  const OwnCache own;
  std::string rows;
  for (int v = 0; v < 12; ++v) rows += std::to_string((v * 5 + 3) % 12) + ",0.5\n";
  own.write("ogb/raw/num-node-list.csv", "12\n");
  own.write("ogb/raw/edge.csv", "1,0\n");
  own.write("ogb/raw/node-feat.csv", rows);
  CHECK_THAT(refusal([&] { loadAt(own.path("ogb")); }),
             Contains("node-feat.csv: the first column holds every number from 0 to 11 once, not in order"));
  Remarks remarks;
  CHECK_THAT(refusal([&] {
               readFeatureFile(
                   own.write("x.npy", floats(8, 2, {3, .5, 6, .5, 1, .5, 4, .5, 7, .5, 2, .5, 5, .5, 0, .5})),
                   8, remarks);
             }),
             Contains("x.npy: the first column holds every number from 0 to 7 once, not in order"));
}

TEST_CASE("labels go to the vertices that a named column numbers", "[table]") {
  Remarks remarks;
  CHECK(labels("node_id,label\n2,1\n0,3\n1,0\n", 3, &remarks).labels == Labels{3, 0, 1});
  CHECK(labels("label,node_id\n1,2\n3,0\n0,1\n", 3, &remarks).labels == Labels{3, 0, 1});
  CHECK(labels(",label\n2,1\n0,3\n1,0\n", 3, &remarks).labels == Labels{3, 0, 1});
  CHECK(labels("label\n3\nnan\n1\n", 3, &remarks).labels == Labels{3, -1, 1});
  CHECK(remarks.empty());
  CHECK(labels("node_id,label\n2,1\n", 3, &remarks).labels == Labels{-1, -1, 1});
  CHECK(remarks == Remarks{"l.csv has no line for 2 of 3 vertices; they have no label"});
  CHECK(refusedLabels("id,label\n0,1\n0,0\n", 2) ==
        "l.csv:3: column 1: vertex 0 was in line 2 already; a row a vertex");
  CHECK_THAT(refusedLabels("node_id\n0\n1\n", 2), Contains("holds no labels"));
  const LabelFile several = labels("id,c0,c1\n1,1,0\n0,0,1\n", 2);
  CHECK(several.classes == 2);
  CHECK(several.multiLabels(0, 0) == 0);
  CHECK(several.multiLabels(1, 0) == 1);
  CHECK(refusedLabels("id,c0,c1\n1,1,0\n", 2) == "l.csv:2: the rows end after 1; 2 vertices need one each");
}

TEST_CASE("names of rows before features, as R writes them, are numbers of vertices", "[table]") {
  Remarks remarks;
  const std::vector<Scalar> right = {5, 6, 7, 8, 9, 9};
  for (const char* text :
       {"\"a\" \"b\"\n\"1\" 5 6\n\"2\" 7 8\n\"3\" 9 9\n", "\"a\",\"b\"\n\"0\",5,6\n\"1\",7,8\n\"2\",9,9\n",
        "a b\n1 5 6\n2 7 8\n3 9 9\n", "a\tb\n0\t5\t6\n1\t7\t8\n2\t9\t9\n",
        "\"a\" \"b\"\n\"1\" 7 8\n\"0\" 5 6\n\"2\" 9 9\n"}) {
    CAPTURE(text);
    CHECK(features(text, 3, &remarks) == right);
    CHECK(std::ranges::any_of(remarks, [](const std::string& remark) {
      return remark.find("line 1 names 2 of 3 columns, as R does above names of rows") != std::string::npos;
    }));
  }
  CHECK(labels("\"label\"\n\"1\" 3\n\"2\" 0\n", 2).labels == Labels{3, 0});
  const std::string no =
      " neither counts the rows nor is the number of a vertex in quotes; name every column";
  CHECK(refusedFeatures("\"a\" \"b\"\n\"v1\" 5 6\n\"v2\" 7 8\n", 2)
            .starts_with(
                "f.csv:2:1: line 1 names 2 of 3 columns, as R does above names of rows, but '\"v1\"'" + no));
  CHECK(refusedFeatures("a b\n4 5 6\n1 7 8\n2 9 9\n", 3).find("but '4'" + no) != std::string::npos);
  CHECK(refusedFeatures("a b\n0 5 6\n1 7 8\n3 9 9\n", 3).find("but '3'" + no) != std::string::npos);
  // decimals of another locale count nothing
  CHECK(refusedFeatures("x\n0,5\n1,5\n2,5\n", 3).find("has 2 columns; the first line names 1") !=
        std::string::npos);
}
