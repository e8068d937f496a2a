// One tiny file for every way to be wrong, each with the message a person reads.

#include <catch2/catch.hpp>
#include <string>

#include "datasets/load.h"
#include "engine/base/problem.h"
#include "tests/datasets/own_cache.h"
#include "tests/support/places.h"

using namespace halo;

namespace {

const std::string kBad = std::string(kSourceDir) + "/tests/data/bad/";

struct Wrong {
  const char* file;
  const char* message;  // after the path of the file
};

const Wrong kWrong[] = {
    {"truncated.txt.gz", ": the gzip data end early; is the download complete?"},
    {"word.txt", ":3:3: 'three' is not a whole number; a vertex number from 0"},
    {"third.txt", ":3:5: 'x' is not a number; a weight or a time, or nothing after the two vertices"},
    {"half_line.txt", ":2: the line ends early; a vertex number from 0"},
    {"negative.txt", ":2:3: vertex -2 cannot be; a vertex number from 0"},
    {"vertex.jlg", ":3: vertex 4 does not exist; 1 to 3"},
    {"kind.jlg", ":1:5: 'D' is no kind of graph; u (undirected) or d (directed)"},
    {"count.jlg", ":1: promises 5 edges; the file holds 2"},
    {"kind.graph", ":1: '012' is no format of a METIS file; three digits of 0 and 1"},
    {"few_lines.graph", ":1: promises 4 vertices; the file ends after the lists of 3"},
    {"many_lines.graph", ":4: more lines than the 2 vertices of the header"},
    {"edges.graph", ":1:3: promises 7 edges, each in two lines; the file lists 4 neighbours"},
    {"vertex.graph", ":3:3: vertex 9 does not exist; 1 to 3"},
    {"one_way.graph", ":2: vertex 1 lists 3, but vertex 3, on line 4, does not list 1"},
    {"huge.graph", ":1: 99999999999 vertices cannot be meant: at most 2147483647 can be numbered"},
    {"size.mtx", ":2:3: '3%' is not a whole number; the number of columns"},
    {"rectangle.mtx", ":2: a matrix of 3 × 4 is no graph; as many columns as rows"},
    {"entries.mtx", ":2: promises 5 entries; the file holds 2"},
    {"vertex.mtx", ":4:3: column 4 does not exist; 1 to 3"},
    {"array.mtx",
     ":1:23: 'array' cannot be read; a graph is a `%%MatrixMarket matrix coordinate`, followed by field and "
     "symmetry"},
    {"problem.gr", ":3: vertex 5 does not exist; 1 to 3"},
    {"bracket.gml", ":2:1: ends inside a bracket"},
    {"node.gml", ":2: the edge 0 – 7 ends at a node that does not exist"},
    {"vertex.npz", ": adj_indices: element 1 is 5; columns are 0 to 1"},
    {"indptr.npz", ": adj_indptr: does not ascend from 0 to the 2 elements of indices"},
    {"nan.npz", ": attr_data: row 1, column 1 is nan; a finite number"},
    {"labels.npz", ": labels: 3 rows; 2 vertices need one each"},
    {"header.npz", ": attr_data.npy: holds 8 bytes of elements; its header promises 8000000000"},
    {"shape.npz", ": adj_shape: is missing; a sparse matrix is data, indices, indptr and shape"},
    {"pickled.npz", ": adj_matrix: is pickled Python objects, which only Python can read; save plain arrays"},
    {"ogb_vertex", "/raw/edge.csv:2: vertex 3 does not exist; 0 to 2"},
    {"ogb_count", "/raw/num-edge-list.csv:1: promises 4 edges; edge.csv holds 2"},
    {"ogb_rows", "/raw/num-node-list.csv:1: promises 3 vertices; node-feat.csv holds 2 rows"},
    {"ogb_columns", "/raw/node-feat.csv:2:1: row 1 has 1 column; the rows above have 2"},
    {"ogb_nan", "/raw/node-feat.csv:2:3: 'nan' is no feature; a finite number"},
    {"ogb_number", "/raw/node-feat.csv:2:3: 'x' is not a number; a feature is a number"},
    {"ogb_split", "/split/a/test.csv:2:1: 9 is no vertex; 0 to 2"},
    {"ogb_overlap",
     "/split/a/test.csv:2:1: vertex 0 is in train and in test; the parts of a split do not overlap"},
    {"ogb_missing", "/raw/edge.csv.gz: is missing; the OGB layout needs it"},
    {"ogb_half_split",
     "/split/a/test.csv: is missing; a split is train.csv, valid.csv and test.csv, packed or not"},
    {"ogb_unlabelled", "/raw/node-label.csv:2: vertex 1 is in the valid part of the split but has no label"},
    {"saint_missing",
     "/feats.npy: is missing; a GraphSAINT folder is adj_full.npz, role.json, class_map.json and feats.npy"},
    {"saint_json", "/class_map.json:2:7: is not valid JSON from byte 16 on"},
    {"saint_number", "/class_map.json:1:7: holds a number that is too large for any computer's"},
    {"saint_role", "/role.json:1:20: va: 7 is not a vertex; 0 to 1"},
};

Dataset load(const std::string& path) {
  DatasetRequest request;
  request.name = path;
  return loadDataset(request);
}

}  // namespace

TEST_CASE("every damaged data set is refused with file, place and what would be right", "[bad-data]") {
  const OwnCache cache;
  for (const Wrong& wrong : kWrong) {
    CAPTURE(wrong.file);
    CHECK_THROWS_AS(load(kBad + wrong.file), DamagedInput);
    CHECK_THROWS_WITH(load(kBad + wrong.file), kBad + wrong.file + wrong.message);
  }
}

TEST_CASE("damaged packing is refused whatever byte is hit", "[bad-data]") {
  const OwnCache cache;
  CHECK_THROWS_AS(load(kBad + "damaged.txt.gz"), DamagedInput);
  CHECK_THROWS_WITH(load(kBad + "truncated.npz"),
                    kBad + "truncated.npz: the zip data end early; is the download complete?");
}

TEST_CASE("what is in no readable format is refused with the formats there are", "[bad-data]") {
  const OwnCache cache;
  using Catch::Matchers::StartsWith;
  const std::string readable =
      "; readable are ogb, graphsaint, npz, matrix-market, metis, graphsage, musae, geom-gcn, "
      "adjacency-list, gml, pace, jlg, counted-edge-list, edge-list";
  const std::pair<const char*, const char*> files[] = {
      {"comments_only.txt", ": the file is in no readable format"},
      {"prose.txt", ": the file is in no readable format"}};
  for (const auto& [file, message] : files) {
    CAPTURE(file);
    CHECK_THROWS_AS(load(kBad + file), DamagedInput);
    CHECK_THROWS_WITH(load(kBad + file),
                      StartsWith(kBad + file + message + readable + ", and each stumbles:\n"));
  }
  CHECK_THROWS_WITH(load(kBad + "empty.txt"), kBad + "empty.txt: the file is empty" + readable);
  std::filesystem::create_directories(cache.path("nothing"));
  CHECK_THROWS_WITH(load(cache.path("nothing").string()),
                    StartsWith(cache.path("nothing").string() +
                               ": the folder holds nothing in a readable format" + readable));
}

TEST_CASE("a data set that is asked for wrongly is refused with what is possible", "[bad-data]") {
  const OwnCache cache;
  using Catch::Matchers::Contains;
  const auto path = cache.write("a.txt", "0 1\n1 2\n");
  DatasetRequest request;
  CHECK_THROWS_WITH(loadDataset(request),
                    "dataset.name: is empty; an entry of the catalogue, a file or a folder");
  request.name = "karat";
  CHECK_THROWS_WITH(loadDataset(request), Contains("did you mean 'karate'?; the catalogue has "));
  request.name = path.string();
  request.scale = 0.5;
  CHECK_THROWS_WITH(loadDataset(request), Contains("only generated data sets have a scale"));
  request.scale = 1;
  request.format = "edgelist";
  CHECK_THROWS_WITH(
      loadDataset(request),
      Contains("dataset.format: 'edgelist' is not known; did you mean 'edge-list'?; one of ogb, "));
  request.format = "metis";
  CHECK_THROWS_AS(loadDataset(request), DamagedInput);
  request.name = "karate";
  request.format = "edge-list";
  CHECK_THROWS_WITH(loadDataset(request),
                    "dataset.format: 'karate' is made here and read from no file; leave out the format "
                    "'edge-list', or name a file or folder");
  request.format = "";
  request.features = "/nonexistent/x.npy";
  request.split = "/nonexistent/split";
  CHECK_THROWS_WITH(loadDataset(request),
                    "dataset.features: /nonexistent/x.npy: there is no such file or folder\n"
                    "dataset.split: /nonexistent/split: there is no such file or folder");
}

TEST_CASE("a published set that is not here is refused with where to put it", "[bad-data]") {
  const OwnCache cache;
  DatasetRequest request;
  request.name = "yelp";
  ::setenv("HALO_DATA", cache.path("data").c_str(), 1);
  cache.write("data/yelp.toml", "schema = 1\nname = \"an experiment\"\n");
  CHECK_THROWS_AS(loadDataset(request), InputError);
  CHECK_THROWS_WITH(
      loadDataset(request),
      "dataset.name: 'yelp' is a published data set whose files are not here; put them into a folder "
      "'yelp' below the current one, below data, or below a folder named in HALO_DATA");
  cache.write("data/yelp/graph.txt", "0 1\n1 2\n");
  CHECK(loadDataset(request).vertices() == 3);
  CHECK(loadDataset(request).name == "yelp");
  ::unsetenv("HALO_DATA");
}
