// Numbers in double quotes, as R and spreadsheets write every cell: all readers of lines take them.

#include "datasets/text/vertex_names.h"
#include "tests/datasets/loading.h"
#include "tests/datasets/refusal.h"

using namespace halo;

namespace {

const std::string kHeader = "\"source\",\"target\"\n", kPath = "\"0\",\"1\"\n\"1\",\"2\"\n";

void checkPath(const Dataset& set) {
  CHECK(set.vertices() == 3);
  CHECK(set.arcs.nonzeros() == 4);
  CHECK(rowOf(set, 1) == std::vector<Vertex>{0, 2});
}

/// The labels beside a graph of these edges.
std::vector<std::int32_t> labelsBeside(const std::string& edges, const std::string& labels) {
  const OwnCache own;
  own.write("g-labels.txt", labels);
  return loadAt(own.write("g.txt", edges)).labels;
}

}  // namespace

TEST_CASE("edges in quotes are read in every format of lines", "[formats]") {
  checkPath(loadText("a.csv", kPath, "edge-list"));
  checkPath(loadText("a.csv", "\"3\",\"2\"\n" + kPath, "counted-edge-list"));
  checkPath(loadText("a.gr", "p tw 3 2\n\"1\" \"2\" 1\n\"2\" 3 \"0.5\"\n"));
  CHECK(refusalOf("a.gr", "p tw 3 2\n\"1\" \"x\"\n2 3\n") ==
        "a.gr:2:5: '\"x\"' is not a whole number; a vertex number");
}

TEST_CASE("edges in quotes are read in every folder with lines of edges", "[formats]") {
  const OwnCache own;
  own.write("musae/a_target.csv", "\"id\",\"target\"\n\"2\",\"a\"\n\"0\",\"b\"\n\"1\",\"a\"\n");
  own.write("geom/out1_node_feature_label.txt", "n\tf\tl\n\"0\"\t1,0\t\"1\"\n1\t0,1\t0\n2\t1,1\t1\n");
  own.write("ogb/raw/num-node-list.csv", "\"3\"\n");
  own.write("ogb/raw/edge.csv", kPath);
  checkPath(loadAt(own.path("ogb")));
  for (const std::string& edges : {kHeader + kPath, kPath}) {
    CAPTURE(edges);
    own.write("musae/a_edges.csv", edges);
    checkPath(loadAt(own.path("musae")));
    own.write("geom/out1_graph_edges.txt", edges);
    checkPath(loadAt(own.path("geom")));
  }
  CHECK(loadAt(own.path("geom")).labels == std::vector<std::int32_t>{1, 0, 1});
}

TEST_CASE("labels in quotes go to vertices in quotes, renumbered or not", "[formats]") {
  const std::string labels = "\"0\" \"1\"\n\"1\" \"0\"\n\"9\" 1\n";
  using Labels = std::vector<std::int32_t>;
  CHECK(labelsBeside("0 1\n1 9\n", labels) == Labels{1, 0, 1});
  CHECK(labelsBeside("\"0\" \"1\"\n1 2\n", "\"0\" \"1\"\n\"1\" 0\n\"2\" \"1\"\n") == Labels{1, 0, 1});
  CHECK(labelsBeside("0 1\n1 2\n", "\"0\" \"1\"\n1 \"nan\"\n2 \"0\"\n") == Labels{1, -1, 0});
}

TEST_CASE("the number of a vertex is one number however it is spelled", "[formats]") {
  for (const char* word : {"7", "+7", "007", "\"7\"", "\"+07\""}) CHECK(wholeNumberOf(word) == 7);
  for (const char* word :
       {"", "\"", "\"\"", "-7", "-0", "+", "+-7", "7.0", "7 ", "\"7", "99999999999999999999"})
    CHECK(wholeNumberOf(word) == -1);
}

TEST_CASE("a quote that is not closed is no number", "[formats]") {
  const std::string no = " is not a number; a weight or a time, or nothing after the two vertices";
  CHECK(refusalOf("a.txt", "0 1 \"\n1 2 3\n") == "a.txt:1:5: '\"'" + no);
  CHECK(refusalOf("a.txt", "0 1 \"\"\n1 2 3\n") == "a.txt:1:5: '\"\"'" + no);
  CHECK(refusalOf("a.txt", "0 1 \"3\n1 2 3\n") == "a.txt:1:5: '\"3'" + no);
  CHECK(refusalOf("a.txt", "0 1 \"3\" \"+4.5\"\n1 2 3 4 {}\n").empty());
}
