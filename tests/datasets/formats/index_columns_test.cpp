// First lines of names that begin with a mark, with a letter beyond ASCII, or with nothing above an index.

#include "datasets/load.h"
#include "tests/datasets/formats/edge_folders.h"
#include "tests/datasets/loading.h"
#include "tests/datasets/refusal.h"

using namespace halo;

namespace {

constexpr const char* kLeftOut = "has no name for the first column, as pandas and R leave it above an index";

}  // namespace

TEST_CASE("names may begin with a mark or a letter beyond ASCII", "[formats]") {
  for (const char* names : {":START_ID,:END_ID", "~from,~to", "источник,цель", "\"источник\",\"цель\"",
                            "élève,ami", "  source  target"}) {
    CAPTURE(names);
    const bool commas = std::string(names).find(',') != std::string::npos;
    const Dataset set = loadText("g.csv", std::string(names) + (commas ? "\n0,1\n1,2\n" : "\n0 1\n1 2\n"), "",
                                 /*directed=*/true);
    CHECK(set.vertices() == 3);
    CHECK(rowOf(set, 1) == std::vector<Vertex>{0});
    CHECK(remarks(set, "the first line is taken for names of columns"));
  }
  CHECK(remarks(loadText("g.csv", "élève,ami\n0,1\n1,2\n"), "the first two are read as the ends"));
  for (const char* names : {":END_ID,:START_ID", "\":END_ID\",\":START_ID\"", "\"цель\",\"источник\""})
    CHECK(refusalOf("g.csv", std::string(names) + "\n0,1\n1,2\n").starts_with("g.csv:1: column 2 is named "));
  // a minus beyond ASCII begins no name
  CHECK(refusalOf("g.csv",
                  "\xe2\x88\x92"
                  "1,\xe2\x88\x92"
                  "2\n0,1\n1,2\n") != "");
}

TEST_CASE("an index without a name is no end of an edge", "[formats]") {
  const Dataset right = loadText("g.csv", "5,6\n6,7\n7,5\n");
  for (const char* text :
       {",source,target\n0,5,6\n1,6,7\n2,7,5\n", ",0,1\n0,5,6\n1,6,7\n2,7,5\n",
        "\"\",\"from\",\"to\"\n\"1\",5,6\n\"2\",6,7\n\"3\",7,5\n",
        "\"\",\"from\",\"to\"\n\"7\",5,6\n\"4\",6,7\n\"5\",7,5\n", "\tu\tv\n0\t5\t6\n1\t6\t7\n2\t7\t5\n",
        ",source,target,weight,time\n0,5,6,0.5,1\n1,6,7,0.5,2\n2,7,5,1,3\n"}) {
    CAPTURE(text);
    const Dataset set = loadText("g.csv", text);
    CHECK(set.vertices() == 3);
    CHECK(set.arcsRead == 3);
    CHECK(set.arcs.columns == right.arcs.columns);
    CHECK(remarks(set, std::string("line 1 ") + kLeftOut));
    CHECK_FALSE(remarks(set, "counts the lines"));
  }
}

TEST_CASE("a first column without a name that is no index is refused", "[formats]") {
  const std::string problem =
      "the first column has no name in line 1 and is no index 0, 1, 2, … in order; write the "
      "file without it (pandas: index=False, R: row.names = FALSE)";
  CHECK(refusalOf("g.csv", ",red,blue\n4,5,6\n5,6,7\n").starts_with("g.csv:2:1: " + problem));
  CHECK(refusalOf("g.csv", ",red,blue\n0,5,6\n2,6,7\n").starts_with("g.csv:3:1: " + problem));
  // names that put the ends first leave no doubt: pandas keeps the index of a table that was filtered
  CHECK(loadText("g.csv", ",source,target\n4,5,6\n5,6,7\n").arcsRead == 2);
  CHECK(loadText("g.csv", ",source,target\n0,5,6\n2,6,7\n").arcsRead == 2);
  CHECK(refusalOf("g.csv", ",source,target\n0,5,6,1\n1,6,7,1\n")
            .starts_with("g.csv:2: has 4 columns; line 1 names 3, the first of them with nothing"));
  CHECK(refusalOf("g.csv", ",target,source\n0,5,6\n1,6,7\n")
            .starts_with("g.csv:1: column 3 is named 'source'"));
  CHECK(refusalOf("g.csv", ",0,1,2\n0,0,5,1\n1,5,0,2\n2,1,2,0\n").find("dense 3 × 3 matrix") !=
        std::string::npos);
}

TEST_CASE("an index stands before edges of folders as well", "[formats]") {
  const OwnCache own;
  writeEdgeFolders(own, ",id_1,id_2\n0,1,2\n1,2,3\n2,3,1\n");
  const Dataset set = loadAt(own.path("musae"));
  CHECK(set.arcs.nonzeros() == 6);
  CHECK(rowOf(set, 3) == std::vector<Vertex>{1, 2});
  CHECK(remarks(set, kLeftOut));
}

TEST_CASE("a label beside an edge list stands behind a vertex without a name for it", "[formats]") {
  const OwnCache own;
  own.write("net_labels.csv", ",label\n0,1\n1,0\n2,1\n");
  const Dataset set = loadDataset({.name = own.write("net.txt", "0 1\n1 2\n2 0\n").string()});
  CHECK(set.labels == std::vector<std::int32_t>{1, 0, 1});
}
