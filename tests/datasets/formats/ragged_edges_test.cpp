// Lines of edges that have not as many columns as the first one: lists of neighbours, or lines that lack one.

#include "datasets/arc_file.h"
#include "datasets/load.h"
#include "tests/datasets/formats/edge_folders.h"
#include "tests/datasets/loading.h"

using namespace halo;

namespace {

constexpr const char* kLists =
    "; as many on every line; if a vertex and its neighbours stand on every line, dataset.format = "
    "\"adjacency-list\"";

/// A folder in the format musae, Geom-GCN or ogb with these edges between the vertices 0 to 9.
std::string refusalOfFolder(const std::string& format, const std::string& edges) {
  const OwnCache own;
  writeEdgeFolders(own, edges);
  try {
    loadDataset({.name = own.path(format).string()});
  } catch (const DamagedInput& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("lists of neighbours whose first line is an edge are no edges", "[formats]") {
  const std::string lists = "0 1\n1 2 3 4 5 6 7 8\n2 3 4 5 6 9 10\n";
  CHECK(refusalOf("g.txt", lists) ==
        std::string("g.txt:2:5: has 8 columns; the first edge, in line 1, has 2") + kLists);
  CHECK(loadText("g.txt", lists, "adjacency-list", true).arcs.nonzeros() == 14);
  CHECK(refusalOf("g.csv", "0,1\n1,2,3,4,5,6\n2,7,8\n") ==
        std::string("g.csv:2:5: has 6 columns; the first edge, in line 1, has 2") + kLists);
  CHECK(refusalOf("g.txt", "# made\n\n0 1 2 3\n1 4\n2 4 5\n")
            .starts_with("g.txt:4:3: has 2 columns; the first edge, in line 3, has 4"));
}

TEST_CASE("edges that lack a column, or have one too many, are refused where they do", "[formats]") {
  const std::string named = "source,target,weight\n0,1\n1,2,3,4\n2,3\n";
  CHECK(refusalOf("g.csv", named) ==
        "g.csv:3:5: has 4 columns; the first edge, in line 2, has 2; as many on every line; if line 2 is no "
        "edge, take it out");
  const std::string times = "0 1 7\n0 2 7\n1 2\n2 0 8\n";  // vertex 0 has two lines: no lists
  CHECK(refusalOf("g.txt", times) ==
        "g.txt:3:3: has 2 columns; the first edge, in line 1, has 3; as many on every line");
  CHECK(refusalOf("g.txt", "0 1 0.5 7\n1 2 0.5\n").starts_with("g.txt:2:7: has 3 columns"));
  CHECK(refusalOf("g.jlg", "4,3,u,g\n1,2\n2,3,5\n3,4\n").starts_with("g.jlg:3:5: has 3 columns"));
  CHECK(refusalOf("g.gr", "p tw 4 3\n1 2\n2 3 5\n3 4\n").starts_with("g.gr:3:5: has 3 columns"));
  CHECK(refusalOf("g.gr", "p edge 4 2\na 1 2 5\na 2 3\n").starts_with("g.gr:3:5: has 2 columns"));
  CHECK(refusalOf("g.txt", "5 3\n0 1\n1 2 4\n3 4\n").starts_with("g.txt:3:5: has 3 columns"));
  for (const char* format : {"musae", "geom-gcn", "ogb"}) {
    CAPTURE(format);
    const std::string message = refusalOfFolder(format, "3,1\n1,2,3,4\n2,3\n");
    CHECK(
        message.find(":2:5: has 4 columns; the first edge, in line 1, has 2; as many on every line; if line "
                     "1 is no edge, take it out") != std::string::npos);
    CHECK(message.find("adjacency-list") == std::string::npos);
    CHECK(refusalOfFolder(format, "3,1,5\n1,2,6\n2,3,1\n") == "");
  }
}

TEST_CASE("edges with as many columns are read, whatever stands around them", "[formats]") {
  for (const char* text :
       {"0 1\n1 2 \n2 0\t\n", "0\t1\t5\n1\t2\t6 \n2\t0\t7\n", "0 1 {}\n1 2\n2 0 {'w': 1, 'x': 2}\n",
        "u,v,w\n0,1,5\n1,2,6\n2,0,7\n", "\"0\",\"1\",5\n\"1\",\"2\",\"6\"\n2,0,7\n",
        "# c\n0 1 5 9\n# c\n1   2 6\t9\n\n2 0 7 9"}) {
    CAPTURE(text);
    CHECK(loadText("g.txt", text).arcs.nonzeros() == 6);
  }
  CHECK(loadText("g.gr", "p sp 4 3\ne 1 2\na 2 3 7\ne 3 4\n", "", true).arcs.nonzeros() == 5);
  CHECK(loadText("adj.txt", "0 1\n1 0 2 3\n2 1\n3 1\n").arcs.nonzeros() == 6);
}

TEST_CASE("streamed edges have as many columns on every line too", "[formats]") {
  const OwnCache own;
  DatasetRequest request;
  request.name = own.write("g.txt", "0 1\n1 2\n1 3 4\n").string();
  CHECK_THROWS_WITH(streamedArcs(request), Catch::Matchers::Contains("g.txt:3:5: has 3 columns"));
}

TEST_CASE("a -1 at the end of lists of neighbours is no weight and no time", "[formats]") {
  const std::string lists = "0 1 2 -1\n1 0 2 -1\n2 0 1 -1\n";
  const std::string problem = ":1:7: -1 ends a list and is no vertex; take it out of every line";
  CHECK(refusalOf("g.txt", lists) == "g.txt" + problem);
  CHECK(refusalOf("a_adj.txt", lists) == "a_adj.txt" + problem);
  CHECK(refusalOf("g.txt", "0 1 -1\n1 0 2 -1\n2 1 -1\n").starts_with("g.txt:1:5: -1 ends a list"));
  CHECK(refusalOf("g.txt", lists, "adjacency-list") == "g.txt" + problem);
  CHECK(loadText("g.txt", lists, "edge-list").arcsRead == 3);  // if that is what is asked for
  for (const char* edges : {"0 1 -1\n1 2 -1\n2 0 -1\n", "0 1 5 -1\n1 2 6 -1\n2 0 7 -1\n",
                            "0 1 2 -1\n0 2 1 -1\n2 1 0 -1\n", "0 1 2 -1\n1 2 0 -1\n2 0 1 1\n"}) {
    CAPTURE(edges);
    const Dataset set = loadText("g.txt", edges, "", true);
    CHECK(set.arcs.nonzeros() == 3);
    CHECK(remarks(set, "read as edge-list"));
  }
}
