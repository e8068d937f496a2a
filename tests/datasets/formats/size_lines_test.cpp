// What stands before the edges of METIS, DIMACS, PACE and JuliaGraphs files, and what it may promise.

#include "tests/datasets/loading.h"

using namespace halo;

TEST_CASE("DIMACS files may describe their vertices", "[formats]") {
  const Dataset colours =
      loadText("col_n.col", "c x\np edge 5 4\nn 1 3\nn 2 7\ne 1 2\ne 2 3\ne 3 4\ne 4 5\n");
  CHECK(colours.vertices() == 5);
  CHECK(colours.arcs.nonzeros() == 8);
  CHECK(remarks(colours, "begin with n, d, v or x are not read"));
  const Dataset ways = loadText("sp2.gr", "c made\np  sp  4   4\na 1 2 5\na 2 1 5\na 3 4 1\na 4 3 1\n");
  CHECK(ways.vertices() == 4);
  CHECK(ways.arcs.nonzeros() == 4);
  CHECK(loadText("flow.max", "p max 4 2\nn 1 s\nn 4 t\na 1 2 5\na 2 4 5\n").vertices() == 4);
  CHECK(loadText("tab.col", "c\tx\np\tcol\t3\t1\n  e\t1\t3\n").arcs.nonzeros() == 2);
  CHECK(loadText("geo.col", "p edge 2 1\nd 2 LINF\nv 0.5 0.5\nv 1 1\nx KEY 1\ne 1 2\n").arcs.nonzeros() == 2);
  std::string preamble;
  for (int i = 0; i < 5000; ++i) preamble += "c some words on where the graph is from\n";
  CHECK(loadText("long.col", preamble + "p edge 2 1\ne 1 2\n").arcs.nonzeros() == 2);
}

TEST_CASE("edges of a DIMACS or PACE file are two arcs of a directed set, arcs are one", "[formats]") {
  const auto directed = [](const std::string& name, const std::string& text) {
    return loadText(name, text, "", /*directed=*/true);
  };
  for (const Dataset& path :
       {directed("a.gr", "p tw 3 2\n1 2\n2 3\n"), directed("a.col", "p edge 3 2\ne 1 2\ne 2 3\n")}) {
    CHECK(path.arcs.nonzeros() == 4);
    CHECK(rowOf(path, 1) == std::vector<Vertex>{0, 2});
    CHECK(path.arcsRead == 2);
    CHECK(path.repeatedArcs == 0);
  }
  CHECK(directed("both.col", "p edge 3 3\ne 1 2\ne 2 1\ne 3 3\n").arcs.nonzeros() == 2);
  CHECK(directed("a.gr", "p sp 3 2\na 1 2 5\na 2 3 5\n").arcs.nonzeros() == 2);
  for (const char* text : {"p sp 3 2\ne 1 2\na 2 3 5\n", "p sp 3 2\na 2 3 5\ne 1 2\n"}) {
    const Dataset mixed = directed("a.gr", text);
    CHECK(rowOf(mixed, 0) == std::vector<Vertex>{1});
    CHECK(rowOf(mixed, 1) == std::vector<Vertex>{0});
    CHECK(rowOf(mixed, 2) == std::vector<Vertex>{1});
    CHECK(loadText("a.gr", text).arcs.nonzeros() == 4);
  }
  CHECK(refusalOf("a.col", "p edge 3 3\ne 1 2\ne 2 3\n") == "a.col:1: promises 3 edges; the file holds 2");
}

TEST_CASE("the columns of DIMACS are no index, and a flow of least cost has three numbers", "[formats]") {
  for (const char* text :
       {"p sp 4 3\na 1 2 5\na 2 3 7\na 3 4 1\n", "p edge 4 3\ne 1 2 5\ne 2 3 7\ne 3 4 1\n"})
    CHECK_FALSE(remarks(loadText("path.gr", text), "counts the lines"));
  CHECK(remarks(loadText("path.gr", "p tw 4 3\n1 2 5\n2 3 7\n3 4 1\n"), "counts the lines"));
  const Dataset flow = loadText("flow.min", "p min 4 2\nn 1 4\nn 4 -4\na 1 2 0 5 1\na 2 4 0 5 1\n");
  CHECK(flow.vertices() == 4);
  CHECK(flow.arcs.nonzeros() == 4);
  CHECK(refusalOf("flow.min", "p min 4 1\na 1 2 0 5 1 9\n") ==
        "flow.min:2:13: more than five numbers; an edge is `u v`, then its least flow, capacity and cost");
  CHECK(
      refusalOf("flow.max", "p max 4 1\na 1 2 0 5 1\n").starts_with("flow.max:2:9: more than three numbers"));
}

TEST_CASE("an arc of a DIMACS file has the numbers that its problem is about", "[formats]") {
  CHECK(refusalOf("a.gr", "p sp 3 2\na 1 2\na 2 3\n") ==
        "a.gr:2:5: the line ends behind '2'; an arc is `a u v LENGTH`");
  CHECK(refusalOf("a.gr", "p sp 3 2\na 1 2 7\na 2\t3 \n") ==
        "a.gr:3:5: the line ends behind '3'; an arc is `a u v LENGTH`");
  CHECK(refusalOf("a.max", "p max 3 1\na 1 2\n") ==
        "a.max:2:5: the line ends behind '2'; an arc is `a u v CAPACITY`");
  CHECK(refusalOf("a.min", "p min 3 1\na 1 2 0 5\n") ==
        "a.min:2:9: the line ends behind '5'; an arc is `a u v LEAST MOST COST`");
  CHECK(refusalOf("a.gr", "p sp 3 1\na 1\n") == "a.gr:2: the line ends early; a vertex number");
  CHECK(loadText("a.gr", "p edge 3 1\na 1 2\n").arcs.nonzeros() == 2);
}

TEST_CASE("a DIMACS problem that nobody knows, and arcs beside edges, are remarked", "[formats]") {
  CHECK(remarks(loadText("a.gr", "p foo 3 2\n1 2\n2 3\n"), "the problem 'foo' is not known here"));
  CHECK_FALSE(remarks(loadText("a.gr", "p tw 3 2\n1 2\n2 3\n"), "is not known"));
  CHECK(remarks(loadText("a.gr", "p sp 3 2\ne 1 2\na 2 3 5\n"), "1 of 2 lines are arcs of one direction"));
  CHECK_FALSE(remarks(loadText("a.gr", "p sp 3 2\na 1 2 5\na 2 3 5\n"), "2 of 2 lines"));
}

TEST_CASE("what is wrong in a DIMACS file is said with its place", "[formats]") {
  CHECK(refusalOf("a.col", "p edge 3 1\nn 1 3\n\nn 1 4\ne 1 2\n") ==
        "a.col:4: vertex 1 has a line `n` already, line 2; one a vertex");
  CHECK(refusalOf("a.col", "p edge 3 1\nn 4 3\ne 1 2\n") == "a.col:2: vertex 4 does not exist; 1 to 3");
  CHECK(refusalOf("a.col", "p edge 3 1 9\ne 1 2\n") ==
        "a.col:1:12: '9' is one too many; `p tw VERTICES EDGES`");
  CHECK(refusalOf("a.gr", "p tw 3 1 x\n1 2\n") == "a.gr:1:10: 'x' is one too many; `p tw VERTICES EDGES`");
  CHECK(refusalOf("a.gr", "p tw x 1\n1 2\n") ==
        "a.gr:1:6: 'x' is not a whole number; the number of vertices");
  CHECK(refusalOf("a.gr", "p tw 3 -1\n1 2\n") == "a.gr:1: -1 edges cannot be; a number from 0");
  CHECK(refusalOf("a.gr", "p tw 3 1\np tw 3 1\n1 2\n") == "a.gr:2: a second line `p`; one a file");
  CHECK(refusalOf("a.gr", "p tw 3 1\nq 1 2\n").starts_with("a.gr:2:1: 'q' is not a whole number"));
  // names of columns are no problem line
  CHECK(loadText("a.txt", "p q weight\n0 1 2\n1 2 2\n").vertices() == 3);
}

TEST_CASE("the header of a METIS file holds two to four numbers", "[formats]") {
  const std::string lists = "2\n1 3\n2\n";
  CHECK(loadText("a.graph", "3 2 0\n" + lists).arcs.nonzeros() == 4);
  CHECK(refusalOf("a.graph", "3 2 x\n" + lists).starts_with("a.graph:1: 'x' is no format of a METIS file"));
  CHECK(refusalOf("a.graph", "3 2 0 0 7\n" + lists) ==
        "a.graph:1:9: '7' is one too many; `VERTICES EDGES [FORMAT [WEIGHTS]]`");
  CHECK(refusalOf("a.graph", "3 2 1 2\n" + lists) ==
        "a.graph:1: 2 weights of a vertex disagree with the format 001, which has none; 10 or 11");
  CHECK(refusalOf("a.graph", "3 -2\n" + lists) == "a.graph:1: -2 edges cannot be; a number from 0");
}

TEST_CASE("the first line of a JuliaGraphs file holds counts, kind and name", "[formats]") {
  CHECK(loadText("a.jlg", "3,2,u,path\n1,2\n2,3\n", "", /*directed=*/true).arcs.nonzeros() == 4);
  CHECK(loadText("a.jlg", "3,2,d,path\n1,2\n2,3\n", "", /*directed=*/true).arcs.nonzeros() == 2);
  CHECK(refusalOf("a.jlg", "3,-2,u,path\n1,2\n") == "a.jlg:1: -2 edges cannot be; a number from 0");
  CHECK(refusalOf("a.jlg", "3,1,u,a\n1,2\n3,2,u,b\n1,2\n2,3\n")
            .starts_with("a.jlg:3:1: a second graph begins here, and a set is one graph; keep one a file"));
  CHECK(refusalOf("a.jlg", "3,2,u\n1,2\n2,3\n", "jlg") ==
        "a.jlg:1: the line ends early; vertices,edges,u,graph");
}

TEST_CASE("a size that few bytes declare is held against them before memory is taken", "[formats]") {
  const std::pair<const char*, const char*> files[] = {
      {"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2000000000 2000000000 1\n1 2\n"},
      {"a.graph", "2000000000 1\n2\n1\n"},
      {"a.gr", "p sp 2000000000 1\na 1 2 1\n"},
      {"a.col", "p edge 2000000000 1\ne 1 2\n"},
      {"a.jlg", "2000000000,1,u,x\n1,2\n"},
      {"a.txt", "2000000000 1\n0 1\n"}};
  for (const auto& [name, text] : files) {
    CAPTURE(name);
    const std::string message = refusalOf(name, text);
    CHECK(message.find(":" + std::string(std::string(name) == "a.mtx" ? "2" : "1") +
                       ": 2000000000 vertices") != std::string::npos);
    CHECK(message.find("GiB") != std::string::npos);
    CHECK(message.find("dataset.memory_limit_gib") != std::string::npos);
  }
  // gaps are not vertices
  CHECK(loadText("a.txt", "0 1\n1 2000000000\n").vertices() == 3);
  CHECK(loadText("a.gml", "graph [ node [ id 0 ] node [ id 2000000000 ] ]").vertices() == 2);
}

TEST_CASE("a count that is wrong is named with its line", "[formats]") {
  CHECK(refusalOf("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n% c\n\n3 3 5\n1 2\n2 3\n") ==
        "a.mtx:4: promises 5 entries; the file holds 2");
  CHECK(refusalOf("a.gr", "c x\n\np tw 3 3\n1 2\n2 3\n") == "a.gr:3: promises 3 edges; the file holds 2");
  CHECK(refusalOf("a.jlg", "\n3,3,u,path\n1,2\n2,3\n") == "a.jlg:2: promises 3 edges; the file holds 2");
  CHECK(refusalOf("a.graph", "% c\n3 3\n2\n1 3\n2\n") ==
        "a.graph:2:3: promises 3 edges, each in two lines; the file lists 4 neighbours");
  CHECK(refusalOf("a.graph", "% c\n4 2\n2\n1 3\n2\n") ==
        "a.graph:2: promises 4 vertices; the file ends after the lists of 3");
}

TEST_CASE("a vertex that a METIS file lists on one side alone is named with both lines", "[formats]") {
  CHECK(refusalOf("a.graph", "% c\n4 2\n% c\n2\n\n% c\n% c\n4\n3 1\n") ==
        "a.graph:4: vertex 1 lists 2, but vertex 2, on line 5, does not list 1");
  CHECK(refusalOf("a.graph", "4 2\n\n3\n% c\n2 1\n3\n") ==
        "a.graph:5: vertex 3 lists 1, but vertex 1, on line 2, does not list 3");
}

TEST_CASE("DIMACS problems of clauses and sets are no graphs", "[pace]") {
  for (const std::string problem : {"cnf", "wcnf", "hs", "htd", "CNF"}) {
    CAPTURE(problem);
    CHECK_THAT(refusalOf("a.gr", "c x\np " + problem + " 3 2\n1 2 0\n2 3 0\n"),
               Catch::Matchers::StartsWith("a.gr:2:3: a problem '" + problem + "' has clauses or sets"));
  }
  CHECK(refusalOf("a.gr", "p other 4 2\n1 2 3\n1 2 3 4\n").starts_with("a.gr:3:7: more than three numbers"));
  CHECK(loadText("a.gr", "p tww 3 2\n1 2\n2 3\n").arcs.nonzeros() == 4);
}

TEST_CASE("a METIS file that counts no vertices is refused, alone and before lines", "[formats]") {
  const std::string empty = "counts no vertices: the graph is empty; at least one";
  for (const char* name : {"a.graph", "a.metis", "a.graph.txt"}) {
    CAPTURE(name);
    const auto messageFor = [&](const std::string& text) {
      std::string refused = refusalOf(name, text);
      return refused.substr(std::min(std::string(name).size(), refused.size()));
    };
    CHECK(messageFor("0 0\n").starts_with(":1: " + empty));
    CHECK(messageFor("% none\n0 0 0\n\n\n").starts_with(":2: " + empty));
    const std::string below = ":1: counts no vertices and no edges, but line 3 holds more";
    CHECK(messageFor("0 0\n% c\n0 1\n1 2\n").starts_with(below));
    CHECK(messageFor("0 0\n% c\n0 1\n1 2\n")
              .ends_with("fit another format as well: dataset.format = \"edge-list\""));
    CHECK(messageFor("0 0 1\n\n2 3 4\n").starts_with(below));
    CHECK(loadText(name, "0 0\n0 1\n1 2\n", "edge-list").vertices() == 3);
  }
  CHECK(
      refusalOf("a.graph", "0 3\n", "metis").starts_with("a.graph:1: promises 3 edges between no vertices"));
  CHECK(loadText("a.graph", "0 0 0.5\n0 1 0.25\n").vertices() == 2);  // no header
  CHECK(loadText("a.graph", "# edges\n0 0\n0 1\n").vertices() == 2);  // comments that METIS does not know
  CHECK(loadText("a.txt", "0 0\n0 1\n1 2\n").vertices() == 3);
}

TEST_CASE("numbers of vertices before lists, as Chaco has them, are refused out of order", "[formats]") {
  const std::string problem =
      ": begins the lists with the numbers 1 to 4 in another order: numbers of vertices, as Chaco has them "
      "in "
      "the format 1xx, or sizes, as METIS; sort the lines by them, or take sizes out, and write the format "
      "without the 1";
  CHECK(refusalOf("c.graph", "4 2 100\n3 4\n4 3\n1 2\n2 1\n") == "c.graph:2" + problem);
  CHECK(refusalOf("c.graph", "4 2 101\n1 2 5\n2 1 5\n4 3 5\n3 4 5\n").starts_with("c.graph:4" + problem));
  const Dataset ordered = loadText("c.graph", "4 2 110\n1 9 2\n2 9 1\n3 9 4\n4 9 3\n");
  CHECK(rowOf(ordered, 0) == std::vector<Vertex>{1});
  CHECK(remarks(ordered, "the lists begin with the numbers of their vertices in order, as Chaco has them"));
  CHECK(remarks(ordered, "sizes and weights of the METIS file are not read"));
  const Dataset numbered = loadText("c.graph", "4 2 100\n1 2\n2 1\n3 4\n4 3\n");
  CHECK_FALSE(remarks(numbered, "sizes and weights"));
  const Dataset sizes = loadText("c.graph", "4 2 100\n3 2\n3 1\n1 4\n2 3\n");
  CHECK(rowOf(sizes, 0) == std::vector<Vertex>{1});
  CHECK_FALSE(remarks(sizes, "Chaco"));
}

TEST_CASE("counts before lists are remarked though they are inexact, three, or on lines of their own",
          "[formats]") {
  const std::string lists = "0 1 2\n1 0 2 3\n2 0 1\n3 1\n", listsFromOne = "1 2 3\n2 1 3 4\n3 1 2\n4 2\n";
  const auto looks = [](const std::string& numbers) {
    return "the first line (" + numbers + ") looks like counts of the lists after it";
  };
  for (const char* counts : {"4 5", "4 4 0", "4 4 8", "5 4", "4"}) {
    CAPTURE(counts);
    CHECK(remarks(loadText("net_adjlist.txt", counts + ("\n" + lists)), looks(counts)));
  }
  for (const char* counts : {"4 5", "4 4 0", "4"}) {
    CAPTURE(counts);
    CHECK(remarks(loadText("net_adjlist.txt", counts + ("\n" + listsFromOne)), looks(counts)));
  }
  const Dataset two = loadText("g.txt", "4\n5\n" + lists);
  CHECK(remarks(two, "read as adjacency-list"));
  CHECK(
      remarks(two, "the first two lines (4 5) look like counts of the lists after them and are read as two"));
  for (const char* graph :
       {"4 3\n3 4 2\n2 3 1\n1 2 0\n0 1\n", "4 2\n3 1\n2 1\n1 0\n0\n", "0 3\n1 2\n2 3\n3\n",
        "4\n5\n0 4 5\n1 0\n2 1\n3 1\n", "7 1\n0 1\n1 0\n2 0\n3 1\n"}) {
    CAPTURE(graph);
    CHECK_FALSE(remarks(loadText("a.txt", graph, "adjacency-list"), "counts"));
  }
}

TEST_CASE("numbers of a METIS file may have a plus sign", "[formats]") {
  const Dataset set = loadText("a.graph", "+4 +3\n+2\n1 3\n2 4\n3\n");
  CHECK(remarks(set, "read as metis"));
  CHECK(set.vertices() == 4);
  CHECK(set.arcs.nonzeros() == 6);
}

TEST_CASE("weights that METIS forbids are refused with their place", "[formats]") {
  CHECK(refusalOf("a.graph", "3 2 1\n2 0\n1 0 3 8\n2 8\n") ==
        "a.graph:2:3: 0 cannot be a weight after the neighbour; a whole number from 1");
  CHECK(refusalOf("a.graph", "3 2 1\n2 5\n1 5 3 -7\n2 -7\n") ==
        "a.graph:3:7: -7 cannot be a weight after the neighbour; a whole number from 1");
  CHECK(refusalOf("a.graph", "3 2 10\n-5 2\n6 1 3\n7 2\n") ==
        "a.graph:2:1: -5 cannot be a size or weight of the vertex; a whole number from 0");
  CHECK(loadText("a.graph", "3 2 10\n0 2\n6 1 3\n7 2\n").arcs.nonzeros() == 4);
}

TEST_CASE("weights of a METIS file that differ between both ends are remarked", "[formats]") {
  const std::string remark = "weights of an edge differ between the lists of its two ends";
  CHECK(remarks(loadText("a.graph", "3 2 1\n2 7\n1 9 3 8\n2 8\n"), remark));
  CHECK(remarks(loadText("a.graph", "3 2 1\n2 7\n1 8 3 7\n2 8\n"), remark));
  CHECK_FALSE(remarks(loadText("a.graph", "3 2 1\n2 7\n1 7 3 8\n2 8\n"), remark));
  CHECK_FALSE(remarks(loadText("a.graph", "3 3 11\n5 2 7 1 3\n6 1 7 3 8\n7 2 8\n"), remark));
}

TEST_CASE("commas between the numbers of a METIS file are remarked", "[formats]") {
  const std::string remark = "',' or ';' stands between numbers, where METIS has blanks";
  CHECK(remarks(loadText("a.graph", "4 3\n2\n1,3\n2,4\n3\n"), remark));
  CHECK(remarks(loadText("a.graph", "2,1\n2\n1\n"), remark));
  CHECK_FALSE(remarks(loadText("a.graph", "4 3\n2\n1 3\n2\t4\n3\n"), remark));
}

TEST_CASE("a first line with one number above edges is told what it lacks", "[formats]") {
  const std::string edges = "0 1\n1 2\n2 3\n3 4\n4 5\n";
  CHECK(refusalOf("g.txt", "6\n5\n" + edges, "counted-edge-list") ==
        "g.txt:1: one number, and one on line 2; where they are `VERTICES EDGES`, write both on one line");
  CHECK(refusalOf("g.txt", "# algs4\n6\n\n5\n" + edges, "counted-edge-list") ==
        "g.txt:2: one number, and one on line 4; where they are `VERTICES EDGES`, write both on one line");
  CHECK(refusalOf("g.txt", "5\n" + edges, "counted-edge-list") ==
        "g.txt:1: one number; `VERTICES EDGES`, or where it counts the edges no such line");
  CHECK(refusalOf("g.txt", "5\n", "counted-edge-list").starts_with("g.txt:1: one number; "));
}

TEST_CASE("a METIS header of no weights a vertex means one, as METIS reads it", "[formats]") {
  CHECK(loadText("g.graph", "3 2 10 0\n3 2\n3 1 3\n3 2\n").arcs.nonzeros() == 4);
  CHECK(loadText("g.graph", "3 2 0 0\n2\n1 3\n2\n").arcs.nonzeros() == 4);
}
