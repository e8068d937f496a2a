// What is said where no format reads a file or folder: what each of them stumbled on.

#include "datasets/locate.h"

#include "tests/datasets/loading.h"
#include "tests/support/array_files.h"

using namespace halo;

namespace {

std::string refusal(const std::filesystem::path& path, const std::string& format = "") {
  try {
    locate(path, format);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

bool holds(const std::string& text, const std::string& line) { return text.find(line) != std::string::npos; }

}  // namespace

TEST_CASE("a file in no readable format is refused with what each format stumbled on", "[formats]") {
  const OwnCache own;
  const auto path = own.write("letter.txt", "This is a letter\nand no graph.\n");
  const std::string message = refusal(path), file = path.string();
  CHECK(holds(message, file + ": the file is in no readable format; readable are ogb, "));
  CHECK(
      holds(message, "\n  edge-list: " + file + ":2:1: 'and' is not a whole number; a vertex number from 0"));
  CHECK(holds(message, "\n  metis: " + file + ":1:1: 'This' is not a whole number; the number of vertices"));
  CHECK(holds(message, "\n  matrix-market: " + file + ":1: a graph is a `%%MatrixMarket"));
  CHECK(holds(message, "\n  gml: " + file + ":1:1: 'This' is not the beginning of a graph; `graph [`"));
  CHECK(holds(message, "\n  pace: " + file + ":1: a line `p tw VERTICES EDGES` has to come first"));
  CHECK(holds(message, "\n  jlg: " + file + ":1:1: 'This' is not a whole number"));
  CHECK(holds(message, "\n  adjacency-list: " + file + ":1:1: 'This' is not a whole number"));
  CHECK(holds(message, "\n  ogb: " + file + ": is a file; a folder with raw/edge.csv.gz"));
  CHECK(holds(message, "\n  graphsage: " + file + ": is a file; a folder with NAME-G.json"));
  for (const auto& [name, entry] : registry<FormatEntry>())
    CHECK(holds(message, "\n  " + name + ": " + file));
}

TEST_CASE("a file that a format could read without its signs is refused with the key that reads it",
          "[formats]") {
  const OwnCache own;
  const auto path = own.write("far.txt", "1 2 3 4 5 6\n2 1\n2 1\n");
  CHECK(holds(refusal(path), "\n  adjacency-list: " + path.string() +
                                 ": carries none of its signs, though it can be read so: dataset.format = "
                                 "\"adjacency-list\""));
}

TEST_CASE("lists whose first vertex stands alone are read, or refused with the key that reads them",
          "[formats]") {
  CHECK(loadText("sure.txt", "0\n1 2 3\n2 1\n3 1\n").vertices() == 4);
  CHECK(loadText("few_adj.txt", "0\n1 2\n2 1\n").vertices() == 3);
  const char* lists = "0\n1 2\n2 1\n";  // a count may stand above edges as well
  CHECK(holds(refusalOf("few.txt", lists), "dataset.format = \"adjacency-list\""));
  const Dataset set = loadText("few.txt", lists, "adjacency-list");
  CHECK(set.vertices() == 3);
  CHECK(set.arcs.nonzeros() == 2);
}

TEST_CASE("what a file that is no graph looks like stands before what each format stumbled on", "[formats]") {
  const OwnCache own;
  const std::string array("\x93NUMPY\1\0v\0{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2), }\n",
                          70);
  const auto adjacency = own.write("adj.npy", array);
  CHECK(refusal(adjacency) == adjacency.string() +
                                  ": is binary, one array of numpy (.npy); a graph is an .npz, with "
                                  "edge_index or a sparse matrix, or text");
  CHECK(
      holds(refusal(own.write("a.npz", npzOf({{"arr_0", array}}))),
            "a.npz: holds one array, and no name of it that says what it is; a graph needs edge_index in "));
  CHECK(holds(
      refusal(own.write("g.json", "{\"nodes\": [], \"links\": []}\n")),
      "the file is in no readable format (JSON; a graph of GraphSAGE is called NAME-G.json); readable"));
  own.write("set/edges.txt", "0 1\n1 2\n");
  own.write("set/picture.dot", "graph {\n 0 -- 1;\n}\n");
  own.write("set/picture.gexf", "<gexf></gexf>\n");
  CHECK(locate(own.path("set"), "").path == own.path("set") / "edges.txt");
}

TEST_CASE("a folder that holds nothing readable is refused with what its files stumbled on", "[formats]") {
  const OwnCache own;
  own.write("set/notes.md", "# Notes\nNothing.\n");
  own.write("set/table.csv", "a,b\nx,1\n");
  const std::string folder = own.path("set").string(), message = refusal(folder);
  CHECK(holds(message, folder + ": the folder holds nothing in a readable format; readable are "));
  CHECK(holds(message, "\n  ogb: " + folder + ": holds no raw/edge.csv.gz"));
  CHECK(holds(message, "\n  musae: " + folder + ": holds no NAME_edges.csv and NAME_target.csv"));
  CHECK(holds(message, "\n  edge-list: " + folder + "/table.csv:2:1: 'x' is not a whole number"));
  CHECK(holds(message, "\n  metis: " + folder + "/notes.md:1:1: '#' is not a whole number"));
  for (int i = 0; i < 9; ++i) own.write("set/w" + std::to_string(i) + ".txt", "word\n");
  CHECK(holds(refusal(folder), "\n  edge-list: and 7 more files; name one of them"));
}

TEST_CASE("a format that is named and does not fit says what it stumbled on", "[formats]") {
  const OwnCache own;
  const auto path = own.write("set/a.txt", "0 1\n1 2\n");
  CHECK(refusal(path, "ogb") == "dataset.path: " + path.string() +
                                    ": the file is not in the format ogb:\n  ogb: " + path.string() +
                                    ": is a file; a folder with raw/edge.csv.gz");
  const std::string folder = own.path("set").string();
  CHECK(holds(refusal(folder, "gml"),
              "the folder holds nothing in the format gml:\n  gml: " + path.string() + ":"));
  CHECK(refusal(path, "edge-list") == "");
}

TEST_CASE("labels beside a graph may be JSON", "[formats]") {
  const OwnCache own;
  const auto list = own.write("net.txt", "7 8\n8 9\n");
  own.write("net-labels.json", R"({"8": 1, "7": 0, "9": null})");
  const Dataset set = loadDataset({.name = list.string()});
  CHECK(set.labels == std::vector<std::int32_t>{0, 1, -1});
}

TEST_CASE("labels beside a graph may be an array of numpy", "[formats]") {
  const OwnCache own;
  const auto list = own.write("net.txt", "7 8\n8 9\n");
  const auto labels = own.write("net_labels.npy", longs({1, 0, 2}));
  const Dataset set = loadDataset({.name = list.string()});
  CHECK(set.labels == std::vector<std::int32_t>{1, 0, 2});
  CHECK(std::ranges::count(set.remarks, "labels from net_labels.npy") == 1);
  own.write("net_labels.npy", longs({1, 0}));
  CHECK_THROWS_WITH(loadDataset({.name = list.string()}),
                    Catch::Matchers::StartsWith(labels.string() + ": "));
}

TEST_CASE("labels beside a graph may name vertices with decimals, as a table does", "[formats]") {
  const OwnCache own;
  const auto list = own.write("net.txt", "7 8\n8 9\n");
  own.write("net-labels.txt", "8.0 1\n7.0 0\n9.0 2\n");
  CHECK(loadDataset({.name = list.string()}).labels == std::vector<std::int32_t>{0, 1, 2});
}

TEST_CASE("a set depends on labels beside it only where its format reads them", "[formats]") {
  const OwnCache own;
  using Files = std::vector<std::filesystem::path>;
  const auto list = own.write("net.txt", "0 1\n1 2\n"), labels = own.write("net-labels.txt", "0 1\n1 0\n"),
             gml = own.write("a.gml", "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]\n");
  own.write("a-labels.txt", "0 1\n1 0\n");
  CHECK(sourcesOf(locate(list, "")) == Files{list, labels});
  CHECK(sourcesOf(locate(list, "edge-list")) == Files{list, labels});
  CHECK(sourcesOf(locate(gml, "")) == Files{gml});
}
