// What comments and a column Type say of the direction of edges.

#include <tuple>

#include "datasets/load.h"
#include "tests/datasets/loading.h"

using namespace halo;

TEST_CASE("an edge list that says its edges have no direction has two arcs an edge, also directed",
          "[formats]") {
  const std::pair<const char*, const char*> texts[] = {
      {"g.txt", "# Undirected graph: x\n# Nodes: 3 Edges: 2\n# FromNodeId ToNodeId\n0 1\n1 2\n"},
      {"g.txt", "# undirected unweighted network\n0 1\n1 2\n"},
      {"g.txt", "# Undirected graph\n3 2\n0 1\n1 2\n"},
      {"g.txt", "% bip\n% 2 2 2\n1 1\n2 2\n"},
      {"g.txt", "% sym unweighted\n% 2 3 3\n1 2\n2 3\n"},
      {"g.csv", "Source,Target,Type,Id\n0,1,Undirected,0\n1,2,undirected,1\n"}};
  for (const auto& [name, text] : texts) {
    CAPTURE(text);
    CHECK(loadText(name, text, "", /*directed=*/true).arcs.nonzeros() == 4);
  }
}

TEST_CASE("an edge list that says it is directed is remarked, and read as asked for", "[formats]") {
  const std::string inverse = "; inverse arcs are added all the same unless dataset.directed = true";
  const std::tuple<const char*, const char*, std::string> texts[] = {
      {"g.txt", "# Directed graph (each unordered pair of nodes is saved once): x\n0 1\n1 2\n",
       "line 1 says that the graph is directed" + inverse},
      {"g.txt", "% asym positive\n1 2\n2 3\n", "line 1 says that the graph is directed" + inverse},
      {"g.csv", "Source,Target,Type\n0,1,Directed\n1,2,Directed\n",
       "the column Type says that all edges are directed" + inverse},
      {"g.csv", "Source,Target,Type\n0,1,Directed\n1,2,Undirected\n",
       "the column Type calls 1 edges directed, 1 undirected and 0 neither: dataset.directed says how all "
       "are read"}};
  for (const auto& [name, text, remark] : texts) {
    CAPTURE(text);
    CHECK(remarks(loadText(name, text), remark));
    CHECK(loadText(name, text, "", /*directed=*/true).arcs.nonzeros() == 2);
  }
  CHECK(remarks(loadText("g.csv", "Source,Target,Type\n0,1,Undirected\n1,2,\n"),
                "the column Type calls 0 edges directed, 1 undirected and 1 neither"));
  CHECK_FALSE(remarks(loadText("g.csv", "Source,Target,Type\n0,1,follows\n1,2,likes\n"), "the column Type"));
}

TEST_CASE("comments that contradict each other are remarked, and the first counts", "[formats]") {
  const Dataset undirected =
      loadText("g.txt", "# Undirected graph\n# Directed graph\n0 1\n1 2\n", "", /*directed=*/true);
  CHECK(undirected.arcs.nonzeros() == 4);
  CHECK(
      remarks(undirected, "line 1 says that the graph is undirected, line 2 the opposite; line 1 is taken"));
  CHECK(remarks(loadText("g.txt", "% asym positive\n# undirected\n1 2\n2 3\n"),
                "line 1 says that the graph is directed, line 2 the opposite"));
  CHECK_FALSE(remarks(loadText("g.txt", "# Undirected graph\n# Undirected graph\n0 1\n1 2\n"), "opposite"));
}

TEST_CASE("a DIMACS file of arcs alone says what becomes of their direction", "[formats]") {
  constexpr const char* arcs = "p sp 3 2\na 1 2 5\na 2 3 5\n";
  CHECK(remarks(loadText("a.gr", arcs), "inverse arcs that are missing are added unless dataset.directed"));
  CHECK(loadText("a.gr", arcs).arcs.nonzeros() == 4);
  CHECK(loadText("a.gr", arcs, "", /*directed=*/true).arcs.nonzeros() == 2);
  CHECK_FALSE(remarks(loadText("e.gr", "p edge 3 2\ne 1 2\ne 2 3\n"), "inverse arcs"));
}
