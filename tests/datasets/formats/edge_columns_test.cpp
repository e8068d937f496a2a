// What may stand around the two numbers of an edge: names, quotes, what a program knows of an edge.

#include "datasets/load.h"
#include "tests/datasets/loading.h"

using namespace halo;

TEST_CASE("names above edges, also behind a comment mark, have to name the ends first", "[formats]") {
  const char* const elsewhere = "the first two columns are the source and the target of an edge";
  for (const char* names : {"# id source target", "rank,source_node,target_node", "label,vertex_a,vertex_b",
                            "w,user1,user2", "# target source weight"}) {
    CAPTURE(names);
    const bool commas = std::string(names).find(',') != std::string::npos;
    const std::string message =
        refusalOf("g.txt", names + std::string(commas ? "\n0,5,6\n1,6,7\n" : "\n0 5 6\n1 6 7\n"));
    CHECK(message.starts_with("g.txt:1: "));
    CHECK(message.find(elsewhere) != std::string::npos);
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

TEST_CASE("the line of a separator that Excel writes is neither names nor an edge", "[formats]") {
  const Dataset bare = loadText("a.csv", "sep=,\n0,1\n1,2\n"),
                named = loadText("b.csv", "sep=;\r\nsource;target\r\n0;1\r\n1;2\r\n");
  for (const Dataset* set : {&bare, &named}) {
    CHECK(set->vertices() == 3);
    CHECK(set->arcs.nonzeros() == 4);
    CHECK_FALSE(remarks(*set, "sep="));
  }
}

TEST_CASE("names in a comment each above edges have to name the ends first", "[formats]") {
  for (const char* names :
       {"# weight\n# source\n# target\n", "% 1. weight\n% 2. source\n% 3. target\n%\n",
        "# net\n# column 1: id\n# column 2: source\n# column 3: target\n",
        "# weight - of the edge\n# source - where it begins\n# target - where it ends\n",
        "# weight\n# source (int)\n# target (int)\n#\n", "# col1=weight\n# col2=source\n# col3=target\n",
        "# 0 weight\n# 1 row\n# 2 column\n", "# вес\n# источник\n# цель\n"}) {
    CAPTURE(names);
    const std::string message = refusalOf("g.txt", names + std::string("5 0 1\n6 1 2\n"));
    CHECK(message.find(", one a line above here, are in another order than edges are read in") !=
          std::string::npos);
  }
  CHECK(refusalOf("g.txt", "# made\n# target\n# source\n0 1\n1 2\n") ==
        "g.txt:3: the names 'target,source', one a line above here, are in another order than edges are read "
        "in; the first two columns are the source and the target of an edge");
  for (const char* names :
       {"# source\n# target\n# weight\n", "# directed\n# graph\n# edges\n", "# w\n# 1: u\n",
        "# target\n# the source\n# weight\n", "# 2020\n# web\n", "# 1: source\n# 2: target\n# 3: of when\n",
        "# target\n# source\n", "# Name: x\n# Origin: here\n# Destination: there\n"}) {
    CAPTURE(names);
    CHECK(loadText("g.txt", names + std::string("0 1 6\n1 2 7\n2 3 7\n")).vertices() == 4);
  }
  // a source that is named so is no index
  const std::string counted = "0 1 6\n1 2 7\n2 3 7\n3 4 7\n";
  CHECK(remarks(loadText("g.txt", counted), "counts the lines"));
  CHECK_FALSE(remarks(loadText("g.txt", "# source\n# target\n# weight\n" + counted), "counts the lines"));
}

TEST_CASE("names in any comment above edges have to name the ends first", "[formats]") {
  for (const char* names :
       {"# w u v\n", "# u w v\n", "# w,u,v\n", "% t i j\n", "# weight source target\n# -----\n",
        "# weight source target\n#\n# made in 2020\n", "# format: weight u v\n",
        "# each line:\tweight\tsource\ttarget\n", "# weight (float), source (int), target (int)\n",
        "# <weight> <source> <target>\n", "# [weight] [source] [target]\n", "# weight|source|target\n",
        "# `id`, `source`, `target`:\n"}) {
    CAPTURE(names);
    const std::string message = refusalOf("g.txt", names + std::string("5 0 1\n6 1 2\n"));
    CHECK(message.starts_with("g.txt:1: the names '"));
    CHECK(message.find("the first two columns are the source and the target of an edge") !=
          std::string::npos);
  }
  CHECK(refusalOf("g.txt", "# v u\n0 1\n1 2\n").starts_with("g.txt:1: "));
  std::string names = "# weight source target", row = "5 0 1";  // as long as tables of attributes have them
  for (int i = 0; i < 20; ++i) names += " attribute_" + std::to_string(i), row += " 0";
  CHECK(refusalOf("g.edgelist", names + "\n" + row + "\n" + row + "\n")
            .find(" are in another order than edges") != std::string::npos);
  CHECK(
      refusalOf("g.txt", "# made\n# format: w u v\n5 0 1\n6 1 2\n") ==
      "g.txt:2: the names 'w u v' are in another order than edges are read in; the first two columns are the "
      "source and the target of an edge");
  for (const char* comments :
       {"# i j w\n", "# columns: source target\n", "# source target weight\n# weight source target\n",
        "# this is a graph of us\n", "# a b c\n", "# weights: none\n", "# from: a mail\n# to: all of us\n",
        "# G = V E\n", "# made (from to target source)\n", "# :\n#\n# (\n"}) {
    CAPTURE(comments);
    CHECK(loadText("g.txt", comments + std::string("0 1 5\n1 2 6\n")).vertices() == 3);
  }
}

TEST_CASE("columns that repeat the ends behind them do not put the ends elsewhere", "[formats]") {
  const Dataset streets = loadText("g.csv", "u,v,from,to\n0,1,7,8\n1,2,8,9\n", "", true);
  CHECK(streets.vertices() == 3);
  CHECK(rowOf(streets, 1) == std::vector<Vertex>{0});
  CHECK(remarks(streets,
                "the first two are read as the ends of an edge, 'u' as the source and 'v' as the target"));
  CHECK(loadText("g.csv", "node1,node2,source,target\n0,1,7,8\n1,2,8,9\n").vertices() == 3);
  CHECK(
      refusalOf("g.csv", "x,y,from,to\n0,1,7,8\n1,2,8,9\n").starts_with("g.csv:1: column 3 is named 'from'"));
  CHECK(refusalOf("g.csv", "u,from,v,to\n0,1,7,8\n1,2,8,9\n").starts_with("g.csv:1: column "));
}

TEST_CASE("names that do not say which end is the source are remarked with what is taken", "[formats]") {
  const std::string remark =
      "the first two are read as the ends of an edge, 'friend' as the source and 'other' as ";
  CHECK(remarks(loadText("g.csv", "friend,other\n0,1\n1,2\n", "", true), remark));
  CHECK_FALSE(remarks(loadText("g.csv", "start_node,end_node\n0,1\n1,2\n", "", true), "the first two"));
  CHECK(refusalOf("g.csv", "end_node,start_node\n0,1\n1,2\n") ==
        "g.csv:1: column 2 is named 'start_node'; the first two columns are the source and the target of an "
        "edge");
  const OwnCache own;
  own.write("set/a_target.csv", "id,target\n0,a\n1,b\n2,a\n");
  own.write("set/a_edges.csv", "friend,other\n0,1\n1,2\n");
  CHECK(remarks(loadDataset({.name = own.path("set").string()}),
                "a_edges.csv: line 1 names the columns: 'friend,other'; " + remark));
  own.write("set/a_edges.csv", "end,start\n0,1\n1,2\n");
  CHECK_THROWS_WITH(loadDataset({.name = own.path("set").string()}),
                    Catch::Matchers::Contains("a_edges.csv:1: column 2 is named 'start'"));
}

TEST_CASE("a word before numbers is no line of names", "[formats]") {
  const auto messageFor = [](const char* word) {
    return "g.txt:1:1: '" + std::string(word) +
           "' is not a whole number, and names of columns stand alone on a line; a vertex number from 0";
  };
  CHECK(refusalOf("g.txt", "O 1\n1 2\n2 0\n") == messageFor("O"));
  CHECK(refusalOf("g.txt", "a 1 5\n1 2\n2 1 3\n3 2\n") == messageFor("a"));
  CHECK(refusalOf("g.txt", "a b 5\n1 2 5\n2 1 3\n") == messageFor("a"));
  CHECK(refusalOf("g.txt", "# made\n\"O\",1\n1,2\n").starts_with("g.txt:2:1: 'O' is not a whole number"));
  CHECK(refusalOf("adj.txt", "a 1 5\n1 2\n2 1 3\n3 2\n", "adjacency-list").starts_with("adj.txt:1:1: 'a'"));
  const OwnCache own;
  own.write("set/a_target.csv", "id,target\n0,a\n1,b\n2,a\n");
  for (const char* edges : {"O,1\n1,2\n", "O,1,0.5\n1,2,1\n"}) {
    own.write("set/a_edges.csv", edges);
    CHECK_THROWS_WITH(loadDataset({.name = own.path("set").string()}),
                      Catch::Matchers::Contains("a_edges.csv:1:1: 'O' is not a whole number"));
  }
  CHECK(loadText("g.csv", "source,target,2019\n0,1,5\n1,2,5\n").arcsRead == 2);
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

TEST_CASE("counts that comments promise are held against the edges", "[formats]") {
  const std::string edges = "1 2\n2 3\n1 3\n";
  CHECK(remarks(loadText("a.txt", "% sym unweighted\n% 99 3 3\n" + edges),
                "line 2 promises 99 edges; the file holds 3"));
  CHECK(remarks(loadText("a.txt", "% bip\n% 2 3 3\n" + edges), "line 2 promises 2 edges; the file holds 3"));
  const Dataset lone = loadText("a.txt", "# Nodes: 10 Edges: 3\n" + edges);
  CHECK(remarks(lone, "line 1 promises 10 vertices; the edges make 3; vertices without edges are left out"));
  CHECK_FALSE(remarks(lone, " edges; the file"));
  const Dataset snap =
      loadText("a.txt", "# Directed graph\n# Nodes: 4 Edges: 9\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n");
  CHECK(remarks(snap, "line 2 promises 9 edges; the file holds 2"));
  CHECK(remarks(snap, "line 2 promises 4 vertices; the edges make 3"));
  for (const std::string& text :
       {"% sym\n% 3 3 3\n" + edges, "# Nodes: 3 Edges: 3\n" + edges, "# Nodes: 3, Edges: 3\n" + edges,
        "# Edges: 1,000\n" + edges, "# Edges: many\n" + edges, "# made\n% 99 3 3\n" + edges,
        std::string("# Nodes: 3 Edges: 2\n0 1\n1 3\n"), std::string("# Nodes: 3 Edges: 2\n7 90\n90 800\n"),
        "% bip\n% 3 2 3\n" + edges}) {
    CAPTURE(text);
    CHECK_FALSE(remarks(loadText("a.txt", text), "promises"));
  }
}

TEST_CASE("a mark alone between two blocks of lines divides vertices of TGF from edges", "[formats]") {
  const char* const problem = ": `#` alone between two blocks of lines, as in TGF";
  CHECK(refusalOf("g.txt", "1 100\n2 200\n3 300\n#\n1 2 5\n2 3 4\n")
            .starts_with(std::string("g.txt:4") + problem));
  CHECK(refusalOf("g.tgf", "1 100\n2 200\n\n # \n\n1 2\n").starts_with(std::string("g.tgf:4") + problem));
  for (const char* edges : {"#\n0 1\n1 2\n", "0 1\n1 2\n#\n", "0 1\n#\n# more\n#\n1 2\n", "0 1\n# 2\n1 2\n",
                            "0 1\n%\n1 2\n", "#\n# made\n#\n0 1\n1 2\n# end\n"}) {
    CAPTURE(edges);
    CHECK(loadText("g.txt", edges).arcs.nonzeros() == 4);
  }
}

TEST_CASE("names of two kinds of vertices are remarked, for both ends are numbered together", "[formats]") {
  const std::string edges = "\n0,0\n1,0\n1,1\n2,1\n";
  const Dataset set = loadText("g.csv", "user,item" + edges);
  CHECK(set.vertices() == 3);
  CHECK(remarks(set, "the columns 'user' and 'item' may be two kinds of vertices"));
  CHECK(remarks(set, "vertex 0 of each is one vertex"));
  for (const char* names : {"userId,movieId", "author_id,paper_id", "User,Products"})
    CHECK(remarks(loadText("g.csv", names + edges), "two kinds"));
  for (const char* names : {"user_id,user_id", "source,target", "user1,user2", "user,friend"})
    CHECK_FALSE(remarks(loadText("g.csv", names + edges), "two kinds"));
  const Dataset sides = loadText("g.csv", "% bip\nuser,item" + edges);
  CHECK(sides.vertices() == 5);
  CHECK_FALSE(remarks(sides, "two kinds"));
}

TEST_CASE("vertex numbers with decimals are refused with what numpy needs to write none", "[formats]") {
  for (const char* edges : {"0.000000000000000000e+00 1.000000000000000000e+00\n1.0e+00 2.0e+00\n",
                            "source,target\n0.0,1.0\n1.0,2.0\n", "0 1.0\n1 2.0\n"}) {
    CAPTURE(edges);
    const std::string message = refusalOf("g.txt", edges);
    CHECK(message.starts_with(
        "g.txt: the file is in no readable format (vertex numbers with decimals; numpy.savetxt "
        "writes whole numbers with fmt=\"%d\")"));
  }
  CHECK(refusalOf("g.txt", "0 1\n1 2.0\n") ==
        "g.txt:2:3: '2.0' is not a whole number; a vertex number from 0, without decimals; numpy.savetxt "
        "writes it "
        "so with fmt=\"%d\"");
  CHECK(refusalOf("g.txt", "0 1\n1 2.5\n") ==
        "g.txt:2:3: '2.5' is not a whole number; a vertex number from 0");
}

TEST_CASE("names of more columns than edges have are remarked", "[formats]") {
  const char* const edges = "0,1\n1,2\n2,3\n";
  CHECK(remarks(loadText("g.csv", std::string("source,target,weight\n") + edges),
                "the first line names 3 columns, and the lines have 2"));
  CHECK_FALSE(remarks(loadText("g.csv", std::string("source,target\n") + edges), "and the lines have"));
  CHECK_FALSE(remarks(loadText("g.csv", std::string("\"source node\",\"target node\"\n") + edges),
                      "and the lines have"));  // blanks within quotes separate nothing
}

TEST_CASE("a first line that begins with a separator is not told as names where it can be none",
          "[formats]") {
  CHECK(refusalOf("g.txt", "\t0\t1\n\t1\t2\n") ==
        "g.txt:2:1: an empty cell, as line 1 ('\\t0\\t1') begins with; a line begins with the source of an "
        "edge");
  CHECK(refusalOf("g.txt", "; c\n0 1\n1 2\n") ==
        "g.txt:1: '; c' names no two ends of an edge; a comment begins with # or %");
  CHECK(loadText("g.csv", ",source,target\n0,0,1\n1,1,2\n2,2,0\n").vertices() == 3);
}

TEST_CASE("blanks that may group thousands between tabs are remarked", "[formats]") {
  const std::string words = "g.txt: cells between tabs have blanks before three digits";
  CHECK(remarks(loadText("g.txt", "1 000\t2 000\n2 000\t3 000\n"), words));
  CHECK(remarks(loadText("g.txt", "u\tv\n1 000\t2 000\n2 000\t3 000\n"), words));
  CHECK_FALSE(remarks(loadText("g.txt", "1 2000\t5\n2 3000\t5\n"), words));
  CHECK_FALSE(remarks(loadText("g.txt", "100\t200\n200\t300\n"), words));
  CHECK_FALSE(remarks(loadText("g.txt", "100 200\n200 300\n"), words));
}

TEST_CASE("texts behind named ends are left out, and weights have to be numbers", "[formats]") {
  const std::string names = "Source,Target,Type,Id,Label,Weight\n";
  const Dataset gephi = loadText(
      "g.csv", names + "0,1,Undirected,0,,1.0\n1,2,Undirected,1,\"a, b\",NA\n2,3,Directed,2,x y,2\n");
  CHECK(gephi.vertices() == 4);
  CHECK(rowOf(gephi, 1) == std::vector<Vertex>{0, 2});
  CHECK(remarks(gephi, "columns behind the ends are not used, texts and empty cells among them"));
  const Dataset index = loadText("g.csv", ",source,target,day\n7,0,1,monday\n9,1,2,tuesday\n");
  CHECK(index.vertices() == 3);
  CHECK(remarks(index, "the first column is an index without a name: it is left out"));
  CHECK(refusalOf("g.csv", names + "0,1,Undirected,0,,1.0\n1,2,U,1,b,heavy\n") ==
        "g.csv:3:11: 'heavy' is not a number; a number under `Weight`");
  CHECK(refusalOf("g.csv", names + "0,1,U,0,,1.0\n1,2,U,1,b,\n") ==
        "g.csv:3:10: an empty cell; a number under `Weight`");
  CHECK(refusalOf("g.csv", names + "0,1,U,0,,1.0\n1,2,U,1,b\n")
            .starts_with("g.csv:3:9: has 5 columns; line 1 names 6"));
  CHECK(refusalOf("g.csv", names + "0,1,U,0,,1.0\nx,2,U,1,b,2\n").starts_with("g.csv:3:1: "));
  CHECK(refusalOf("g.csv", "Source,Target,Label\n0,1,\"two\n2,3,lines\"\n1,2,ok\n") ==
        "g.csv:2:5: a double quote is not closed on its line; a cell ends on the line that it begins on");
  CHECK(loadText("g.csv", "source,target,timestamp\n0,1,2020-01-02\n1,2,2020-01-03\n").vertices() == 3);
  // no names, or others: a text may be an end
  CHECK(refusalOf("g.csv", "0,1,red\n1,2,blue\n") != "");
  CHECK(refusalOf("g.csv", "colour,from,to\nred,0,1\nblue,1,2\n") != "");
}

TEST_CASE("columns behind named ends may be many", "[formats]") {
  CHECK(loadText("g.csv", "source,target,type,weight,time,label\n0,1,1,2,3,4\n1,2,1,2,3,4\n").vertices() ==
        3);
  CHECK(loadText("g.txt", "u v w t a b\n0 1 1 2 3 4\n1 2 1 2 3 4\n").vertices() == 3);
}

TEST_CASE("an index that pandas calls Unnamed: 0 is left out", "[formats]") {
  const Dataset set = loadText("g.csv", "Unnamed: 0,source,target\n0,0,1\n1,1,2\n2,2,3\n3,3,0\n");
  CHECK(set.vertices() == 4);
  CHECK(set.arcs.nonzeros() == 8);
  CHECK(remarks(set,
                "line 1 calls the first column `Unnamed: 0`, as pandas does with an index: it is left out"));
  CHECK_FALSE(remarks(loadText("g.csv", ",source,target\n0,0,1\n1,1,2\n"), "and the lines have"));
  CHECK(loadText("g.csv", "Unnamed: 0,source,target\n3,0,1\n7,1,2\n9,2,0\n").vertices() ==
        3);  // a filtered table
}

TEST_CASE("the size of a matrix above its entries is no edge", "[formats]") {
  const std::string entries = "1 1 5\n2 7 3\n3 4 4\n1 4 1\n2 1 1\n";
  CHECK(
      refusalOf("g.txt", "943 1682 5\n" + entries) ==
      "g.txt:1: 943 1682 5 is the size of a matrix with so many entries below it, which is no graph; as many "
      "columns as rows; if it is an edge, put it behind another one");
  for (const char* edge : {"943 1682 4\n", "943 6 5\n", "2 1682 5\n", "943 1682 0.5\n"}) {
    CAPTURE(edge);
    CHECK(refusalOf("g.txt", edge + entries).empty());
  }
}

TEST_CASE("a first column that counts the lines from any number may be an index", "[formats]") {
  CHECK(remarks(loadText("g.txt", "1000 5 6\n1001 6 7\n1002 7 5\n"),
                "counts the lines; it is read as the source"));
  CHECK_FALSE(remarks(loadText("g.txt", "20 1 2\n20 2 3\n40 1 2\n"), "counts the lines"));
}

TEST_CASE("a single word above the edges is no line of names", "[formats]") {
  for (const char* text : {"OFF\n3 0 0\n0 0 0\n1 0 0\n0 1 0\n", "title\n0 1\n1 2\n", "edges\n\n0,1\n1,2\n"})
    CHECK_THAT(refusalOf("g.txt", text),
               Catch::Matchers::StartsWith("g.txt:1: ") &&
                   Catch::Matchers::Contains("names no two ends of an edge; a comment begins with # or %"));
}
