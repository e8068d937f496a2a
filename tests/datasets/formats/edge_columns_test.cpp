// What may stand around the two numbers of an edge: names, quotes, what a program knows of an edge.

#include "tests/datasets/formats/loading.h"

using namespace halo;

TEST_CASE("names above edges, also behind a comment mark, have to name the ends first", "[formats]") {
  const char* const elsewhere = "the first two columns are the source and the target of an edge";
  for (const char* names : {"# id source target", "rank,source_node,target_node", "label,vertex_a,vertex_b",
                            "w,user1,user2", "# target source weight"}) {
    CAPTURE(names);
    const bool commas = std::string(names).find(',') != std::string::npos;
    const std::string said =
        refusalOf("g.txt", names + std::string(commas ? "\n0,5,6\n1,6,7\n" : "\n0 5 6\n1 6 7\n"));
    CHECK(said.starts_with("g.txt:1: "));
    CHECK(said.find(elsewhere) != std::string::npos);
  }
  for (const char* names : {"# source target id", "# FromNodeId ToNodeId", "# Nodes: 3 Edges: 2",
                            "# weight of edges", "row col value", "source_node target_node t"}) {
    CAPTURE(names);
    CHECK(loadText("g.txt", names + std::string("\n0 1 6\n1 2 7\n")).vertices() == 3);
  }
  CHECK(remarks(loadText("g.csv", "friend,other,since\n0,1,6\n1,2,7\n"),
                "the first two are read as the ends of an edge"));
  CHECK_FALSE(remarks(loadText("g.csv", "u,v,since\n0,1,6\n1,2,7\n"), "the first two"));
}

TEST_CASE("what networkx writes behind an edge is read over", "[formats]") {
  const Dataset plain = loadText("g.txt", "0 1 {}\n1 2 {}\n2 0 {}\n");
  CHECK(plain.arcs.nonzeros() == 6);
  CHECK_FALSE(remarks(plain, "not used"));
  const Dataset weighted =
      loadText("g.txt", "0 1 {'weight': 3.0}\n1 2 {'a': 'x, y', 'b': {}, 'c': [1, 2]}\n2 0 {}\n");
  CHECK(weighted.arcs.nonzeros() == 6);
  CHECK(remarks(weighted, "are not used"));
  CHECK(refusalOf("g.txt", "0 1 {}\n1 2 {'a\n", "edge-list").starts_with("g.txt:2:5: "));
}

TEST_CASE("numbers in quotes are numbers", "[formats]") {
  CHECK(loadText("g.csv", "\"0\",\"1\"\n\"1\",\"2\"\n\"2\",\"0\"\n").arcs.nonzeros() == 6);
  const Dataset named =
      loadText("g.csv", "\"source\",\"target\",\"w\"\n\"0\",\"1\",\"0.5\"\n\"1\",\"2\",\"3\"\n");
  CHECK(named.arcs.nonzeros() == 4);
  CHECK(remarks(named, "are not used"));
  CHECK(refusalOf("g.csv", "\"0\",\"1\"\n\"1\",\"x\"\n").starts_with("g.csv:2:5: "));
  CHECK(refusalOf("g.csv", "0,1,2\n1,2,\"x\"\n").starts_with("g.csv:2:5: "));
}

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
