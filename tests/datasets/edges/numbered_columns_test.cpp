// The line of column numbers, `0,1` or `0,1,2`, that pandas writes above columns without names.

#include "datasets/arc_file.h"
#include "tests/datasets/formats/edge_folders.h"
#include "tests/datasets/loading.h"
#include "tests/datasets/refusal.h"

using namespace halo;

namespace {

constexpr const char* kNames = "is taken for the numbers of columns that pandas writes above them";
constexpr const char* kEdge = "is read as an edge, though pandas writes such a line";

/// A folder of each format that reads edges of lines beside the vertices 0 to 9.
std::vector<Dataset> folders(const std::string& edges) {
  const OwnCache own;
  writeEdgeFolders(own, edges);
  return {loadAt(own.path("musae")), loadAt(own.path("geom-gcn")), loadAt(own.path("ogb"))};
}

}  // namespace

TEST_CASE("numbers of columns above edges that show it are no edge", "[formats]") {
  const Dataset right = loadText("a.csv", "10,20\n20,30\n30,10\n");
  for (const char* text :
       {"0,1\n10,20\n20,30\n30,10\n", "0,1,2\n10,20,1\n20,30,1\n30,10,2\n", "0\t1\n10\t20\n20\t30\n30\t10\n",
        "0 1\n10 20\n20 30\n30 10\n", "\"0\",\"1\"\n10,20\n20,30\n30,10\n",
        "0;1\r\n10;20\r\n20;30\r\n30;10\r\n", "# made\n0,1\n10,20\n20,30\n30,10\n"}) {
    CAPTURE(text);
    const Dataset set = loadText("a.csv", text);
    CHECK(set.vertices() == 3);
    CHECK(set.arcs.columns == right.arcs.columns);
    CHECK(set.arcsRead == 3);
    CHECK(remarks(set, kNames));
    CHECK(remarks(set, std::string("line ") + (text[0] == '#' ? "2" : "1") + " ('"));
  }
  const Dataset quoted = loadText("a.csv", "\"0\",\"1\"\n0,2\n2,1\n1,0\n");
  CHECK(quoted.arcsRead == 3);
  CHECK(remarks(quoted, "no other line is in quotes"));
  std::string weights = "0,1,2\n";
  for (int v = 0; v < 9; ++v) weights += std::to_string(v) + "," + std::to_string((v + 1) % 9) + ",2.5\n";
  const Dataset weighted = loadText("a.csv", weights);
  CHECK(weighted.arcsRead == 9);
  CHECK(weighted.vertices() == 9);
  CHECK(remarks(weighted, "every other line has a fraction in the last column"));
}

TEST_CASE("numbers of columns that may be an edge are one, which is remarked", "[formats]") {
  for (const char* text :
       {"0,1\n1,2\n2,3\n3,1\n", "0,1\n0,2\n2,1\n", "0;1\n0;2\n2;1\n", "0\t1\n0\t2\n2\t1\n", "0,1\n",
        "0,1,2\n1,2,0.5\n2,0,0.5\n", "0 1\n1 2\n2 3\n3 1\n", "0 1\n1 2\n2 0\n0 1\n", "0 1\n5 6\n6 7\n7 8\n",
        "0 1\n9 10\n12 11\n13 14\n", "0 1 2\n1 2 5\n2 0 5\n", "0,1\n5,6\n6,7\n",
        "\"0\",\"1\"\n\"1\",\"2\"\n\"2\",\"0\"\n"}) {
    CAPTURE(text);
    const Dataset set = loadText("a.csv", text);
    CHECK(set.arcsRead == std::count(text, text + std::string(text).size(), '\n'));
    CHECK(rowOf(set, 0).front() == 1);
    CHECK(remarks(set, kEdge));
    CHECK(remarks(set, "line 1 ('"));
  }
}

TEST_CASE("an edge that begins a list without a sign of names is no surprise", "[formats]") {
  for (const char* text : {"0 1\n0 2\n2 1\n", "source,target\n0,1\n0,2\n2,1\n",
                           "# source target\n0\t1\n0\t2\n2\t1\n", "# Nodes: 3 Edges: 3\n0,1\n1,2\n2,1\n",
                           "# made\n0\t1\n0\t2\n2\t1\n", "1,0\n0,2\n2,1\n", "0,2\n2,1\n1,0\n"}) {
    CAPTURE(text);
    const Dataset set = loadText("a.csv", text);
    CHECK(set.vertices() == 3);
    CHECK_FALSE(remarks(set, "pandas"));
  }
}

TEST_CASE("numbers of columns stand above edges of folders as well", "[formats]") {
  for (const Dataset& set : folders("0,1\n7,8\n8,9\n9,7\n")) {
    CHECK(set.arcs.nonzeros() == 6);
    CHECK(set.arcs.degree(0) == 0);
    CHECK(remarks(set, kNames));
  }
  for (const Dataset& set : folders("0,1\n0,2\n2,1\n")) {
    CHECK(set.arcs.nonzeros() == 6);
    CHECK(remarks(set, kEdge));
  }
  for (const Dataset& set : folders("2,1\n0,2\n0,1\n")) CHECK_FALSE(remarks(set, "pandas"));
  const OwnCache own;  // counted edges leave no doubt
  own.write("set/raw/num-node-list.csv", "3\n");
  own.write("set/raw/edge.csv", "0,1\n0,2\n");
  own.write("set/raw/num-edge-list.csv", "2\n");
  CHECK_FALSE(remarks(loadAt(own.path("set")), "pandas"));
}

TEST_CASE("numbers of columns are no edge of a file of arcs", "[formats]") {
  const OwnCache own;
  std::string ring = "0,1\n";
  for (int v = 0; v < 20; ++v) ring += std::to_string(v + 3) + "," + std::to_string((v + 1) % 20 + 3) + "\n";
  DatasetRequest request;
  request.name = own.write("a.csv", ring).string();
  const auto arcs = streamedArcs(request);
  REQUIRE(arcs.has_value());
  CHECK(arcs->rows().nonzeros() == 40);
  CHECK(arcs->rows().row(0).empty());
  CHECK(std::any_of(arcs->remarks().begin(), arcs->remarks().end(),
                    [](const std::string& r) { return r.find(kNames) != std::string::npos; }));
}

TEST_CASE("numbers of columns above lists of neighbours are no list", "[formats]") {
  const std::string lists = "0,2,3\n1,2,3\n2,0,1\n3,0,1\n";
  const Dataset set = loadText("adj.csv", "0,1,2\n" + lists), right = loadText("adj.csv", lists);
  CHECK(set.arcs.columns == right.arcs.columns);
  CHECK(remarks(set, "line 1 ('0,1,2') is taken for the numbers of columns"));
  CHECK_FALSE(remarks(right, "pandas"));
  const Dataset twice = loadText("adj.csv", "0,1,2\n1,0,3\n2,0,3\n3,1,2\n");  // vertex 0 has that list alone
  CHECK(twice.arcs.degree(0) == 2);
  CHECK_FALSE(remarks(twice, "pandas"));
  CHECK_FALSE(remarks(loadText("adj.txt", "0 1 2\n1 0 2\n2 0 1\n0 1 2\n"), "pandas"));
}
