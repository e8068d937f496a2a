// Dense matrices of whole numbers where lists of neighbours or counted edges are expected.

#include "tests/datasets/loading.h"

using namespace halo;

namespace {

std::string dense(int n) {
  const std::string size = std::to_string(n);
  return "looks like a dense " + size + " × " + size + " matrix: " + size + " lines with " + size +
         " cells each, ";
}

bool refused(const std::string& name, const std::string& text, int n, const std::string& words,
             const std::string& format = "") {
  const std::string message = refusalOf(name, text, format);
  INFO(message);
  return message.find(dense(n) + words + "; write its edges") != std::string::npos;
}

const std::string kDiagonal = "the same on both sides of a diagonal of 0";
const std::string kRows = "0 29 20 21 16\n29 0 15 17 28\n20 15 0 28 40\n21 17 28 0 13\n16 28 40 13 0\n";

}  // namespace

TEST_CASE("a dense matrix of whole numbers is no list of neighbours", "[formats]") {
  CHECK(refused("adjacency.txt", "0 3 7 9 4\n3 0 5 8 6\n7 5 0 2 1\n9 8 2 0 10\n4 6 1 10 0\n", 5, kDiagonal));
  CHECK(refused("adj.csv", "0;3;7;9\n3;0;5;8\n7;5;0;2\n9;8;2;0\n", 4, kDiagonal));
  CHECK(refused("adj.txt", kRows, 5, kDiagonal));
  CHECK(refused("adj_matrix.csv", "0 2 1 3\n2 0 1 5\n1 1 0 7\n3 5 7 0\n", 4, kDiagonal));
  // the distances on a path
  CHECK(refused("adj.tsv", "0\t1\t2\t3\n1\t0\t1\t2\n2\t1\t0\t1\n3\t2\t1\t0\n", 4, kDiagonal));
  CHECK(
      refused("adj.txt", "0 12 0 7 0\n3 0 5 0 0\n4 0 0 1 2\n1 6 0 0 9\n2 0 8 0 0\n", 5, "0 on the diagonal"));
  CHECK(refused("adj.txt", "0 12 3 7\n3 0 5 6\n4 9 0 1\n1 6 8 0\n", 4, "0 on the diagonal"));
  CHECK(refused("adj.csv", "9,3,2\n3,9,4\n2,4,9\n", 3, "the same on both sides of its diagonal"));
  // counts, with loops
  CHECK(refused("adj.csv", "2,0,1,1\n0,0,3,1\n1,2,4,0\n1,1,0,0\n", 4, "some numbers twice on a line"));
}

TEST_CASE("a dense matrix may stand below its size or the numbers of its columns, and behind an index",
          "[formats]") {
  CHECK(refused("adj.txt", "5\n" + kRows, 5, kDiagonal));
  CHECK(refused("adj.txt", "5 5\n" + kRows, 5, kDiagonal, "adjacency-list"));
  CHECK(refused("adj.txt", "3 3 4\n0 2 7\n2 0 1\n7 1 0\n", 3, kDiagonal));
  CHECK(refused("adj.txt", "0 1 2 3 4\n" + kRows, 5, kDiagonal));
  CHECK(refused("adj.csv", "0,0,3,7\n1,3,0,5\n2,7,5,0\n", 3, kDiagonal + ", behind an index"));
  CHECK(refused("adj.csv", "1,0,1,0\n2,1,0,1\n3,0,1,0\n", 3, "all 0 or 1, behind an index"));
}

TEST_CASE("lists with as many numbers on a line as there are lines stay lists", "[formats]") {
  const auto rows = [](const Dataset& set) {
    std::string text;
    for (Index v = 0; v < set.vertices(); ++v, text += "|")
      for (const Vertex u : set.arcs.row(v)) text += std::to_string(u);
    return text;
  };
  for (const char* complete : {"0 1 2\n1 0 2\n2 0 1\n", "0 1 2\n1 0 2\n2 1 0\n", "2 0 1\n0 1 2\n1 2 0\n"}) {
    CAPTURE(complete);
    CHECK(rows(loadText("adj.txt", complete)) == "12|02|01|");
  }
  CHECK(loadText("adj.txt", "0 1 2\n1 3 4\n2 4 5\n").vertices() == 6);
  // vertices without a list, loops, and neighbours that stand there twice
  CHECK(loadText("adj.txt", "0 3 4\n1 3 5\n2 4 5\n").vertices() == 6);
  CHECK(loadText("adj.txt", "5 1 2 3\n6 1 2 4\n7 2 3 4\n8 1 3 4\n").vertices() == 8);
  CHECK(rows(loadText("adj.txt", "0 0 1\n1 0 2\n2 1 2\n")) == "1|02|1|");
  CHECK(loadText("adj.txt", "0 0 3\n1 1 4\n2 2 5\n").vertices() == 6);
  CHECK(rows(loadText("adj.txt", "0 1 1\n1 2 2\n2 0 0\n")) == "12|02|01|");
  CHECK(remarks(loadText("adj.txt", "0 1 1\n1 2 2\n2 0 0\n"), dense(3) + "some numbers twice on a line"));
  CHECK(loadText("adj.txt", "3\n0 1 2\n1 0 2\n2 0 1\n").arcs.nonzeros() >= 6);
}

TEST_CASE("a dense matrix below its size is no list of edges with weights", "[formats]") {
  CHECK(refused("g.txt", "4 4\n0 1 1 0\n1 0 0 1\n1 0 0 1\n0 1 1 0\n", 4, "all 0 or 1"));
  CHECK(refused("g.txt", "3 3\n0 1 1\n1 0 0\n1 0 0\n", 3, "all 0 or 1"));
  CHECK(refused("g.txt", "4 4 4\n0 1 2 3\n1 0 1 2\n2 1 0 1\n3 2 1 0\n", 4, kDiagonal));
  CHECK(refused("g.txt", "4 4\n0 2 0 1\n1 0 3 0\n0 1 0 2\n2 0 1 0\n", 4, "0 on the diagonal"));
  for (const char* edges :
       {"3 3\n0 1 5\n1 2 7\n2 0 3\n", "3 3\n0 1 1\n1 2 1\n0 2 1\n", "3 3\n1 2 1\n2 3 1\n1 3 1\n",
        "3 3\n0 1 5\n2 0 7\n1 2 0\n", "4 4\n0 1 0 0\n2 0 0 0\n1 2 0 0\n1 3 0 0\n"}) {
    CAPTURE(edges);
    CHECK(remarks(loadText("g.txt", edges), "the first line is taken for counts"));
  }
}
