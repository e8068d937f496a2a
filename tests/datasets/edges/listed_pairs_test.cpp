// Lines on which the second number counts those after it: lists with degrees, and what only looks so.

#include "tests/datasets/loading.h"

using namespace halo;

namespace {

const std::string kWords =
    "the second number on every line counts those after it, as in lists of `vertex degree neighbour …`";
const std::string kOut = kWords + "; a line has no degree: take it out of every line";
const std::string kAdvice = "take it out of every line and choose dataset.format = \"adjacency-list\"";

std::string ring(int vertices, int first) {
  std::string text;
  for (int v = 0; v < vertices; ++v)
    text += std::to_string(v + first) + " 2 " + std::to_string((v + vertices - 1) % vertices + first) + " " +
            std::to_string((v + 1) % vertices + first) + "\n";
  return text;
}

}  // namespace

TEST_CASE("lists with degrees are remarked where they are read as edges", "[formats]") {
  for (const int first : {0, 1}) {
    const Dataset set = loadText("g.txt", ring(6, first));
    CHECK(remarks(set, kWords + "; taken as edge-list"));
    CHECK(remarks(set, kAdvice));
  }
  CHECK(remarks(loadText("g.txt", ring(9000, 0)), kAdvice));
  CHECK(remarks(loadText("g.txt", "4 4\n" + ring(4, 0)), kWords + "; taken as counted-edge-list"));
  CHECK(remarks(loadText("g.csv", "0,1,1\n1,1,0\n2,1,3\n3,1,2\n"), kAdvice));
  for (const char* edges : {"0 1 5\n1 2 5\n2 0 5\n", "0 1\n1 0\n2 0\n3 0\n", "0 1 5\n0 1 6\n2 1 3\n",
                            "1 0\n2 0\n3 0\n", "0 1 0.5\n2 1 0.5\n3 1 0.5\n", "0 1 2\n2 1 3\n"}) {
    CAPTURE(edges);
    CHECK_FALSE(remarks(loadText("g.txt", edges), kWords));
  }
}

TEST_CASE("lists with degrees are refused where they are read as neighbours", "[formats]") {
  CHECK(refusalOf("graph-adj.txt", "0 2 1 2\n1 1 0\n2 1 0\n") == "graph-adj.txt: " + kOut);
  CHECK(refusalOf("adjlist.txt", "0 3 1 2 3\n1 2 0 2\n2 2 0 1\n3 1 0\n") == "adjlist.txt: " + kOut);
  CHECK(refusalOf("adj.txt", ring(3, 1)) == "adj.txt: " + kOut);
  CHECK(refusalOf("adj.txt", ring(5, 1)) == "adj.txt: " + kOut);
  CHECK(refusalOf("adj.txt", "4\n0 2 1 2\n1 1 0\n2 1 0\n9 0\n") == "adj.txt: " + kOut);
  CHECK(refusalOf("adj.txt", "3 2\n0 2 1 2\n1 1 0\n2 1 0\n") == "adj.txt: " + kOut);
}

TEST_CASE("lists whose first neighbour counts the others by chance stay lists", "[formats]") {
  // no vertex lists back: a degree as well as a neighbour
  const Dataset tree = loadText("adj.txt", "1 0\n2 0\n3 1 2\n");
  CHECK(tree.vertices() == 4);
  CHECK(remarks(tree, kWords + "; it is read as a neighbour"));
  for (const char* lists : {"1 0\n2 0\n3 0\n0\n", "0 1 2\n1 0 2\n2 0 1\n", "0 1\n1 0\n", "0 1 4\n1 2\n4\n",
                            "1 0\n2 0\n3 0\n", "0 1 2 3\n1 0\n2 0\n3 0\n"}) {
    CAPTURE(lists);
    CHECK_FALSE(remarks(loadText("adj.txt", lists), kWords));
  }
}

TEST_CASE("lists with weights are refused where they are read as neighbours", "[formats]") {
  const std::string refusal =
      "adj.txt: every other number of a list is a weight: only so do all vertices list each other; write "
      "`vertex neighbour weight` on a line for each edge";
  CHECK(refusalOf("adj.txt", "0 1 5 2 7\n1 0 5 2 4\n2 0 7 1 4\n") == refusal);
  CHECK(refusalOf("adj.txt", "1 2 1 3 1\n2 1 1 4 1\n3 1 1\n4 2 1\n") == refusal);
  for (const char* lists : {"0 1 2 3 4\n1 0 2\n2 0 1\n3 0 4\n4 0 3\n", "0 1 5 2 7\n1 2 4\n",
                            "0 1 2\n1 0 2\n2 0 1\n", "0 1 5 2 7\n1 0 5 2 4\n2 0 7 1 4 3\n3 2\n"}) {
    CAPTURE(lists);
    CHECK_NOTHROW(loadText("adj.txt", lists));
  }
}

TEST_CASE("lists without their vertices are refused where the first neighbour would be one", "[formats]") {
  const std::string refusal =
      ": lists the neighbours of a vertex on the line with its number: only so do all list each other; write "
      "the vertex first on every line";
  CHECK(refusalOf("p.adj", "2\n1 3\n2 4\n3\n") == "p.adj" + refusal);
  CHECK(refusalOf("p.adj", "1\n0 2\n1 3\n2\n") == "p.adj" + refusal);
  CHECK(refusalOf("p.adj", "2 3\n1 3\n1 2 4\n3\n") == "p.adj" + refusal);
  CHECK(refusalOf("p.adj", "4\n1\n0 2\n1 3\n2\n") == "p.adj" + refusal);
  for (const char* lists : {"1 2\n2 1 3\n3 2 4\n4 3\n", "2 1 3\n1 2\n4 3\n3 2 4\n", "2\n1 3\n2 4\n"}) {
    CAPTURE(lists);
    CHECK_NOTHROW(loadText("p.adj", lists));
  }
}

TEST_CASE("lists without their vertices are remarked where they are read as edges", "[formats]") {
  const std::string words = "its lines fit lists of the neighbours of the vertex with the number of the line";
  CHECK(remarks(loadText("g.txt", "1 3\n0 2\n1 3\n0 2\n"), words));
  CHECK(remarks(loadText("g.txt", "2 3 4\n1 3 4\n1 2 4\n1 2 3\n"), words));
  CHECK_FALSE(remarks(loadText("g.txt", "0 1\n1 2\n2 3\n3 0\n"), words));
  CHECK_FALSE(remarks(loadText("g.txt", "1 3 4\n0 2 5\n1 3 6\n0 2 7\n"), words));
}

TEST_CASE("multiline lists of networkx are refused", "[formats]") {
  const std::string refusal =
      "p.adjlist: has `vertex count` above as many lines of one neighbour each, as networkx writes multiline "
      "lists; write `vertex neighbour neighbour …` on a line";
  CHECK(refusalOf("p.adjlist", "0 2\n1\n2\n1 1\n2\n2 0\n") == refusal);
  CHECK(refusalOf("p.adjlist", "0 1\n1\n1 1\n2\n2 0\n") == refusal);
  for (const char* lists : {"0 2\n1\n2\n1 2\n2\n", "0 1\n1 0\n2 0\n3 0\n", "0\n1\n2 1\n3\n"}) {
    CAPTURE(lists);
    CHECK(refusalOf("p.adjlist", lists) != refusal);
  }
}
