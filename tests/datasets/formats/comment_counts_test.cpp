// What comments say of how many vertices and edges there are.

#include "tests/datasets/loading.h"

using namespace halo;

TEST_CASE("vertices that a comment declares in any form are remarked where the edges lack them",
          "[formats]") {
  const std::string edges = "1 0\n1 2\n2 3\n3 4\n4 5\n";
  for (const char* comment : {"# Nodes: 7 Edges: 5",
                              "# nodes: 7 edges: 5",
                              "# Vertices: 7 Edges: 5",
                              "# Nodes:7,Edges:5",
                              "# Nodes: 7; Edges: 5",
                              "# Nodes 7 Edges 5",
                              "# Number of nodes: 7",
                              "% number of vertices = 7",
                              "#nodes=7 edges=5",
                              "# 7 nodes, 5 edges",
                              "# 7 nodes 5 edges",
                              "# NumNodes: 7",
                              "# num_nodes: 7",
                              "# node count: 7",
                              "# |V| = 7, |E| = 5",
                              "# a graph with 7 vertices and 5 edges",
                              "# NODES\t7",
                              "# made in 2020, nodes: 7.",
                              "# 2020 nodes: 7",
                              "# Nodes 7 and edges 5"}) {
    CAPTURE(comment);
    const Dataset set = loadText("a.txt", std::string(comment) + "\n" + edges);
    CHECK(set.vertices() == 6);
    CHECK(remarks(set, "line 1 promises 7 vertices; the edges make 6; vertices without edges are left out"));
    CHECK_FALSE(remarks(set, "see whether it is whole"));
  }
  CHECK(remarks(loadText("a.txt", edges + "# nodes: 7\n"), "line 6 promises 7 vertices"));
  for (const char* comment :
       {"# Nodes 1 to 5 are authors", "# nodes 0-99", "# nodes: 0.5", "# node_7", "# nodes: 6, edges: 5",
        "# knodes: 7", "# version 7", "# edges per node: 7", "# isolated nodes: 2"}) {
    CAPTURE(comment);
    CHECK_FALSE(remarks(loadText("a.txt", std::string(comment) + "\n" + edges), "promises"));
  }
}

TEST_CASE("what a comment declares above lists is remarked where they have it not", "[formats]") {
  const std::string lists = "0 1 2\n1 0 2 3\n2 0 1\n3 1\n";
  const Dataset incomplete = loadText("net_adjlist.txt", "# Nodes: 7 Edges: 4\n" + lists);
  CHECK(incomplete.vertices() == 4);
  CHECK(remarks(incomplete,
                "line 1 promises 7 vertices; the lists make 4; vertices without lists are left out"));
  CHECK_FALSE(remarks(incomplete, "promises 4 edges"));
  CHECK(remarks(loadText("net_adjlist.txt", "# nodes: 4 edges: 9\n" + lists),
                "line 1 promises 9 edges; the lists hold 8 neighbours"));
  CHECK_FALSE(remarks(loadText("net_adjlist.txt", "# nodes: 4 edges: 8\n" + lists), "promises"));
  CHECK_FALSE(remarks(loadText("net_adjlist.txt", "# nodes: 3 edges: 3\n0 1 2\n1 1\n2\n"), "promises"));
}

TEST_CASE("a number alone above blocks of edges is a vertex of LGL, and refused", "[formats]") {
  const std::string problem =
      "`# 1` above a block of lines, as in LGL, where it names a vertex and the lines its neighbours; write "
      "each edge as `u v` on a line, or take such lines out if all others are whole";
  CHECK(refusalOf("g.lgl", "# 0\n1 5\n2 7\n# 1\n2 3\n# 3\n4 2\n").starts_with("g.lgl:1: `# 0` above"));
  CHECK(refusalOf("g.txt", "# 0\n1 5\n2 7\n# 1\n2 3\n# 3\n4 2\n") == "g.txt:4: " + problem);
  CHECK(refusalOf("g.txt", "# a graph\n#0\n1 5\n2 7\n#\t1 \r\n2 3\n") == "g.txt:5: " + problem);
  CHECK(refusalOf("g.txt", "# 0\n3 1\n# 1\n2 1\n") == "g.txt:3: " + problem);  // its first line counts, too
  CHECK(refusalOf("adj.txt", "# 0\n1\n2\n# 1\n3\n") == "adj.txt:4: " + problem);
  CHECK(refusalOf("g.lgl", "# 0\n1 5\n2 7\n").starts_with("g.lgl:1: "));
  const Dataset star = loadText("g.txt", "# 4\n0 1\n0 2\n0 3\n");
  CHECK(star.vertices() == 4);
  CHECK(remarks(star, "line 1 (# 4) is read as a comment; it may count vertices, or name one"));
  // comments in words, and numbers that no block of lines is below
  CHECK(loadText("g.txt", "0 1\n# 1\n1 2\n").vertices() == 3);
  CHECK_FALSE(remarks(loadText("g.txt", "# part 1\n0 1\n# part 2\n1 2\n"), "read as a comment"));
}

TEST_CASE("thousands that are grouped in a comment are not taken for another count", "[formats]") {
  const std::string edges = "1 0\n1 2\n2 3\n3 4\n4 5\n";
  for (const char* comment :
       {"# Nodes: 4,039 Edges: 88,234", "# 4,039 nodes and 88,234 edges", "# nodes 4'039",
        "# Nodes: 4 039 Edges: 88 234", "# 4 039 nodes, 88 234 edges", "# Nodes: 4.039"}) {
    CAPTURE(comment);
    CHECK_FALSE(remarks(loadText("a.txt", std::string(comment) + "\n" + edges), "promises"));
  }
  CHECK(remarks(loadText("a.txt", "# Nodes: 4039 Edges: 88234\n" + edges), "promises 4039 vertices"));
}

TEST_CASE("vertices that letters, other words, brackets or bare numbers count are promised", "[formats]") {
  const std::string edges = "0 1\n1 2\n2 3\n";
  for (const char* comment :
       {"# n=9 m=3", "# n: 9, m: 3", "# V=9", "# v = 9", "# verts: 9", "# Anzahl Knoten: 9", "# nodes (9)",
        "# Nodes:9Edges:3", "#9 3", "# 9 3", "% 9 9 3"}) {
    CAPTURE(comment);
    CHECK(remarks(loadText("a.txt", std::string(comment) + "\n" + edges),
                  "line 1 promises 9 vertices; the edges make 4"));
  }
  for (const char* comment : {"# n 9", "# -n: 9", "# k_n=9", "# n", "# 9 4", "# 9 8 3", "# 9 9 9 3"}) {
    CAPTURE(comment);
    CHECK_FALSE(remarks(loadText("a.txt", std::string(comment) + "\n" + edges), "promises"));
  }
}

TEST_CASE("the first vertices of a side without edges are those that KONECT promises", "[formats]") {
  for (const char* text : {"% bip unweighted\n% 3 4 5\n2 2\n3 3\n4 5\n", "% bip\n% 3 4 5\n2 1\n3 3\n4 5\n"}) {
    const Dataset set = loadText("out.k", text);
    CHECK(set.vertices() == 9);
    CHECK(remarks(set, "3 of 9 vertex numbers do not occur"));
  }
  CHECK(rowOf(loadText("out.k", "% bip\n% 3 4 5\n2 2\n3 3\n4 5\n"), 1) == std::vector<Vertex>{5});
}

TEST_CASE("several graphs in a file are refused where comments tell them, and remarked where counts do",
          "[formats]") {
  const std::string another = "another graph seems to begin with this line; one graph in a file";
  CHECK(refusalOf("g.txt", "# Graph 1\n0 1\n1 2\n\n# Graph 2\n0 2\n0 3\n") == "g.txt:5:1: " + another);
  CHECK(refusalOf("g.txt", "# graph #1:\n0 1\n# graph #2:\n0 2\n") == "g.txt:3:1: " + another);
  CHECK(refusalOf("g.txt", "% sym\n0 1\n1 2\n% sym\n0 2\n0 3\n") == "g.txt:4:1: " + another);
  CHECK(refusalOf("g.txt", "# graph 1\n0 1\n# graph of friends\n1 2\n").empty());
  CHECK(refusalOf("g.txt", "0 1\n% symmetric from here\n1 2\n").empty());
  const std::string blocks = "the lines fit 2 graphs one after the other";
  CHECK(remarks(loadText("g.txt", "3 2\n0 1\n1 2\n4 2\n0 2\n0 3\n"), blocks));
  CHECK_FALSE(remarks(loadText("g.txt", "3 2\n0 1\n1 2\n4 2\n0 2\n"), blocks));       // a line is missing
  CHECK_FALSE(remarks(loadText("g.txt", "3 2\n0 1\n1 4\n4 2\n0 2\n0 3\n"), blocks));  // 4 is no vertex of 3
}

TEST_CASE("a matrix in Octave's text form is refused", "[formats]") {
  CHECK(refusalOf("A.txt",
                  "# Created by Octave 6.4.0\n# name: A\n# type: sparse matrix\n# nnz: 1\n# rows: 5\n"
                  "# columns: 5\n2 1 1\n")
            .starts_with("A.txt:3:1: a matrix in Octave's text form, which is not read"));
}
