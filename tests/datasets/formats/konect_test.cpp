// Edges as KONECT has them: sides of a bipartite graph, direction and counts that comments tell.

#include "datasets/load.h"
#include "tests/datasets/loading.h"

using namespace halo;

TEST_CASE("a bipartite graph of KONECT has its second side behind the first", "[formats]") {
  const Dataset set = loadText("out.b", "% bip unweighted\n% 4 2 3\n1 1\n1 2\n2 2\n2 3\n", "", true);
  CHECK(set.vertices() == 5);
  CHECK(set.selfLoops == 0);
  CHECK(rowOf(set, 3) == std::vector<Vertex>{0, 1});
  CHECK(remarks(set, "bipartite (bip)"));
  CHECK(loadText("out.b", "% bip\n1 1\n1 2\n2 2\n2 3\n").vertices() == 5);
  CHECK(loadText("out.b", "% bip\n% 4 4 3\n1 1\n1 2\n2 2\n2 3\n").vertices() == 7);  // two without edges
  CHECK(loadText("out.s", "% sym unweighted\n1 2\n2 3\n").vertices() == 3);
}

TEST_CASE("edges of KONECT without a direction are two arcs of a directed set", "[formats]") {
  const auto arcs = [](const std::string& first) {
    return loadText("out.s", first + "\n1 2\n2 3\n", "", /*directed=*/true).arcs.nonzeros();
  };
  CHECK(arcs("% sym unweighted") == 4);
  CHECK(arcs("%sym") == 4);
  CHECK(arcs("% asym unweighted") == 2);
  CHECK(arcs("% symbols are left out") == 2);
  CHECK(arcs("# sym") == 2);
  CHECK(arcs("% made by hand\n% sym") == 2);
}

TEST_CASE("both sides of a bipartite graph are as large as a comment says", "[formats]") {
  const auto vertices = [](const std::string& sizes, const std::string& edges = "1 1\n2 2\n2 1\n") {
    return loadText("out.b", "% bip unweighted\n% 3 " + sizes + "\n" + edges).vertices();
  };
  CHECK(vertices("2 5") == 7);
  CHECK(vertices("5 2") == 7);
  CHECK(vertices("2 2") == 4);
  CHECK(vertices("20 500") == 520);
  CHECK(vertices("3 5", "0 0\n1 1\n1 0\n") == 8);
  CHECK(vertices("0 0") == 4);  // no sizes
  const auto refusal = [](const std::string& sizes, const std::string& edges = "1 1\n2 2\n2 1\n") {
    return refusalOf("out.b", "% bip\n% 3 " + sizes + "\n" + edges);
  };
  CHECK(refusal("1 2") == "out.b:4: vertex 2 of the first column does not exist; line 2 promises 1 of them");
  CHECK(refusal("2 1") == "out.b:4: vertex 2 of the second column does not exist; line 2 promises 1 of them");
  CHECK(refusal("2 5", "0 0\n2 1\n") ==
        "out.b: numbers its vertices from 0 and more of them than line 2 promises");
  CHECK(refusal("2147483647 5").find("beyond 2147483647") != std::string::npos);
  CHECK(refusal("2000000000 5") != "");  // so few bytes do not hold so many
}

TEST_CASE("sides of a bipartite graph that no number can count are refused", "[formats]") {
  const std::string largest = "9223372036854775807",
                    refused = "out.b: is bipartite (bip) and numbers its vertices beyond 2147483647";
  CHECK(refusalOf("out.b", "% bip\n1 " + largest + "\n2 3\n4 1\n") == refused);
  CHECK(refusalOf("out.b", "% bip\n0 1\n" + largest + " 3\n4 1\n") == refused);
  CHECK(refusalOf("out.b", "% bip\n% 3 5 " + largest + "\n1 1\n2 3\n4 1\n") == refused);
  CHECK(refusalOf("out.b", "% bip\n% 3 " + largest + " 5\n1 1\n2 3\n4 1\n") == refused);
}

TEST_CASE("vertices of KONECT without edges are vertices, the first and the last ones too", "[formats]") {
  const auto load = [](const std::string& vertices, const std::string& edges) {
    return loadText("out.s", "% sym unweighted\n% 3 " + vertices + " " + vertices + "\n" + edges);
  };
  const Dataset set = load("7", "3 4\n4 5\n3 5\n");
  CHECK(set.vertices() == 7);
  CHECK(rowOf(set, 2) == std::vector<Vertex>{3, 4});
  CHECK(remarks(set, "4 of 7 vertex numbers do not occur in the file"));
  CHECK(remarks(load("4", "3 4\n4 5\n3 5\n"), "line 2 promises 4 vertices; the edges make 6"));
  CHECK_THROWS_AS(load("2000000000", "3 4\n4 5\n3 5\n"), DamagedInput);  // so few bytes do not hold so many
}

TEST_CASE("edges of KONECT that come and go are told", "[formats]") {
  const std::string edges = "1 2 1 100\n2 3 1 101\n1 2 -1 102\n";
  CHECK(remarks(loadText("out.d", "% sym dynamic\n" + edges), "edges come and go (dynamic): all are read"));
  CHECK_FALSE(remarks(loadText("out.d", "% sym weighted\n" + edges), "dynamic"));
}
