// Labels beside an edge list: one a line, lists of them, flags, and columns that are none.

#include "datasets/load.h"
#include "tests/datasets/loading.h"

using namespace halo;

namespace {

/// A ring of four vertices with this file of labels beside it.
struct Ring {
  OwnCache own;
  Dataset with(const std::string& labels) const {
    own.write("net_labels.csv", labels);
    return loadDataset({.name = own.write("net.txt", "0 1\n1 2\n2 3\n3 0\n").string()});
  }
  std::string refused(const std::string& labels) const {
    try {
      with(labels);
    } catch (const DamagedInput& error) {
      const std::string message = error.what(), folder = own.path("").string();
      return message.starts_with(folder) ? message.substr(folder.size()) : message;
    }
    return "";
  }
};

using Labels = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("labels beside a graph that are written one-hot are one label a vertex", "[formats]") {
  const Ring ring;
  for (const char* text :
       {"node,c0,c1,c2\n0,1,0,0\n1,0,1,0\n2,0,0,1\n3,1,0,0\n", "0,1,0,0\n1,0,1,0\n2,0,0,1\n3,1,0,0\n",
        "3 1 0 0\n1 0 1 0\n0 1 0 0\n2 0 0 1\n",
        "\"c0\" \"c1\" \"c2\"\n\"0\" 1 0 0\n\"1\" 0 1 0\n\"2\" 0 0 1\n\"3\" 1 0 0\n",
        "\"node\" \"c0\" \"c1\" \"c2\"\n\"1\" 0 1 0 0\n\"2\" 1 0 1 0\n\"3\" 2 0 0 1\n\"4\" 3 1 0 "
        "0\n"}) {
    CAPTURE(text);
    const Dataset set = ring.with(text);
    CHECK(set.labels == Labels{0, 1, 2, 0});
    CHECK(set.classes == 3);
    CHECK(
        remarks(set, "every line of net_labels.csv has 3 numbers 0 or 1 behind the vertex; read as a flag"));
    CHECK(remarks(set, "read as one label a vertex"));
  }
  CHECK(ring.with("0 1 0\n1 0 1\n2 1 0\n3 0 1\n").labels == Labels{0, 1, 0, 1});
  const Dataset flags = ring.with("node,a,b\n0,1,1\n1,0,1\n2,1,0\n3,0,1\n");
  CHECK(flags.multiLabel());
  CHECK(flags.multiLabels(1, 0) == 0);
  CHECK(flags.multiLabels(1, 1) == 1);
  CHECK(ring.refused("0,1,0,0\n1,0,1,0\n2,0,0,1\n2,1,0,0\n") ==
        "net_labels.csv:4: vertex 2 was in line 3 already; flags of every vertex once");
}

TEST_CASE("classes beside a graph may have decimals, as pandas and numpy write whole numbers", "[formats]") {
  const Ring ring;
  CHECK(ring.with("0 0.0\n1 1.0\n2 1.000e+00\n3 2.0\n").labels == Labels{0, 1, 1, 2});
  CHECK(
      ring.refused("0 0.5\n1 1\n2 1\n3 2\n").starts_with("net_labels.csv:1:3: '0.5' is not a whole number"));
  CHECK(remarks(ring.with("0 1.000\n1 2.000\n2 3.000\n3 1.000\n"),
                "every number with a point has three digits"));
  CHECK_FALSE(remarks(ring.with("0 1.0\n1 2.0\n2 3.0\n3 1.0\n"), "three digits"));
}

TEST_CASE("lists of labels beside a graph stay lists", "[formats]") {
  const Ring ring;
  const Dataset lists = ring.with("0 0 2\n1 1\n2 0 1 2\n3 2\n");
  CHECK(lists.multiLabel());
  CHECK(lists.multiLabels(0, 2) == 1);
  CHECK(lists.multiLabels(0, 1) == 0);
  CHECK_FALSE(remarks(lists, "behind the vertex"));
  CHECK_FALSE(remarks(lists, "classes are numbered from 1 in the file, from 0 here"));
  const Dataset fromOne = ring.with("0 1 3\n1 2\n2 1 2 3\n3 3\n");
  CHECK(remarks(fromOne, "classes are numbered from 1 in the file, from 0 here"));
  CHECK(fromOne.classes == 3);
  CHECK(fromOne.multiLabels(0, 0) == 1);
  const Dataset pairs = ring.with("0 0 2\n1 1 2\n2 0 1\n3 2 0\n");
  CHECK(pairs.multiLabels(3, 2) == 1);
  CHECK(remarks(pairs, "has 2 numbers behind the vertex; all are read as its labels"));
  CHECK(ring.with("0 0 1\n1 0 1\n2 0 1\n3 0 1\n").multiLabels(0, 0) == 1);  // each may list 0 and 1
  CHECK(ring.with("node labels\n0 0 2\n1 1\n2 0 1 2\n3 2\n").multiLabels(2, 1) == 1);
  CHECK(ring.with("node,label\n0,5\n1,nan\n2,0\n3,1\n").labels == Labels{5, -1, 0, 1});
}

TEST_CASE("labels beside a graph that may have a comma before their decimals are remarked", "[formats]") {
  const Ring ring;
  const std::string remark = "net_labels.csv: every row is read as two columns with ',' between them; if the";
  CHECK(remarks(ring.with("0,0\n1,0\n0,0\n1,0\n"), remark));
  CHECK_FALSE(remarks(ring.with("0,0\n1,1\n2,0\n3,1\n"), remark));
  CHECK_FALSE(remarks(ring.with("node,label\n0,0\n1,0\n2,0\n3,0\n"), remark));
}

TEST_CASE("a column beside the one named as the label is not read", "[formats]") {
  const Ring ring;
  for (const char* text : {"node,degree,label\n0,2,1\n1,2,0\n2,2.5,1\n3,7,0\n",
                           "node,label,degree\n0,1,2\n1,0,2\n2,1,2\n3,0,7\n"}) {
    CAPTURE(text);
    const Dataset set = ring.with(text);
    CHECK(set.labels == Labels{1, 0, 1, 0});
    CHECK(remarks(set, "net_labels.csv: `label` is the label; the column `degree` is not read"));
  }
  CHECK(ring.refused("node,degree,x\n0,2,1\n1,2,0\n2,2,1\n3,7,0\n") ==
        "net_labels.csv:1: columns 'degree' to 'x' may all be labels or hold them in one; name that one "
        "`label`");
  CHECK(ring.refused("node,degree,label\n0,2,1\n1,2,0,1\n2,2,1\n3,7,0\n") ==
        "net_labels.csv:3: has 4 columns; line 1 names 3");
}

TEST_CASE("names of rows before vertices and labels are neither", "[formats]") {
  const Ring ring;
  const char* const left = "the first column is left out; if it is the vertex, name every column";
  for (const char* text : {"\"node\" \"label\"\n\"1\" 3 1\n\"2\" 2 0\n\"3\" 1 1\n\"4\" 0 0\n",
                           "node,label\n0,3,1\n1,2,0\n2,1,1\n3,0,0\n"}) {
    CAPTURE(text);
    const Dataset set = ring.with(text);
    CHECK(set.labels == Labels{0, 1, 0, 1});
    CHECK(remarks(set, left));
  }
  CHECK(
      ring.refused("node label\n2 3 1\n0 2 0\n1 1 1\n3 0 0\n")
          .starts_with("net_labels.csv:2:1: the first column may hold names of rows, as R writes them, or"));
  const Dataset lists = ring.with("node labels\n0 3 1\n1 1 0\n2 1 2\n3 0 3\n");  // 1 is no vertex twice
  CHECK(lists.multiLabel());
  CHECK_FALSE(remarks(lists, left));
}

TEST_CASE("a word before the label of a vertex is no line of names", "[formats]") {
  const Ring ring;
  CHECK(ring.refused("O 1\n1 0\n2 1\n3 0\n") ==
        "net_labels.csv:1:1: 'O' is not a whole number, and names of columns stand alone on a line; a vertex "
        "number");
  CHECK(ring.with("node_id,0\n0,1\n1,0\n2,1\n3,0\n").labels == Labels{1, 0, 1, 0});
  const OwnCache own;
  DatasetRequest request;
  request.name = own.write("g.txt", "0 1\n1 2\n2 3\n3 0\n").string();
  request.labels = own.write("l.csv", "O,1\n1,0\n2,1\n3,0\n").string();
  CHECK_THROWS_WITH(loadDataset(request), Catch::Matchers::Contains("l.csv:1:1: 'O' is not a number"));
}

TEST_CASE("a comment that names the vertex second is refused as names are", "[formats]") {
  const Ring ring;
  for (const char* above : {"class node\n", "# class node\n", "# class node\n# exported\n",
                            "# class\n# node\n", "# labels\n# column 1: class\n# column 2: node\n#\n"}) {
    CAPTURE(above);
    CHECK_THAT(ring.refused(above + std::string("0 1\n1 3\n2 0\n3 2\n")),
               Catch::Matchers::Contains("column 2 is named 'node'"));
  }
  CHECK(ring.with("# node class\n0 1\n1 3\n2 0\n3 2\n").labels == Labels{1, 3, 0, 2});
  CHECK(ring.with("# node\n# class\n0 1\n1 3\n2 0\n3 2\n").labels == Labels{1, 3, 0, 2});
  CHECK(ring.with("# labels\n# of\n# nodes\n0 1\n1 3\n2 0\n3 2\n").labels == Labels{1, 3, 0, 2});
  CHECK(ring.with("# the classes\n0 1\n1 3\n2 0\n3 2\n").labels == Labels{1, 3, 0, 2});
  std::string preamble;  // of a long one the last lines count
  for (int i = 0; i < 40; ++i) preamble += "# line " + std::to_string(i) + "\n";
  CHECK_THAT(ring.refused(preamble + "# class node\n0 1\n1 3\n2 0\n3 2\n"),
             Catch::Matchers::Contains("column 2 is named 'node'"));
  CHECK(ring.with("# class node\n" + preamble + "0 1\n1 3\n2 0\n3 2\n").labels == Labels{1, 3, 0, 2});
}

TEST_CASE("lines of labels that are separated otherwise than those above are refused", "[formats]") {
  const Ring ring;
  CHECK_THAT(ring.refused("0 1\n1 3\n2,0\n3 2\n"), Catch::Matchers::Contains(":3:2: ',' between the fields"));
  CHECK_THAT(ring.refused("node;class\n0,1\n1,3\n2,0\n3,2\n"),
             Catch::Matchers::Contains(":2:2: ',' between the fields of this line, ';' in the lines above"));
  CHECK(ring.with("node class\n0,1\n1,3\n2, 0\n3,2\n").labels == Labels{1, 3, 0, 2});
}

TEST_CASE("numbers of columns above vertices and labels are no label", "[formats]") {
  const Ring ring;
  const char* const remark =
      "net_labels.csv: line 1 ('0,1') is taken for the numbers of columns that pandas writes";
  for (const char* text : {"0,1\n0,3\n1,2\n2,0\n3,1\n", "0,1\n3,1\n2,0\n1,2\n0,3\n"}) {
    const Dataset set = ring.with(text);
    CHECK(set.labels == Labels{3, 2, 0, 1});
    CHECK(remarks(set, remark));
    CHECK_FALSE(remarks(set, "several labels"));
  }
  CHECK(ring.with("0,1\n1,2\n2,0\n3,1\n").labels == Labels{1, 2, 0, 1});
  const Dataset several = ring.with("0,1\n0,3\n1,2\n1,0\n2,0\n3,1\n");
  CHECK(several.multiLabel());
  CHECK_FALSE(remarks(several, "pandas"));
  CHECK(ring.with("node,label\n0,1\n0,3\n1,2\n2,0\n3,1\n").multiLabel());
}

TEST_CASE("a first vertex with several lines of labels keeps them all where blanks divide them",
          "[formats]") {
  const Dataset set = Ring().with("0 1\n0 2\n1 0\n2 0\n3 1\n");
  CHECK(set.multiLabels(0, 1) == 1);
  CHECK(set.multiLabels(0, 2) == 1);
  CHECK_FALSE(remarks(set, "pandas"));
}
