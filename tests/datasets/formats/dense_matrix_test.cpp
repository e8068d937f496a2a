// Dense matrices that are read as edges or lists: what is said of them.

#include "tests/datasets/loading.h"

using namespace halo;

TEST_CASE("a dense matrix of 0 and 1 is no list of neighbours and is remarked as edges", "[formats]") {
  const std::string dense = "0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n", three = "0 1 1\n1 0 1\n1 1 0\n";
  const std::string message =
      "looks like a dense 4 × 4 matrix: 4 lines with 4 cells each, all 0 or 1; write its edges as `u v` on a "
      "line or as Matrix Market coordinates";
  CHECK(refusalOf("adj_matrix.csv", dense) == "adj_matrix.csv: " + message);
  CHECK(refusalOf("matrix.csv", dense, "adjacency-list") == "matrix.csv: " + message);
  CHECK(refusalOf("adj.txt", "# made\n" + three).find("dense 3 × 3 matrix") != std::string::npos);
  CHECK(remarks(loadText("matrix.csv", dense), message));
  CHECK(remarks(loadText("matrix.csv", three), "dense 3 × 3 matrix"));
  // lists and weighted edges
  CHECK(loadText("adj.csv", "0,1\n1,0\n").vertices() == 2);
  CHECK(loadText("adj.csv", "0,1,2\n1,0,2\n2,0,1\n").vertices() == 3);
  CHECK(loadText("adj.csv", "0,1\n1,0\n0,1\n").vertices() == 2);
  CHECK_FALSE(remarks(loadText("w.csv", "0,1,1\n1,2,1\n2,0,1\n"), "dense"));
  CHECK_FALSE(remarks(loadText("w.csv", "0,1,0.5\n1,0,1\n0,1,1\n"), "dense"));
  CHECK_FALSE(remarks(loadText("w.csv", "0,1,1\n1,0,1\n"), "dense"));
}

TEST_CASE("a dense matrix below names, or with weights, is remarked as edges too", "[formats]") {
  CHECK(remarks(loadText("m.csv", "a,b,c\n0,1,1\n1,0,1\n1,1,0\n"), "dense 3 × 3 matrix: 3 lines"));
  CHECK(remarks(loadText("m.txt", "0 3 0 2\n3 0 1 0\n0 1 0 5\n2 0 5 0\n"),
                "dense 4 × 4 matrix: 4 lines with 4 cells each, the same on both sides of a diagonal of 0"));
  CHECK(remarks(loadText("m.csv", "a,b,c,d\n0,3,0,2\n3,0,1,0\n0,1,0,5\n2,0,5,0\n"), "dense 4 × 4 matrix"));
  for (const char* edges :
       {"0 3 0 2\n3 0 1 0\n0 1 0 5\n2 0 6 1\n", "u,v,w\n0,1,7\n1,2,7\n2,0,7\n", "a,b,c\n0,1,1\n1,0,1\n"}) {
    CAPTURE(edges);
    CHECK_FALSE(remarks(loadText("m.csv", edges), "dense"));
  }
}

TEST_CASE("as many lines as columns with 0 on the diagonal may be a matrix", "[formats]") {
  CHECK(remarks(loadText("g.csv", "0,3,0\n2,0,7\n0,1,0\n"), "0 on the diagonal"));
  CHECK(remarks(loadText("g.csv", "0,3,0,9\n2,0,7,0\n0,1,0,4\n8,0,2,0\n"), "0 on the diagonal"));
  CHECK(remarks(loadText("g.csv", "1,2,3,4\n0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n"), "dense 4 × 4 matrix"));
  CHECK_FALSE(remarks(loadText("g.csv", "0,3,1\n2,0,7\n0,1,2\n"), "diagonal"));
}
