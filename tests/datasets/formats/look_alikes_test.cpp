// Files whose lines fit several formats: which is taken, what is said of it, and how the other is chosen.

#include "tests/datasets/loading.h"

using namespace halo;

namespace {

const std::string kRing = "6 6\n2 6\n1 3\n2 4\n3 5\n4 6\n1 5\n";

bool sameGraph(const Dataset& a, const Dataset& b) {
  return a.arcs.offsets == b.arcs.offsets && a.arcs.columns == b.arcs.columns;
}

}  // namespace

TEST_CASE("what comments say of edges decides whether the first line is one", "[formats]") {
  const std::string edges = "4\t3\n0\t1\n1\t2\n2\t3\n", names = "# FromNodeId\tToNodeId\n";
  for (const std::string& above :
       {"# Undirected graph\n# Nodes: 5 Edges: 4\n" + names, names, std::string("# Nodes: 5 Edges: 4\n")}) {
    CAPTURE(above);
    const Dataset set = loadText("g.txt", above + edges);
    CHECK(set.vertices() == 5);
    CHECK(set.arcs.nonzeros() == 8);
  }
  const Dataset counted = loadText("g.txt", "# Nodes: 4 Edges: 3\n" + names + edges);
  CHECK(counted.vertices() == 4);
  CHECK(counted.arcs.nonzeros() == 6);
  CHECK_FALSE(remarks(counted, "promises"));
  CHECK(loadText("g.txt", "# a ring\n" + edges).vertices() == 4);
  CHECK(remarks(loadText("g.txt", "# Nodes: 5 Edges: 4\n" + edges, "counted-edge-list"),
                "line 1 promises 4 edges; the line of counts says 3"));
}

TEST_CASE("counts are not advised for edges below names of columns", "[formats]") {
  const Dataset set = loadText("m.csv", "source,target\n4,3\n0,1\n1,2\n2,3\n");
  CHECK(remarks(set, "looks like counts"));
  CHECK_FALSE(remarks(set, "counted-edge-list\""));
}

TEST_CASE("a METIS file without its suffix is known by lists that agree, and both readings are named",
          "[formats]") {
  const Dataset named = loadText("ring.graph", kRing), bare = loadText("ring.txt", kRing);
  CHECK(named.vertices() == 6);
  CHECK(named.arcs.nonzeros() == 12);
  CHECK(sameGraph(named, bare));
  CHECK(remarks(bare, "edge-list as well; taken as metis, because"));
  CHECK(remarks(bare, "dataset.format = \"edge-list\""));
  CHECK(remarks(named, "edge-list as well; taken as metis, because its name says so"));
  const Dataset edges = loadText("ring.txt", kRing, "edge-list");
  CHECK_FALSE(sameGraph(named, edges));  // two triangles
  CHECK(remarks(edges, "looks like counts"));

  // every list of three: each line is an edge with a weight as well
  const std::string complete = "4 6\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n";
  CHECK(sameGraph(loadText("k4.graph", complete), loadText("k4.txt", complete)));
  CHECK(loadText("k4.txt", complete).arcs.nonzeros() == 12);
  const std::string weighted = "% three\n3 3 1\n2 7 3 8\n1 7 3 9\n1 8 2 9\n";
  CHECK(loadText("w.txt", weighted).arcs.nonzeros() == 6);
  CHECK_FALSE(remarks(loadText("w.txt", weighted), "as well"));  // edges have as many columns on every line
  // lists that are no edges leave no doubt
  const Dataset path = loadText("path.txt", "5 4\n2\n1 3\n2 4\n3 5\n4\n");
  CHECK(path.vertices() == 5);
  CHECK(path.arcs.nonzeros() == 8);
  CHECK_FALSE(remarks(path, "as well"));
  const Dataset lone = loadText("lone.txt", "3 1\n2\n1\n  \n");
  CHECK(lone.vertices() == 3);
  CHECK(lone.arcs.nonzeros() == 2);
}

TEST_CASE("a large METIS file without its suffix is known by its first lists", "[formats]") {
  constexpr int kVertices = 20000;
  std::string ring = std::to_string(kVertices) + " " + std::to_string(kVertices) + "\n";
  for (int v = 1; v <= kVertices; ++v)
    ring += std::to_string(v == 1 ? kVertices : v - 1) + " " + std::to_string(v % kVertices + 1) + "\n";
  const Dataset set = loadText("ring.txt", ring);
  CHECK(set.vertices() == kVertices);
  CHECK(set.arcs.nonzeros() == 2 * kVertices);
  CHECK(remarks(set, "taken as metis"));
}

TEST_CASE("lists that do not agree are no METIS file, and the counts before them are spoken of",
          "[formats]") {
  const Dataset set = loadText("ring.txt", "6 6\n2 6\n1 3\n2 4\n3 5\n4 6\n1 4\n");
  CHECK(remarks(set, "counts"));
  CHECK_FALSE(remarks(set, "read as metis"));
  CHECK(refusalOf("ring.graph", "6 6\n2 6\n1 3\n2 4\n3 5\n4 6\n1 4\n").find("vertex") != std::string::npos);
}

TEST_CASE("counts before the edges are no edge", "[formats]") {
  const std::string edges = "0 1\n1 2\n2 3\n3 4\n4 0\n1 3\n";
  const Dataset set = loadText("nm.txt", "5 6\n" + edges);
  CHECK(set.vertices() == 5);
  CHECK(set.arcs.nonzeros() == 12);
  CHECK(remarks(set, "fit edge-list as well; taken as counted-edge-list"));
  CHECK(remarks(set, "dataset.format = \"edge-list\""));
  CHECK(loadText("nm.txt", "5 6\n" + edges, "edge-list").vertices() == 7);

  CHECK(loadText("m.txt", "# made\n5, 6\n" + edges).arcs.nonzeros() == 12);
  CHECK(loadText("m.txt", "5 5 6\n" + edges).vertices() == 5);
  CHECK(loadText("m.txt", "5 6\n\n0 1 0.5\n1 2 1\n2 3 2\n3 4 1\n4 0 1\n1 3 1\n").arcs.nonzeros() == 12);
  // vertices without edges are counted too
  const Dataset lone = loadText("lone.txt", "9 6\n" + edges);
  CHECK(lone.vertices() == 9);
  CHECK(lone.arcs.degree(8) == 0);
  // from 1
  const Dataset fromOne = loadText("one.txt", "4 4 3\n1 2\n2 3\n3 4\n");
  CHECK(fromOne.vertices() == 4);
  CHECK(rowOf(fromOne, 0) == std::vector<Vertex>{1});
  CHECK(remarks(fromOne, "vertices are numbered from 1 in the file, from 0 here"));
}

TEST_CASE("counts that do not fit exactly are read as an edge and remarked", "[formats]") {
  const std::string remark = "looks like counts of vertices and edges";
  CHECK(remarks(loadText("m.txt", "5 6\n0 1\n1 2\n2 3\n3 4\n4 0\n"), remark));  // an edge is missing
  CHECK(remarks(loadText("m.txt", "4 12\n0 1\n1 0\n1 2\n2 1\n2 3\n3 2\n"), remark));
  CHECK(remarks(loadText("m.txt", "4 3\n0 1\n1 0\n1 2\n2 1\n2 3\n3 2\n"), remark));
  CHECK_FALSE(remarks(loadText("m.txt", "0 1\n1 2\n2 0\n"), remark));
  CHECK_FALSE(remarks(loadText("m.txt", "1 2\n2 3\n3 1\n"), remark));
  CHECK_FALSE(remarks(loadText("m.txt", "30 1412\n30 3352\n3 28\n6 3352\n"), remark));
  CHECK(refusalOf("m.txt", "5 6\n0 1\n1 2\n", "counted-edge-list") ==
        "m.txt:1: promises 6 edges; the file holds 2; if this line is an edge, dataset.format = "
        "\"edge-list\"");
  CHECK(refusalOf("m.txt", "4 7 3\n2 1\n3 2\n4 3\n") ==
        "m.txt:1: a matrix of 4 × 7 is no graph; as many columns as rows");
  CHECK(refusalOf("m.txt", "3 2\n0 1\n1 3\n", "counted-edge-list") ==
        "m.txt:3: vertex 3 does not exist; 0 to 2");
  CHECK(refusalOf("m.txt", "3 2 1 7\n0 1\n1 2\n", "counted-edge-list") != "");
  CHECK(refusalOf("m.txt", "3 3 2 7\n0 1\n1 2\n", "counted-edge-list") ==
        "m.txt:1:7: '7' is one too many; `VERTICES EDGES` or `ROWS COLUMNS ENTRIES`");
}

TEST_CASE("counts of other orders and of each direction are remarked", "[formats]") {
  const std::string remark = "looks like counts of vertices and edges";
  CHECK(remarks(loadText("m.txt", "10 3\n1 2\n2 1\n2 3\n3 2\n3 4\n4 3\n"), remark));  // isolated ones
  CHECK(remarks(loadText("m.txt", "7 4\n0 1\n1 2\n2 4\n"), remark));  // its own line is counted
  CHECK(remarks(loadText("m.txt", "6 5\n0 1\n1 2\n2 3\n3 4\n4 0\n0 2\n"),
                "looks like counts of edges and vertices"));
  const Dataset wide = loadText("m.txt", "5 6 9\n4 1 1\n1 2 1\n2 3 1\n3 4 1\n4 0 1\n0 2 1\n");
  CHECK(remarks(wide, remark));
  CHECK_FALSE(remarks(wide, "counted-edge-list"));  // which does not read it
  CHECK_FALSE(remarks(loadText("m.txt", "5 4\n3 2\n1 0\n0 2\n2 1\n1 3\n0 3\n"), "looks like"));
  CHECK_FALSE(remarks(loadText("m.txt", "0 9\n1 2\n2 3\n9 3\n"), "looks like"));
}

TEST_CASE("the largest vertex number in place of how many there are is remarked", "[formats]") {
  const std::string remark = "looks like counts of vertices and edges";
  CHECK(remarks(loadText("m.txt", "3 3\n0 1\n1 2\n2 3\n"), remark));
  CHECK(remarks(loadText("m.txt", "5 4\n0 5\n1 2\n2 3\n3 4\n"), remark));
  CHECK(remarks(loadText("m.txt", "3 4\n1 2\n2 3\n3 4\n4 1\n"), remark));  // from 1
  CHECK_FALSE(remarks(loadText("m.txt", "3 2\n0 1\n1 2\n2 3\n"), "looks like"));
  CHECK_FALSE(remarks(loadText("m.txt", "2 3\n0 1\n1 2\n2 3\n"), "looks like"));
}

TEST_CASE("counts of vertices beside another number are remarked", "[formats]") {
  const std::string remark = "looks like counts of vertices and edges",
                    ring = "1 2\n2 3\n3 4\n4 5\n5 6\n6 7\n7 8\n";
  CHECK(remarks(loadText("m.txt", "9 2\n0 1\n" + ring + "8 0\n"), remark));
  CHECK(remarks(loadText("m.txt", "9 2\n" + ring + "8 9\n9 1\n"), remark));
  CHECK(
      remarks(loadText("m.txt", "9 2 1\n0 1 1\n1 2 1\n2 3 1\n3 4 1\n4 5 1\n5 6 1\n6 7 1\n7 8 1\n"), remark));
  // a list that descends, one of some vertices alone, and one whose largest vertex is larger
  CHECK_FALSE(remarks(loadText("m.txt", "5 4\n4 3\n3 2\n2 1\n1 0\n"), "looks like"));
  CHECK_FALSE(remarks(loadText("m.txt", "9 2\n9 1\n8 1\n7 3\n6 3\n5 4\n"), "looks like"));
  CHECK_FALSE(remarks(loadText("m.txt", "9 2\n3 4\n4 5\n5 6\n6 7\n7 8\n"), "looks like"));
  CHECK_FALSE(remarks(loadText("m.txt", "9 2\n0 1\n" + ring + "8 10\n"), "looks like"));
}

TEST_CASE("lists of neighbours are known by a line for every vertex", "[formats]") {
  const Dataset set = loadText("graph.txt", "0 1 2\n1 0\n2 0\n");
  CHECK(set.vertices() == 3);
  CHECK(set.arcs.nonzeros() == 4);
  CHECK(remarks(set, "read as adjacency-list"));
  CHECK_FALSE(remarks(set, "as well"));  // edges have as many columns on every line
  // each edge once, as networkx writes it; the last vertex has nothing left to list
  CHECK(loadText("graph.txt", "0 1 2\n1 2\n2\n").arcs.nonzeros() == 6);
  // all of one length, and each lists those that list it
  CHECK(loadText("graph.txt", "0 1 2\n1 0 2\n2 0 1\n").arcs.nonzeros() == 6);
  // an edge with a weight is no list
  const Dataset weighted = loadText("graph.txt", "0 1 1\n1 2 1\n2 0 1\n");
  CHECK(weighted.arcs.nonzeros() == 6);
  CHECK(remarks(weighted, "read as edge-list"));
  CHECK(remarks(loadText("graph.txt", "0 1 5\n1 2 6\n2 3 7\n"), "read as edge-list"));
  CHECK(remarks(loadText("graph.txt", "0 1\n1 2\n"), "read as edge-list"));
  // nor is half an edge at the end, nor one whose weight is lost
  CHECK(refusalOf("graph.txt", "0 1\n1 2\n2\n") ==
        "graph.txt:3: the line ends early; a vertex number from 0");
  CHECK(refusalOf("graph.txt", "0 1 1\n1 2 1\n2 0\n").starts_with("graph.txt:3:3: has 2 columns"));
  CHECK(remarks(loadText("adj.txt", "0 1 2\n1 0 2\n2 0 1\n"), "because its name says so"));
}

TEST_CASE("nearest neighbours, as many a line, may be edges with weights or lists", "[formats]") {
  const std::string near = "0 1 3\n1 2 3\n2 3 0\n3 0 1\n";
  const Dataset edges = loadText("near.txt", near);
  CHECK(remarks(edges, "fit adjacency-list as well; taken as edge-list, because"));
  CHECK(remarks(edges, "dataset.format = \"adjacency-list\""));
  CHECK_FALSE(remarks(loadText("near.txt", near, "edge-list"), "as well"));           // chosen
  CHECK(remarks(loadText("itself.txt", "0 0 3\n1 1 3\n2 2 0\n3 3 1\n"), "as well"));  // each its own first
  CHECK_FALSE(remarks(loadText("w.txt", "1 0 5\n2 0 3\n3 1 4\n"), "as well"));        // 0 has no line
  CHECK_FALSE(remarks(loadText("w.txt", "0 1 1\n1 2 1\n2 0 1\n"), "as well"));
  CHECK_FALSE(remarks(loadText("w.txt", "0 1 0.5\n1 2 0.5\n2 0 1\n"), "as well"));
  std::string large;
  for (int v = 0; v < 20000; ++v)
    large += std::to_string(v) + " " + std::to_string(v * 7 % 20000 + 1) + " " +
             std::to_string(v * 3 % 20000) + "\n";
  CHECK(remarks(loadText("near.txt", large), "fit adjacency-list as well"));
}

TEST_CASE("nearest neighbours that -1 pads are remarked, and edges with times before 0 are not",
          "[formats]") {
  const auto remarked = [](const std::string& lines) {
    return remarks(loadText("near.txt", lines), "lists of neighbours that -1 pads");
  };
  CHECK(remarked("0 1 2\n1 0 -1\n2 0 1\n"));
  CHECK(remarked("0 1 2 3\n1 0 -1 -1\n2 0 3 -1\n3 1 2 -1\n"));
  CHECK_FALSE(remarked("0 1 2\n1 0 3\n2 0 3\n3 1 2\n"));
  CHECK_FALSE(remarked("0 1 5\n1 0 -1\n2 0 -2\n"));
  CHECK_FALSE(remarked("0 1 -1\n1 2 -1\n2 0 -1\n"));
  CHECK_FALSE(remarked("0 1 1\n0 2 -1\n1 2 -1\n"));
}

TEST_CASE("counts before lists are no list, or remarked where they can be one", "[formats]") {
  const std::string lists = "0 1 2\n1 0\n2 0 3\n3 2\n", ring = "0 1 2\n1 0 2 3\n2 0 1 4\n3 1 4\n4 2 3\n";
  for (const char* name : {"g.txt", "adj.txt"}) {
    CAPTURE(name);
    const Dataset set = loadText(name, "5 6\n" + ring);
    CHECK(set.vertices() == 5);
    CHECK(set.arcs.nonzeros() == 12);
    CHECK(remarks(set, "the first line is taken for counts: 5 vertices, 6 edges"));
    for (const char* counts : {"4", "4 3"})
      CHECK(remarks(loadText(name, std::string(counts) + "\n" + lists),
                    "the first line (" + std::string(counts) + ") looks like counts of the lists after it"));
  }
  CHECK(loadText("adj.txt", "3 4\n1 2\n2 1 3\n3 2\n").vertices() == 3);  // from 1, each edge twice
  const Dataset last = loadText("adj.txt", lists + "4\n");               // a vertex
  CHECK(last.vertices() == 5);
  CHECK_FALSE(remarks(last, "counts"));
  CHECK_FALSE(remarks(loadText("adj.txt", "5\n" + lists), "counts"));  // 4 lists
}

TEST_CASE("a large edge list that descends is no counted one", "[formats]") {
  constexpr int kEdges = 10'001, kVertices = 20'000;
  const auto list = [](const std::string& first) {
    std::string text = first;
    for (int e = 1; e < kEdges; ++e)
      text += std::to_string(kVertices - e) + " " + std::to_string((kVertices - e) / 2) + "\n";
    return text;
  };
  const Dataset edges = loadText("d.txt", list("20000 9858\n"));
  CHECK(remarks(edges, "read as edge-list"));
  CHECK(edges.arcsRead == kEdges);
  CHECK_FALSE(remarks(edges, "counts"));
  CHECK(remarks(loadText("d.txt", list("20000 10000\n")), "read as counted-edge-list"));
}

TEST_CASE("text in another coding, or with other ends of lines, is named", "[formats]") {
  CHECK(refusalOf("a.txt", std::string("\xff\xfe"
                                       "0\0 \0"
                                       "1\0\n\0",
                                       10))
            .find("is text in UTF-16; save it in UTF-8") != std::string::npos);
  const std::string cr = ":1: lines end with CR alone, as on old Macs; end them with LF: tr '\\r' '\\n'";
  CHECK(refusalOf("a.txt", "0 1\r1 2\r2 3\r") == "a.txt" + cr);
  CHECK(refusalOf("a.txt", "# c\r0 1\r", "edge-list") == "a.txt" + cr);
  CHECK(refusalOf("a.mtx", "%%MatrixMarket matrix coordinate real general\r3 3 1\r1 2 1\r") == "a.mtx" + cr);
  CHECK(refusalOf("a.mtx", "%%MatrixMarket matrix coordinate real general\r3 3 1\r1 2 1\r\n") ==
        "a.mtx" + cr);
  CHECK(refusalOf("a.gr", "p tw 3 2\r1 2\r2 3\r") == "a.gr" + cr);
}

TEST_CASE("vertices that lists declare are the vertices", "[formats]") {
  const Dataset set = loadText("adjlist.txt", "0 2\n2 0 3\n3 2 5\n5 3\n");
  CHECK(set.vertices() == 4);
  CHECK(set.arcs.nonzeros() == 6);
  CHECK(rowOf(set, 3) == std::vector<Vertex>{2});
  const Dataset alone = loadText("adjlist.txt", "0 1\n1 0\n2\n7\n");
  CHECK(alone.vertices() == 4);
  CHECK(alone.arcs.degree(3) == 0);
  const Dataset twice = loadText("adjlist.txt", "0 1\n1 0\n0 2\n2 0\n");
  CHECK(twice.arcs.nonzeros() == 4);
  CHECK(remarks(twice, "lists beyond the first of their vertex: 1; the lists of a vertex are joined"));
}

TEST_CASE("a line of blanks is an empty line, and a comment may be set in", "[formats]") {
  const std::pair<const char*, const char*> files[] = {
      {"a.txt", " \n  # c\n0 1\n \t \n1 2\n   "},
      {"adjlist.txt", "\t\n0 1\n  \n1 0 2\n  % c\n2 1\n \n"},
      {"a.mtx", " \n%%MatrixMarket matrix coordinate pattern general\n \n  % c\n3 3 2\n\t\n1 2\n2 3\n \r\n"},
      {"a.graph", "  \n % c\n3 2\n2\n % c\n1 3\n2\n \n\t\n"},
      {"a.jlg", " \n3,2,u,path\n \n1,2\n\t\n2,3\n"},
      {"a.gr", " \nc\n  c x\np tw 3 2\n \n1 2\n\t\n2 3\n "},
      {"a.gml",
       " \n\t\ngraph [ \n \f \nnode [ id 0 ] node [ id 1 ] node [ id 2 ]\n \nedge [ source 0 target 1 ]\n"
       "edge [ source 1 target 2 ] ]\n  \n"},
      {"b.txt", "3 2\n \n0 1\n\t\n1 2\n"}};
  for (const auto& [name, text] : files) {
    CAPTURE(name);
    const Dataset set = loadText(name, text);
    CHECK(set.vertices() == 3);
    CHECK(set.arcs.nonzeros() == 4);
  }
}

TEST_CASE("a number beyond all counts of vertices is the one of a vertex", "[formats]") {
  const Dataset set = loadText("m.txt", "4294967296 1\n1 2\n");
  CHECK(set.vertices() == 3);
  CHECK(remarks(set, "read as edge-list"));
  CHECK(refusalOf("m.txt", "4294967296 1\n1 2\n", "counted-edge-list") ==
        "m.txt:1: 4294967296 vertices cannot be meant: at most 2147483647 can be numbered");
  CHECK(remarks(loadText("m.txt", "2000 1\n1 2\n"), "read as counted-edge-list"));
}

TEST_CASE("a file of `0 0` alone is an edge, and it is said that it may count nothing", "[formats]") {
  const std::string remark = "the only line (0 0) is read as an edge; if it counts no vertices and no edges";
  CHECK(remarks(loadText("m.txt", "0 0\n"), remark));
  CHECK(remarks(loadText("m.mtx", "# c\n0 0 0\n"), remark));
  CHECK_FALSE(remarks(loadText("m.txt", "0 0\n0 1\n"), remark));
  CHECK_FALSE(remarks(loadText("m.txt", "0 1\n"), remark));
}

TEST_CASE("a name of METIS does not make edges lists without a word", "[formats]") {
  for (const char* name : {"web.graph", "web.graph.txt"}) {
    CAPTURE(name);
    for (const auto& [text, why] :
         {std::pair("0 1\n1 2\n2 3\n", "its first line counts no vertices;"),
          std::pair("# Nodes: 4 Edges: 3\n0 1\n1 2\n2 3\n", "its comments begin with #,"),
          std::pair("1 2 0.5\n2 3 0.25\n3 4 1\n", "not all that stands in its lines are whole numbers;"),
          std::pair("source,target\n1,2\n2,3\n3,4\n", "not all that stands in its lines are whole numbers;"),
          std::pair("1 2 5\n2 3 7\n3 4 8\n", "its first line is no header of METIS;")}) {
      CAPTURE(text);
      const Dataset edges = loadText(name, text);
      CHECK(edges.arcs.nonzeros() == 6);
      CHECK(remarks(edges, "read as edge-list"));
      CHECK(remarks(edges, std::string("its name says metis, but ") + why));
    }
    const std::string message = refusalOf(name, "1 2\n2 3\n3 1\n");
    CHECK(message.find("it is read as metis, because its name says so") != std::string::npos);
    CHECK(message.ends_with("its lines fit another format as well: dataset.format = \"edge-list\""));
    CHECK(loadText(name, "1 2\n2 3\n3 1\n", "edge-list").arcs.nonzeros() == 6);
  }
  CHECK(refusalOf("path.graph", "3 2\n2\n1 3\n9\n").find("dataset.format") == std::string::npos);
}

TEST_CASE("a name that begins with adj, or speaks of edges, is none of lists", "[formats]") {
  const std::string weighted = "0 1 7\n1 2 8\n2 3 9\n0 3 7\n";
  for (const char* name : {"adjnoun_edges.txt", "my_adj_edges.txt", "adjnoun.txt", "adj-edgelist.txt"}) {
    CAPTURE(name);
    const Dataset set = loadText(name, weighted);
    CHECK(set.vertices() == 4);
    CHECK(remarks(set, "read as edge-list"));
  }
  for (const char* name :
       {"adj.txt", "bc_adjlist.txt", "g.adjlist", "wikiadj.txt", "Adjacency-List.csv", "adj_list.txt"})
    CHECK(remarks(loadText(name, "0 1 2\n1 2 0\n2 0 1\n"), "read as adjacency-list"));
}

TEST_CASE("lists in which no vertex has a neighbour are remarked, or refused where one comes twice",
          "[formats]") {
  CHECK(remarks(loadText("a.adjlist", "0\n1\n2\n"), "no line lists a neighbour: the graph has no edges"));
  CHECK(refusalOf("labels.adj", "0\n1\n0\n", "adjacency-list") ==
        "labels.adj: has one number on every line, some of them twice, and no neighbours; `vertex neighbour "
        "neighbour …` on a line");
  CHECK_FALSE(remarks(loadText("a.adjlist", "0 1\n1\n2\n"), "no line lists"));
}

TEST_CASE("edges in a file that is called a hypergraph are remarked", "[formats]") {
  CHECK(remarks(loadText("a.hgr", "3 5\n1 2\n2 3\n4 5\n", "", true), "hypergraph"));
  CHECK(
      remarks(loadText("a.hgr.txt", "3 5 1\n7 1 2\n7 2 3\n9 4 5\n"), "its name says a hypergraph (hMETIS)"));
  CHECK_FALSE(remarks(loadText("hgr.txt", "3 5\n1 2\n2 3\n4 5\n"), "hypergraph"));
}
