#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "datasets/load.h"
#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

/// A path of three vertices.
std::filesystem::path musae(const OwnCache& own, const std::string& target = "id,target\n2,a\n0,b\n1,a\n",
                            const std::string& edges = "id_1,id_2\n0,1\n1,2\n",
                            const std::string& features = R"({"0": [1], "1": [], "2": [0, 2]})") {
  own.write("set/a_target.csv", target);
  own.write("set/a_edges.csv", edges);
  own.write("set/a.json", features);
  return own.path("set");
}

std::string said(const std::filesystem::path& folder) {
  const std::string words = refusalOf(folder), root = folder.string() + "/";
  return words.starts_with(root) ? words.substr(root.size()) : words;
}

std::string refusedTarget(const std::string& target) {
  const OwnCache own;
  return said(musae(own, target));
}
std::string refusedEdges(const std::string& edges) {
  const OwnCache own;
  return said(musae(own, "id,target\n2,a\n0,b\n1,a\n", edges));
}
std::string refusedFeatures(const std::string& json) {
  const OwnCache own;
  return said(musae(own, "id,target\n2,a\n0,b\n1,a\n", "id_1,id_2\n0,1\n1,2\n", json));
}

}  // namespace

TEST_CASE("a MUSAE folder is read by the vertices that it names", "[musae]") {
  const OwnCache own;
  const Dataset set = loadAt(musae(own));
  CHECK(set.labels == std::vector<std::int32_t>{1, 0, 0});
  CHECK(set.features(2, 2) == 1);
  CHECK(set.arcs.nonzeros() == 4);
  CHECK(loadAt(musae(own, "\"id\",\"target\"\n\"2\",\"a, b\"\n\"0\",nan\n\"1\",a\n")).labels ==
        std::vector<std::int32_t>{-1, 0, 1});
  CHECK(loadAt(musae(own, "id,target\n0,a\n1,b\n2,b\n", "0,1\n1,2\n")).arcs.nonzeros() == 4);
  // an index that pandas writes; taken for an end it would make loops
  const auto indexed = loadAt(musae(own, "id,target\n0,a\n1,b\n2,b\n", ",id_1,id_2\n0,0,1\n1,1,2\n"));
  CHECK(indexed.arcs.nonzeros() == 4);
  CHECK(indexed.arcs.degree(1) == 2);
}

TEST_CASE("a number that stands twice in a MUSAE list sets one feature, and is remarked", "[musae]") {
  const OwnCache own;
  const std::string target = "id,target\n2,a\n0,b\n1,a\n", edges = "id_1,id_2\n0,1\n1,2\n";
  const Dataset set = loadAt(musae(own, target, edges, R"({"0": [0, 0], "1": [1], "2": [3]})"));
  CHECK(set.features(0, 0) == 1);
  CHECK(set.features.cols() == 4);
  CHECK(std::ranges::count(set.remarks,
                           "a.json: 1 numbers stand once more in their list; a feature is set once") == 1);
}

TEST_CASE("an empty cell of a MUSAE file is refused at its line and column", "[musae]") {
  CHECK(refusedTarget("id,target\n2,a\n0,\n1,a\n") ==
        "a_target.csv:3:2: an empty cell; a vertex number and a class");
  CHECK(refusedTarget("id,target\n2,a\n,b\n1,a\n") ==
        "a_target.csv:3:1: an empty cell; a vertex number and a class");
  CHECK(refusedTarget("id,x,target\n2,,a\n0,,\"\"\n1,,a\n") ==
        "a_target.csv:3:4: an empty cell; a vertex number and a class");
  const std::string comma = "an empty cell; every ',' stands between two values";
  CHECK(refusedEdges("id_1,id_2\n0,1\n1,,2\n") == "a_edges.csv:3:3: " + comma);
  CHECK(refusedEdges("0,,1\n1,2\n") == "a_edges.csv:1:3: " + comma);
  CHECK(refusedEdges("id_1,id_2\n,1\n") == "a_edges.csv:2:1: " + comma);
}

TEST_CASE("vertices of a MUSAE target that repeat or leave gaps are refused with their lines", "[musae]") {
  CHECK(refusedTarget("id,target\n2,a\n0,b\n2,a\n") ==
        "a_target.csv:4: vertex 2 was in line 2 already; every vertex once");
  CHECK(refusedTarget("id,target\n3,a\n0,b\n1,a\n") ==
        "a_target.csv:2: vertex 3 breaks the numbering; every number from 0 to 2 once");
  CHECK(refusedTarget("id,target\n0,a\n1;7,b\n2,a\n") ==
        "a_target.csv:3:3: '7' is too much; one vertex number");
  CHECK_THAT(refusedEdges("id,source,target\n0,0,1\n1,1,2\n"),
             Contains("a_edges.csv:1: column 2 is named 'source'"));
  CHECK_THAT(refusedEdges("0,x\n1,2\n"), Contains("a_edges.csv:1:3: 'x' is not a whole number"));
}

TEST_CASE("lists of MUSAE features that are deep, doubled, empty or too large are refused", "[musae]") {
  CHECK_THAT(refusedFeatures("{\"0\": " + std::string(100'000, '[')),
             Contains("a.json:1:70: lists and objects lie"));
  CHECK_THAT(refusedFeatures(R"({"0": [1], "0": [2]})"),
             Contains("a.json:1:12: '0': stands twice in one object"));
  CHECK(refusedFeatures(R"({"0": [1], "00": [2]})") ==
        "a.json:1:18: '00': is not a vertex with its list of features; 0 to 2");
  CHECK(refusedFeatures(R"({"0": [], "1": [], "2": []})") ==
        "a.json: holds features of width 0; at least one column a vertex");
  CHECK(refusedFeatures(R"({"0": [10000000]})") ==
        "a.json:1:8: '0': 10000000 is not a feature; 0 to 9999999");
  const OwnCache own;
  const auto remarks =
      loadAt(musae(own, "id,target\n0,a\n1,b\n2,b\n", "0,1\n1,2\n", R"({"0": [1]})")).remarks;
  CHECK(std::count(remarks.begin(), remarks.end(), "a.json has no entry for 2 of 3 vertices") == 1);
}

TEST_CASE("a vertex of a MUSAE target has no class where the cell says so", "[musae]") {
  const OwnCache own;
  for (const std::string none : {"-1", "NA", "n/a", "None", "null", "NAN", "NaN", "-1.0"}) {
    CAPTURE(none);
    const Dataset set = loadAt(musae(own, "id,target\n2,a\n0,b\n1," + none + "\n"));
    CHECK(set.labels == std::vector<std::int32_t>{1, -1, 0});
    CHECK(set.classes == 2);
    const bool remarked = std::any_of(set.remarks.begin(), set.remarks.end(), [](const auto& remark) {
      return remark.find("is read as no label (1 vertex)") != remark.npos;
    });
    CHECK(remarked == (none[0] != '-'));  // a word may be the name of a class
  }
  const auto numbers = loadAt(musae(own, "id,target\n2,0\n0,1\n1,None\n"));
  CHECK(numbers.labels == std::vector<std::int32_t>{1, -1, 0});
  for (const auto& remark : numbers.remarks) CHECK_THAT(remark, !Contains("no label"));
}

TEST_CASE("blanks around a class of a MUSAE target are not part of it", "[musae]") {
  const OwnCache own;
  for (const std::string row : {"1,  a", "1,a ", "1, \"a\"", "1,\" a\"", "1,\ta"}) {
    CAPTURE(row);
    const Dataset set = loadAt(musae(own, "id,target\n2,a\n0,b\n" + row + "\n"));
    CHECK(set.labels == std::vector<std::int32_t>{1, 0, 0});
    CHECK(set.classes == 2);
  }
  CHECK(loadAt(musae(own, "id,target\n2,a b\n0,ab\n1,a b\n")).classes == 2);
  CHECK(refusedTarget("id,target\n2,a\n0, \n1,a\n") ==
        "a_target.csv:3:3: an empty cell; a vertex number and a class");
}

TEST_CASE("numbers of a MUSAE target are whole, in any spelling", "[musae]") {
  const OwnCache own;
  const auto says = [](const Dataset& set, const std::string& words) {
    return std::any_of(set.remarks.begin(), set.remarks.end(),
                       [&](const auto& remark) { return remark.find(words) != remark.npos; });
  };
  const std::string noClass =
      " is no class; a class is a whole number from 0 to 1000000, or all classes are names";
  CHECK(refusedTarget("id,target\n2,1\n0,0.5\n1,2.25\n") == "a_target.csv:3: '0.5'" + noClass);
  CHECK(refusedTarget("id,target\n2,1\n0,2\n1,-2\n") == "a_target.csv:4: '-2'" + noClass);
  const Dataset set = loadAt(musae(own, "id,target\n2,1\n0,1.0\n1,2\n"));
  CHECK(set.labels == std::vector<std::int32_t>{0, 1, 0});
  CHECK(set.classes == 2);
  CHECK_FALSE(says(set, "read as names"));
  const Dataset names = loadAt(musae(own, "id,target\n2,1\n0,1.0\n1,v1.5\n"));
  CHECK(names.classes == 3);
  CHECK(says(names,
             "a_target.csv: 'v1.5' on line 4 is no number; all classes are read as names, in "
             "alphabetical order"));
  CHECK_FALSE(says(loadAt(musae(own)), "read as names"));
}

TEST_CASE("classes of a MUSAE target that are numbers keep them", "[musae]") {
  const OwnCache own;
  std::string target = "id,target\n", edges = "0,1\n", features = "{";
  std::vector<std::int32_t> labels;
  for (int v = 0; v < 26; ++v) {
    labels.push_back(v * 7 % 13);
    target += std::to_string(v) + "," + std::to_string(labels.back()) + "\n";
    features += (v > 0 ? "," : "") + ("\"" + std::to_string(v) + "\": [0]");
  }
  const Dataset set = loadAt(musae(own, target, edges, features + "}"));
  CHECK(set.labels == labels);
  CHECK(set.classes == 13);
  const auto three = [&](const std::string& cells) { return loadAt(musae(own, "id,target\n" + cells)); };
  using Labels = std::vector<std::int32_t>;
  CHECK(three("2,10\n0,2\n1,0\n").labels == Labels{2, 0, 10});
  CHECK(three("2,10\n0,2.0\n1,+3\n").classes == 11);
  const Dataset fromOne = three("2,10\n0,2\n1,1\n");
  CHECK(fromOne.labels == Labels{1, 0, 9});
  CHECK(std::count(fromOne.remarks.begin(), fromOne.remarks.end(),
                   "classes are numbered from 1 in the file, from 0 here") == 1);
  const Dataset large = three("2,10\n0,2\n1,2000000\n");  // beyond the largest class
  CHECK(large.labels == Labels{1, 2, 0});
  CHECK(std::count(large.remarks.begin(), large.remarks.end(),
                   "a_target.csv: '2000000' on line 4 is beyond 1000000; all classes are read as names, in "
                   "alphabetical order") == 1);
}

TEST_CASE("of two columns or two files for one part of MUSAE it is said which is taken", "[musae]") {
  const OwnCache own;
  const auto occurrences = [](const Dataset& set, const std::string& remark) {
    return std::count(set.remarks.begin(), set.remarks.end(), remark);
  };
  const std::string column = "a_target.csv: `page_type` is the class; the column `target` is not read";
  const Dataset two = loadAt(musae(own, "id,target,page_type\n2,7,a\n0,7,b\n1,8,a\n"));
  CHECK(two.labels == std::vector<std::int32_t>{1, 0, 0});
  CHECK(occurrences(two, column) == 1);
  CHECK(occurrences(loadAt(musae(own, "id,name,page_type\n2,7,a\n0,7,b\n1,8,a\n")), column) == 0);
  const auto folder = musae(own);
  const std::string file = "features are those of a.json; a_features.json is there too and is not read";
  CHECK(occurrences(loadAt(folder), file) == 0);
  own.write("set/a_features.json", R"({"0": [5]})");
  const Dataset both = loadAt(folder);
  CHECK(both.features.cols() == 3);
  CHECK(occurrences(both, file) == 1);
  std::filesystem::remove(folder / "a.json");
  CHECK(loadAt(folder).features.cols() == 6);
  CHECK(occurrences(loadAt(folder), file) == 0);
}

TEST_CASE("the files that a MUSAE folder is read from are not called unread", "[musae]") {
  const OwnCache own;
  const auto folder = musae(own);
  for (const auto& remark : loadAt(folder).remarks) CHECK_THAT(remark, !Contains("not read"));
  own.write("set/other.txt", "0 1\n1 2\n");
  const auto remarks = loadAt(folder).remarks;
  CHECK(std::count(remarks.begin(), remarks.end(), "not read: other.txt (its form is that of edge-list)") ==
        1);
}

TEST_CASE("features of MUSAE have either name", "[musae]") {
  const OwnCache own;
  const auto folder = musae(own);
  std::filesystem::rename(folder / "a.json", folder / "a_features.json");
  const Dataset set = loadAt(folder);
  CHECK(set.features.cols() == 3);
  CHECK(set.features(2, 2) == 1);
  CHECK(set.marks == std::vector<std::string>{"generated split"});
}

TEST_CASE("rows of flags are told from lists of MUSAE features", "[musae]") {
  const OwnCache own;
  const std::string target = "id,target\n0,a\n1,b\n2,b\n", edges = "0,1\n1,2\n";
  const Dataset set =
      loadAt(musae(own, target, edges, R"({"0": [0, 1, 1], "1": [1, 0, 1], "2": [0, 0, 0]})"));
  REQUIRE(set.features.cols() == 3);
  CHECK(set.features(0, 2) == 1);
  CHECK(set.features(2, 0) == 0);
  CHECK(std::any_of(set.remarks.begin(), set.remarks.end(),
                    [](const auto& r) { return r.find("every list holds 3 numbers 0 or 1") != r.npos; }));
  CHECK_THAT(refusedFeatures(R"({"0": [0, 2, 2], "1": [1, 0, 1], "2": [0, 0, 0]})"),
             Contains("a.json:1:1: every list holds 3 numbers, some of them twice"));
  // what may be flags, and may be as the format has it, is as the format has it
  const Dataset both = loadAt(musae(own, target, edges, R"({"0": [0, 1], "1": [0, 1], "2": [0, 1]})"));
  CHECK(both.features(0, 0) == 1);
  CHECK(std::any_of(both.remarks.begin(), both.remarks.end(), [](const auto& r) {
    return r.find("every list is 0, 1; read as the numbers") != r.npos;
  }));
  CHECK(loadAt(musae(own, target, edges, R"({"0": [0, 1], "1": [1, 0], "2": [0, 1]})")).features(0, 0) == 0);
  // the collection's own lists name a feature twice now and then
  CHECK(loadAt(musae(own, target, edges, R"({"0": [4, 4], "1": [1], "2": []})")).features.cols() == 5);
}

TEST_CASE("of several MUSAE sets in a folder the one named is read", "[musae]") {
  const OwnCache own;
  const auto folder = musae(own);
  own.write("set/b_edges.csv", "0,1\n");
  own.write("set/b_target.csv", "id,target\n0,a\n1,b\n");
  CHECK_THROWS_WITH(loadAt(folder), Contains("several sets") && Contains("(a_edges.csv, b_edges.csv)"));
  DatasetRequest request;
  request.name = (folder / "b_edges.csv").string();
  request.format = "musae";
  CHECK(loadDataset(request).vertices() == 2);
  own.write("set/b_target.csv", "id,target\n0,a\n1,b\n2,b\n");  // what lies beside counts for the cache
  CHECK(loadDataset(request).vertices() == 3);
}

TEST_CASE("a column that a MUSAE target names twice is refused", "[musae]") {
  CHECK(refusedTarget("id,target,target\n2,a,b\n0,b,a\n1,a,a\n") ==
        "a_target.csv:1: columns 2 and 3 are both named 'target'; one column of them");
  CHECK(refusedTarget("id,id,target\n2,2,b\n0,0,a\n1,1,a\n") ==
        "a_target.csv:1: columns 1 and 2 are both named 'id'; one column of them");
  const OwnCache own;
  CHECK(loadAt(musae(own, "id,x,x,target,new_id\n7,1,1,a,2\n8,1,1,b,0\n9,1,1,a,1\n")).labels ==
        std::vector<std::int32_t>{1, 0, 0});
}

TEST_CASE("a number as other places write it is no class of a MUSAE target in silence", "[musae]") {
  const std::string right =
      " is no class; a class is a whole number from 0 to 1000000, or all classes are names";
  for (const std::string number : {"8,5", "1,469", "10%", "0x1"}) {
    CAPTURE(number);
    CHECK(refusedTarget("id,target\n2,1\n0,\"" + number + "\"\n1,1\n") ==
          "a_target.csv:3: '" + number + "'" + right);
  }
  const auto remarksOf = [](const std::string& first, const std::string& second) {
    const OwnCache own;
    std::string all;
    for (const std::string& remark :
         loadAt(musae(own, "id,target\n2," + first + "\n0," + second + "\n1," + first + "\n")).remarks)
      all += remark + "\n";
    return all;
  };
  CHECK_THAT(remarksOf("x", "\"8,5\""), Contains("a_target.csv: 'x' on line 2 is no number; all classes"));
  CHECK_THAT(remarksOf("True", "true"),
             Contains("a_target.csv: 'True' and 'true' differ in case or quotes only; each is a class"));
  CHECK_THAT(remarksOf("True", "False"), !Contains("differ in case"));
}

TEST_CASE("a MUSAE target without rows is refused as such", "[musae]") {
  CHECK(refusedTarget("id,target\n") ==
        "a_target.csv: has no rows below its names; a vertex and its class in each");
}
