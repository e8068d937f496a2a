#include "tests/datasets/loading.h"

using namespace halo;

namespace {

const std::string kEdge =
    "edge [ source 0 target 2 ] edge [ source 2 target 3 ] edge [ source 3 target 5 ]\n";

std::string nodes(std::initializer_list<int> ids) {
  std::string text;
  for (const int id : ids) text += "node [ id " + std::to_string(id) + " ]\n";
  return text;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("nodes of a GML file are its vertices, whatever gaps their ids have", "[gml]") {
  const Dataset set = loadText(
      "filtered.gml", "Creator \"a filter\"\ngraph [\ndirected 0\n" + nodes({0, 2, 3, 5}) + kEdge + "]\n");
  CHECK(set.vertices() == 4);
  CHECK(set.arcs.nonzeros() == 6);
  CHECK(rowOf(set, 3) == std::vector<Vertex>{2});
  CHECK(remarks(set, "vertex numbers have gaps (4 up to 5); renumbered from 0 in ascending order"));
  // with one that no edge touches, out of order, from 1
  CHECK(loadText("a.gml", "graph [ " + nodes({5, 0, 3, 2, 9}) + kEdge + "]").vertices() == 5);
  const Dataset fromOne = loadText("a.gml", "graph [ " + nodes({1, 3, 2}) + "edge [ source 1 target 3 ] ]");
  CHECK(fromOne.vertices() == 3);
  CHECK(rowOf(fromOne, 0) == std::vector<Vertex>{2});
  CHECK(loadText("a.gml", "graph [ " + nodes({0, 1, 2, 4}) + "edge [ source 1 target 4 ] ]").vertices() == 4);
}

TEST_CASE("keys that make the graph stand in small letters, and a graph without edges says so", "[gml]") {
  CHECK(refusalOf("a.gml", "graph [ " + nodes({0, 1}) + "Edge [ source 0 target 1 ] ]")
            .find("'Edge' is no key of GML; edge, in small letters") != std::string::npos);
  CHECK(refusalOf("a.gml", "graph [ Node [ id 0 ] node [ id 1 ] ]").find("'Node' is no key") !=
        std::string::npos);
  CHECK(refusalOf("a.gml", "graph [ node [ ID 0 ] ]").find("'ID' is no key") != std::string::npos);
  CHECK(loadText("a.gml", "graph [ node [ id 0 Weight 3 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
            .vertices() == 2);
  CHECK(remarks(loadText("a.gml", "graph [ " + nodes({0, 1}) + "]"), "the file holds no edge"));
}

TEST_CASE("an id that two nodes have is refused with both lines", "[gml]") {
  CHECK(refusalOf("dup.gml",
                  "graph [\n node [ id 0 value 0 ]\n node [ id 1 value 1 ]\n node [ id 1 value 2 ]\n"
                  " node [ id 2 value 0 ]\n edge [ source 0 target 1 ]\n]\n") ==
        "dup.gml:4: a second node with the id 1, which the one on line 3 has; an id once");
  CHECK(refusalOf("dup.gml", "graph [\n" + nodes({70, 5, 900, 70}) + "]\n") ==
        "dup.gml:5: a second node with the id 70, which the one on line 2 has; an id once");
  CHECK(refusalOf("a.gml", "graph [ node [ id 0\n id 1 ] ]") == "a.gml:2:5: a second id; one");
  CHECK(refusalOf("a.gml", "graph [ node [ id 0 value 1 value 2 ] ]") == "a.gml:1:35: a second value; one");
  CHECK(refusalOf("a.gml", "graph [ node [ id 0 ]\nedge [ source 0 source 0 target 0 ] ]") ==
        "a.gml:2:24: a second source; one");
}

TEST_CASE("nothing but comments follows the end of a GML graph", "[gml]") {
  const std::string graph = "graph [\n" + nodes({0, 1}) + "edge [ source 0 target 1 ]\n]\n";
  CHECK(loadText("a.gml", graph + "# the end\n \nVersion 1\ncomment \"made [ here\"\n").vertices() == 2);
  CHECK(refusalOf("a.gml", graph + "rubbish\n") ==
        "a.gml:6:1: 'rubbish' after the end of the graph; nothing, or a comment");
  for (const std::string after : {"]", "x 1", "node [ id 7 ]", "graph [ ]", "\"text\"", "7", "["}) {
    CAPTURE(after);
    CHECK(refusalOf("a.gml", graph + after).starts_with("a.gml:6:1: "));
  }
}

TEST_CASE("a GML file says whether its edges are directed", "[gml]") {
  const auto file = [](const std::string& head) {
    return "graph [ " + head + nodes({0, 1}) + "edge [ source 0 target 1 ] ]";
  };
  for (const std::string undirected : {"", "directed 0 "}) {
    CHECK(loadText("a.gml", file(undirected)).arcs.nonzeros() == 2);
    CHECK(loadText("a.gml", file(undirected), "", /*directed=*/true).arcs.nonzeros() == 2);
  }
  const Dataset both = loadText("a.gml", file("directed 1 "));
  CHECK(both.arcs.nonzeros() == 2);
  CHECK(remarks(both, "directed 1"));
  const Dataset as = loadText("a.gml", file("directed 1 "), "", /*directed=*/true);
  CHECK(as.arcs.nonzeros() == 1);
  CHECK(rowOf(as, 1) == std::vector<Vertex>{0});
  CHECK(refusalOf("a.gml", file("directed 2\n")) == "a.gml:1:18: directed '2' cannot be; 0 or 1");
  CHECK(refusalOf("a.gml", file("directed 0\ndirected 1\n")) == "a.gml:2:10: a second directed; one");
}

TEST_CASE("brackets of a GML file may be nested as deep as it has bytes", "[gml]") {
  constexpr int kDepth = 200'000;
  const std::string deep = "x " + repeated("[ y ", kDepth) + "1 " + repeated("] ", kDepth);
  CHECK(loadText("a.gml", "graph [ " + deep + nodes({0, 1}) + "edge [ source 0 target 1 ] ]").vertices() ==
        2);
  CHECK(refusalOf("a.gml", "graph [ " + nodes({0}) + repeated("[ ", kDepth)) != "");
}

TEST_CASE("what is wrong in a GML file is said with its place", "[gml]") {
  CHECK(refusalOf("a.gml", "graph [\n node [ id x ] ]") == "a.gml:2:12: id 'x' is not a whole number from 0");
  CHECK(refusalOf("a.gml", "graph [\n node [ id -1 ] ]") ==
        "a.gml:2:12: id '-1' is not a whole number from 0");
  CHECK(refusalOf("a.gml", "graph [\n node [ id ] ]") == "a.gml:2:12: id has no value; a number or a text");
  CHECK(refusalOf("a.gml", "graph [\n node [ label \"x\" ]\n]") == "a.gml:2: a node without an id from 0");
  CHECK(refusalOf("a.gml", "graph [ node [ id 0 ]\n\nedge [ source 0\ntarget 7 ]\n]\n") ==
        "a.gml:3: the edge 0 – 7 ends at a node that does not exist");
  CHECK(refusalOf("a.gml", "graph [ node [ id 0 value [ 1 ] ] ]") ==
        "a.gml:1:27: value has no value; a number or a text");
}

TEST_CASE("a value that only some nodes have is no label, and that is remarked", "[gml]") {
  const Dataset set =
      loadText("a.gml", "graph [ node [ id 0 value 1 ] node [ id 1 ] edge [ source 0 target 1 ] ]");
  CHECK(remarks(set, "only 1 of 2 nodes have a `value`; it is not taken for the label"));
}

TEST_CASE("a value of a GML node that is a number is whole, and said where it makes all of them names",
          "[gml]") {
  const auto graph = [](const std::string& first, const std::string& second) {
    return "graph [ node [ id 0 value " + first + " ]\nnode [ id 1 value " + second +
           " ] edge [ source 0 target 1 ] ]";
  };
  const std::string noClass =
      " is no class; a class is a whole number from 0 to 1000000, or all classes are names";
  CHECK(refusalOf("a.gml", graph("1", "1.5")) == "a.gml:2: value '1.5'" + noClass);
  CHECK(refusalOf("a.gml", graph("-2", "1")) == "a.gml:1: value '-2'" + noClass);
  CHECK(loadText("a.gml", graph("1", "0.0")).labels == std::vector<std::int32_t>{1, 0});
  CHECK(loadText("a.gml", graph("1.0", "1")).labels == std::vector<std::int32_t>{0, 0});
  const Dataset large = loadText("a.gml", graph("99999999999", "3"));
  CHECK(large.labels == std::vector<std::int32_t>{1, 0});
  CHECK(remarks(large,
                "value: '99999999999' on line 1 is beyond 1000000; all classes are read as names, in "
                "alphabetical order"));
  CHECK(remarks(loadText("a.gml", graph("3", "\"3\"")), "value: '\"3\"' on line 2 is no number"));
  CHECK(remarks(loadText("a.gml", graph("x", "1.5")), "value: 'x' on line 1 is no number"));
  for (const auto& [first, second] : {std::pair("\"x\"", "\"y\""), {"3", "0"}, {"\"1.5\"", "\"2.5\""}})
    CHECK_FALSE(remarks(loadText("a.gml", graph(first, second)), "read as names"));
}

TEST_CASE("weights of GML edges are not used, and that is remarked", "[gml]") {
  const auto graph = [](const std::string& more) {
    return "graph [ " + nodes({0, 1}) + "edge [ source 0 target 1 " + more + " ] ]";
  };
  for (const std::string key : {"weight", "value"}) {
    const Dataset set = loadText("a.gml", graph(key + " 3"));
    CHECK(remarks(set, "weights of the edges (`" + key + "`) are not used: every edge counts the same"));
  }
  CHECK_FALSE(remarks(loadText("a.gml", graph("label \"x\"")), "not used"));
}

TEST_CASE("a GML graph may begin after any length of comments", "[gml]") {
  const std::string graph = "graph [ " + nodes({0, 1}) + "edge [ source 0 target 1 ] ]";
  const std::string line = "# a line about where this comes from\n";
  for (const int times : {300, 3000}) {
    CHECK(loadText("a.gml", repeated(line, times) + graph).vertices() == 2);
    CHECK(loadText("a.gml", "Creator \"x\"\n" + repeated("\n", times) + repeated(line, times) + graph)
              .vertices() == 2);
  }
  // comments alone make no GML
  CHECK(loadText("a.txt", repeated(line, 3000) + "0 1\n").vertices() == 2);
}

TEST_CASE("a node of a GML file has no label where its value says so", "[gml]") {
  const auto graph = [](const std::string& first, const std::string& second, const std::string& third) {
    return "graph [ node [ id 0 value " + first + " ] node [ id 1 value " + second + " ] node [ id 2 value " +
           third + " ] edge [ source 0 target 1 ] edge [ source 1 target 2 ] ]";
  };
  for (const std::string none : {"-1", "NaN", "\"NAN\"", "\"\"", "\"none\"", "NA", "null", "-1.0"}) {
    CAPTURE(none);
    const Dataset set = loadText("a.gml", graph("1", none, "0"));
    CHECK(set.labels == std::vector<std::int32_t>{1, -1, 0});
    CHECK(set.classes == 2);
    CHECK_FALSE(remarks(set, "is read as no label"));
  }
  const Dataset names = loadText("a.gml", graph("\"x\"", "\"None\"", "\"y\""));
  CHECK(names.labels == std::vector<std::int32_t>{0, -1, 1});
  CHECK(remarks(names, "value: 'None' is read as no label (1 vertex); a class needs another name"));
}

TEST_CASE("values of GML nodes that are texts of numbers are these numbers if all are", "[gml]") {
  const auto graph = [](const std::string& first, const std::string& second, const std::string& third) {
    return "graph [ node [ id 0 value " + first + " ] node [ id 1 value " + second + " ] node [ id 2 value " +
           third + " ] edge [ source 0 target 1 ] edge [ source 1 target 2 ] ]";
  };
  const char* const texts = "value: all texts are numbers; they are read as the numbers of the classes";
  const Dataset dataset = loadText("a.gml", graph("\"1\"", "\"1.0\"", "\"01\""));
  CHECK(dataset.labels == std::vector<std::int32_t>{0, 0, 0});
  CHECK(remarks(dataset, texts));
  CHECK(loadText("a.gml", graph("\"10\"", "\"9\"", "\"0\"")).labels == std::vector<std::int32_t>{10, 9, 0});
  CHECK(loadText("a.gml", graph("\"1\"", "\"none\"", "\"0\"")).labels == std::vector<std::int32_t>{1, -1, 0});
  CHECK_FALSE(remarks(loadText("a.gml", graph("1", "0", "2")), texts));
  CHECK_FALSE(remarks(loadText("a.gml", graph("\"1\"", "\"x\"", "\"2\"")), texts));
}

TEST_CASE("a number as other places write it is no class of a GML file in silence", "[gml]") {
  const auto graph = [](const std::string& first, const std::string& second) {
    return "graph [ node [ id 0 value " + first + " ]\nnode [ id 1 value " + second +
           " ] edge [ source 0 target 1 ] ]";
  };
  for (const std::string number : {"8,5", "1,469", "10%", "0x1F", "-1,5", "1.469,5"}) {
    CAPTURE(number);
    CHECK(refusalOf("a.gml", graph("1", number)) ==
          "a.gml:2: value '" + number +
              "' is no class; a class is a whole number from 0 to 1000000, or all classes are names");
    CHECK(remarks(loadText("a.gml", graph("\"x\"", "\"" + number + "\"")),
                  "value: '\"" + number + "\"' on line 2 looks like a number; it is the name of a class"));
  }
  for (const std::string name : {"a,b", "10-20", "1.2.3", "x%", "0x", "0xg", ",5", "5,", "1,,2"}) {
    CAPTURE(name);
    CHECK_FALSE(remarks(loadText("a.gml", graph("y", name)), "looks like a number"));
  }
}

TEST_CASE("names of classes that differ in case or quotes only are remarked", "[gml]") {
  const auto graph = [](const std::string& first, const std::string& second) {
    return "graph [ node [ id 0 value " + first + " ] node [ id 1 value " + second +
           " ] edge [ source 0 target 1 ] ]";
  };
  CHECK(remarks(loadText("a.gml", graph("True", "true")),
                "value: 'True' and 'true' differ in case or quotes only; each is a class"));
  CHECK(remarks(loadText("a.gml", graph("\"yes\"", "\"Yes\"")), "differ in case or quotes only"));
  CHECK(remarks(loadText("a.gml", graph("yes", "\"yes\"")), "differ in case or quotes only"));
  CHECK_FALSE(remarks(loadText("a.gml", graph("yes", "no")), "differ in case"));
}

TEST_CASE("a graph inside a GML graph, or a part inside a part, is refused", "[gml]") {
  const std::string rest = nodes({0, 1}) + "edge [ source 0 target 1 ]\n";
  const std::string right = "; one graph, with its nodes and edges side by side";
  CHECK(refusalOf("a.gml", "graph [\n graph [ " + rest + "]\n" + rest + "]") ==
        "a.gml:2:2: 'graph' inside a graph" + right);
  CHECK(refusalOf("a.gml", "graph [\n" + rest + "node [ id 2\n node [ id 3 ] ] ]") ==
        "a.gml:6:2: 'node' inside a node" + right);
  CHECK(refusalOf("a.gml", "graph [\n" + rest + "node [ id 2\n edge [ source 0 target 1 ] ] ]") ==
        "a.gml:6:2: 'edge' inside a node" + right);
  CHECK(refusalOf("a.gml", "graph [\n" + rest + "edge [ source 0 target 1\n node [ id 3 ] ] ]") ==
        "a.gml:6:2: 'node' inside an edge" + right);
  CHECK(loadText("a.gml", "graph [ x [ node 1 ] " + rest + "]").vertices() == 2);
}

TEST_CASE("a GML graph may begin on the line of what stands before it", "[gml]") {
  for (const char* before : {"Version 1\nCreator \"x\" ", "Version 1 ", "Creator \"a\nb [\" comment \"c\"\n",
                             "# made\n  Version 1 Creator \"x\" "}) {
    CAPTURE(before);
    const Dataset set = loadText(
        "g.txt", std::string(before) + "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]\n");
    CHECK(set.arcs.nonzeros() == 2);
    CHECK(remarks(set, "read as gml"));
  }
  CHECK_FALSE(remarks(loadText("g.txt", "graphs\tmore\n0\t1\n"), "read as gml"));
}

TEST_CASE("keys of GML nodes that may be flags or labels are remarked", "[gml]") {
  const Dataset set =
      loadText("a.gml",
               "graph [ node [ id 0 train 1 class 2 label \"x\" ] node [ id 1 test_mask 1 class 1 ] "
               "edge [ source 0 target 1 ] ]");
  CHECK(remarks(set, "nodes have `train`, `test_mask`, not read: no split is taken from GML"));
  CHECK(remarks(set, "nodes have `class`, not read: the label is `value`"));
  CHECK_FALSE(remarks(
      loadText("a.gml", "graph [ node [ id 0 label \"x\" w 1 ] node [ id 1 ] edge [ source 0 target 1 ] ]"),
      "not read"));
}

TEST_CASE("keys of GML nodes that are not read are named, in order and the first of many", "[gml]") {
  const auto graph = [](const std::string& keys) {
    return "graph [ node [ id 0 " + keys + " ] node [ id 1 " + keys + " ] edge [ source 0 target 1 ] ]";
  };
  for (const char* key : {"club", "gt", "block", "Value", "values", "node_type"}) {
    CAPTURE(key);
    CHECK(
        remarks(loadText("a.gml", graph(key + std::string(" 1"))),
                "nodes have `" + std::string(key) + "`, not read: the label is `value`, or dataset.labels"));
  }
  CHECK(remarks(loadText("a.gml", graph("h5 1 gt 0 b 1 c 2 a 1 d 1 club 2 value 1 e [ x 1 ]")),
                "nodes have `a`, `b`, `c`, `club`, `d`, `e` and 2 more, not read"));
  CHECK_FALSE(remarks(
      loadText("a.gml",
               graph("label \"x\" graphics [ x 1 fill \"#fff\" ] LabelGraphics [ text \"x\" ] x 1 y 2")),
      "not read"));
}

TEST_CASE("texts of a GML file are shown with both quotes", "[gml]") {
  CHECK(refusalOf("a.gml", "graph [ node [ id \"a\" ] ]") ==
        "a.gml:1:19: id '\"a\"' is not a whole number from 0");
  CHECK(refusalOf("a.gml", "graph [ node [ id 1 ] ]\n\"x\"") ==
        "a.gml:2:1: '\"x\"' after the end of the graph; nothing, or a comment");
}

TEST_CASE("a number in quotes among names of classes is remarked as a name", "[gml]") {
  const auto graph = [](const std::string& first, const std::string& second) {
    return loadText("a.gml", "graph [ node [ id 0 value " + first + " ]\nnode [ id 1 value " + second +
                                 " ] edge [ source 0 target 1 ] ]");
  };
  CHECK(remarks(graph("\"unknown\"", "\"2\""),
                "value: '\"unknown\"' on line 1 is no number; all classes are read as names"));
  CHECK(remarks(graph("\"2\"", "\"b\""), "'\"b\"' on line 2 is no number"));
  CHECK_FALSE(remarks(graph("\"a\"", "\"b\""), "is no number"));
  CHECK_FALSE(remarks(graph("\"1\"", "\"2\""), "is no number"));
}
