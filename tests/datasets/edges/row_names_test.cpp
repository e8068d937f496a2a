// Columns before the two ends of an edge: names of rows, and an index that nothing names.

#include "datasets/load.h"
#include "tests/datasets/loading.h"

using namespace halo;

namespace {

constexpr const char* kCounts = "counts the lines; it is read as the source";
constexpr const char* kNames = "as R does above names of rows: the first column is left out";

/// A ring 0–1–2–0 of a MUSAE folder with these edges.
Dataset musae(const std::string& edges) {
  const OwnCache own;
  own.write("set/a_target.csv", "id,target\n0,a\n1,b\n2,a\n3,b\n");
  own.write("set/a_edges.csv", edges);
  return loadDataset({.name = own.path("set").string()});
}
Dataset geomGcn(const std::string& edges) {
  const OwnCache own;
  own.write("set/out1_node_feature_label.txt",
            "node_id\tfeature\tlabel\n0\t1\t0\n1\t0\t1\n2\t1\t1\n3\t1\t0\n");
  own.write("set/out1_graph_edges.txt", edges);
  return loadDataset({.name = own.path("set").string()});
}

}  // namespace

TEST_CASE("names of rows, one more than names of columns, are no ends of edges", "[formats]") {
  const Dataset right = loadText("a.txt", "10 20\n20 30\n30 10\n");
  for (const char* text :
       {"\"from\" \"to\"\n\"1\" 10 20\n\"2\" 20 30\n\"3\" 30 10\n",
        "\"from\" \"to\"\n\"1\" \"10\" \"20\"\n\"2\" \"20\" \"30\"\n\"3\" \"30\" \"10\"\n",
        "\"from\" \"to\"\n\"7\" 10 20\n\"4\" 20 30\n\"5\" 30 10\n", "src,dst\n0,10,20\n1,20,30\n2,30,10\n",
        "\"from\" \"to\" \"w\"\n\"1\" 10 20 0.5\n\"2\" 20 30 1\n\"3\" 30 10 2\n",
        "# made by R\nfrom to\n1 10 20\n2 20 30\n\n3 30 10\n"}) {
    CAPTURE(text);
    const Dataset set = loadText("a.txt", text);
    CHECK(set.vertices() == 3);
    CHECK(set.arcs.nonzeros() == right.arcs.nonzeros());
    CHECK(rowOf(set, 0) == rowOf(right, 0));
    CHECK(remarks(set, kNames));
    CHECK_FALSE(remarks(set, kCounts));
  }
}

TEST_CASE("a weight without a name is no end of an edge", "[formats]") {
  for (const char* text : {"src dst\n0 1 0.5\n1 2 0.25\n2 3 1\n",  // no vertices in the third column
                           "src dst\n0 1 5\n0 2 5\n0 3 1\n",       // names of rows do not repeat
                           "src dst w\n0 1 5\n1 2 5\n2 3 1\n"}) {
    CAPTURE(text);
    const Dataset set = loadText("a.txt", text);
    CHECK(set.vertices() == 4);
    CHECK(set.arcs.nonzeros() == 6);
    CHECK_FALSE(remarks(set, kNames));
    CHECK_FALSE(remarks(set, kCounts));
  }
}

TEST_CASE("names that leave open whether the first column is the source are refused", "[formats]") {
  const char* const open = "may hold names of rows, as R writes them, or the last one has no name: line ";
  const auto refuse = [&](const std::string& name, const std::string& text) { return refusalOf(name, text); };
  CHECK(
      refuse("a.txt", "src dst\n4 1 5\n1 2 5\n2 3 1\n")
          .starts_with(std::string("a.txt:2:1: the first column ") + open + "1 names 2 of 3 columns; name"));
  for (const char* ring : {"source,target\n0,1,5\n1,2,5\n2,3,7\n3,4,7\n4,0,9\n",
                           "source,target\n0,1,3\n1,2,0\n2,3,1\n3,4,2\n4,0,1\n",  // each source once
                           "source,target\n0,1,5\n1,3,5\n2,3,7\n3,4,7\n"}) {
    CAPTURE(ring);
    CHECK(refuse("a.csv", ring).starts_with(std::string("a.csv:2:1: the first column ") + open));
  }
  std::string text = "src,dst\n";  // its first lines count, and one far behind does not
  for (int i = 0; i < 20'000; ++i)
    text += std::to_string(i) + "," + std::to_string(i % 90) + "," + std::to_string(i % 70) + "\n";
  CHECK(refuse("a.csv", text + "7,1,2\n")
            .starts_with("a.csv:20002:1: the first column may hold names of rows"));
}

TEST_CASE("a weight with a decimal comma does not make names of rows of the source", "[formats]") {
  const std::string refused = refusalOf("a.csv", "source,target,weight\n1,3,1,5\n2,4,1,5\n3,1,0,25\n");
  CHECK(refused.starts_with("a.csv:2:7: the first column may hold names of rows"));
  CHECK(refused.find("write its decimals with a point") != std::string::npos);
  for (const char* text : {"from,to,w\n1,10,20,0.5\n2,20,30,1.5\n3,30,10,2.5\n",
                           "\"from\",\"to\",\"w\"\n\"1\",10,20,5\n\"2\",20,30,5\n\"3\",30,10,5\n"}) {
    CAPTURE(text);
    CHECK(remarks(loadText("a.csv", text), kNames));
  }
}

TEST_CASE("names of rows stand before edges of folders as well", "[formats]") {
  const std::string ring = "\"a\",\"b\"\n\"1\",1,2\n\"2\",2,3\n\"3\",3,1\n";
  const Dataset fromMusae = musae(ring);
  CHECK(fromMusae.arcs.nonzeros() == 6);
  CHECK(rowOf(fromMusae, 3) == std::vector<Vertex>{1, 2});
  CHECK(remarks(fromMusae, kNames));
  CHECK(rowOf(musae("id_1,id_2\n0,2,3\n1,1,2\n2,3,1\n"), 3) == std::vector<Vertex>{1, 2});
  CHECK(rowOf(musae("id_1,id_2\n0,1,9\n1,2,9\n2,3,1\n"), 3) == std::vector<Vertex>{2});  // 9 is no vertex
  CHECK(rowOf(musae("id_1,id_2\n1,2\n2,3\n3,1\n"), 3) == std::vector<Vertex>{1, 2});
  const Dataset fromGeomGcn = geomGcn("node_id\tnode_id\n0\t2\t3\n1\t1\t2\n2\t3\t1\n");
  CHECK(rowOf(fromGeomGcn, 3) == std::vector<Vertex>{1, 2});
  CHECK(remarks(fromGeomGcn, kNames));
}

TEST_CASE("a first column that counts the lines is remarked", "[formats]") {
  CHECK(remarks(loadText("g.csv", "0,5,6\n1,6,7\n2,7,5\n"),
                std::string("the first column of g.csv ") + kCounts));
  CHECK(remarks(loadText("g.csv", "1,5,6\n2,6,7\n3,7,5\n"), kCounts));
  CHECK(remarks(loadText("g.txt", "5 3\n0 1 2\n1 2 3\n2 3 4\n", "counted-edge-list"), kCounts));
  CHECK(remarks(loadText("g.jlg", "4,3,u,g\n1,2,3\n2,3,4\n3,4,1\n"), kCounts));
  CHECK(remarks(loadText("g.gr", "p tw 4 3\n1 2 3\n2 3 4\n3 4 1\n"), kCounts));
  CHECK(remarks(musae("0,1,2\n1,2,3\n2,3,1\n"), kCounts));
  CHECK_FALSE(
      remarks(loadText("g.csv", "9223372036854775806,1,5\n9223372036854775807,2,5\n1,2,5\n"), kCounts));
  CHECK_FALSE(remarks(musae("id_1,id_2,w\n0,1,2\n1,2,3\n2,3,1\n"), kCounts));
  for (const char* text : {"0,5,0.5\n1,6,0.5\n2,7,1\n", "0,5,6\n2,6,7\n1,7,5\n", "0,5,6\n1,6,7\n",
                           "0,5\n1,6\n2,7\n", "5,5,6\n6,6,7\n9,7,5\n", "u,v,time\n0,5,6\n1,6,7\n2,7,5\n",
                           "# source target weight\n0,5,6\n1,6,7\n2,7,5\n"}) {
    CAPTURE(text);
    CHECK_FALSE(remarks(loadText("g.csv", text), kCounts));
  }
}

TEST_CASE("a remark on a file whose name holds the end of a line is one line", "[formats]") {
  const Dataset set = loadText("a\nb.csv", "0,5,6\n1,6,7\n2,7,5\n");
  CHECK(remarks(set, std::string("the first column of a?b.csv ") + kCounts));
  for (const std::string& remark : set.remarks) CHECK(remark.find('\n') == std::string::npos);
}

TEST_CASE("a matrix of 0 and 1 behind names of rows holds no edges", "[formats]") {
  for (const char* text : {"V1 V2 V3\n1 0 1 0\n2 1 0 1\n3 0 1 0\n",
                           "\"V1\" \"V2\" \"V3\"\n\"1\" 0 1 0\n\"2\" 1 0 1\n\"3\" 0 1 0\n"})
    CHECK(
        refusalOf("m.txt", text).starts_with("m.txt: looks like a dense 3 × 3 matrix: 3 lines with 3 cells"));
  CHECK(loadText("g.txt", "u v w\n1 0 1 5\n2 1 2 1\n3 2 0 1\n").arcs.nonzeros() == 6);
}

TEST_CASE("a first column that is in quotes alone holds names of rows, also without names of columns",
          "[formats]") {
  const std::string remark = "the first column alone is in quotes, as R writes names of rows: it is left out";
  const std::string rows[] = {"\"23\" 0 1\n\"5\" 1 2\n\"12\" 2 3\n",
                              "\"23\",0,1,9\n\"5\",1,2,9\n\"12\",2,3,9\n"};
  for (const std::string& text : rows) {
    const Dataset set = loadText("e.csv", text);
    CHECK(set.vertices() == 4);
    CHECK(rowOf(set, 1) == std::vector<Vertex>{0, 2});
    CHECK(remarks(set, remark));
  }
  for (const char* text :
       {"\"0\" \"1\" 5\n\"1\" \"2\" 5\n", "\"0\" 1\n\"1\" 2\n", "\"0\" 1 2\n\"0\" 2 1\n"}) {
    CAPTURE(text);
    CHECK_FALSE(remarks(loadText("e.txt", text), remark));
  }
}
