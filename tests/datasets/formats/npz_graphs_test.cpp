// The forms in which people keep a graph in an .npz, each with the values it has to give.

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "datasets/load.h"
#include "engine/base/problem.h"
#include "tests/datasets/own_cache.h"
#include "tests/support/array_files.h"

using namespace halo;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

/// The path 0 – 1 – 2 – 3 – 4 beside an isolated vertex 5, both directions of every edge.
const Files kPath = {{"adj_data", floats({1, 1, 1, 1, 1, 1, 1, 1})},
                     {"adj_indices", npyFile(">i4", "(8,)",
                                             std::string("\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\1"
                                                         "\0\0\0\3\0\0\0\2\0\0\0\4\0\0\0\3",
                                                         32))},
                     {"adj_indptr", longs({0, 1, 3, 5, 7, 8, 8})},
                     {"adj_shape", longs({6, 6})}};

Files with(Files files, const Files& more) {
  for (const auto& [name, bytes] : more) {
    std::erase_if(files, [&](const auto& file) { return file.first == name; });
    files.emplace_back(name, bytes);
  }
  return files;
}

Dataset load(const std::filesystem::path& path, bool directed = false) {
  DatasetRequest request;
  request.name = path.string();
  request.directed = directed;
  return loadDataset(request);
}

Dataset loaded(const Files& files, bool directed = false) {
  const OwnCache own;
  return load(own.write("set.npz", npzOf(files)), directed);
}

/// What is said of the file, without its path.
std::string refusal(const Files& files) {
  const OwnCache own;
  const auto path = own.write("set.npz", npzOf(files));
  try {
    DatasetRequest request;
    request.name = path.string();
    request.format = "npz";
    loadDataset(request);
  } catch (const DamagedInput& error) {
    return std::string(error.what()).substr(path.string().size());
  }
  return "read";
}

bool remarked(const Dataset& set, const std::string& remark) {
  return std::find(set.remarks.begin(), set.remarks.end(), remark) != set.remarks.end();
}

std::string text(const std::string& type, const std::string& words) { return npyFile(type, "()", words); }

const std::string kHot =
    "labels are columns of 0 and 1 of which no vertex has two; read as one label a vertex";

}  // namespace

TEST_CASE("matrices as scipy saves them are graphs, whatever their form", "[npz]") {
  const Dataset expected = loaded(kPath);
  REQUIRE(expected.vertices() == 6);
  REQUIRE(expected.arcs.nonzeros() == 8);
  const std::string ones = longs({1, 1, 1, 1, 1, 1, 1, 1}), shape = longs({6, 6});
  const Files coo = {{"row", longs({0, 1, 1, 2, 2, 3, 3, 4})},
                     {"col", longs({1, 0, 2, 1, 3, 2, 4, 3})},
                     {"format", text("|S3", "coo")},
                     {"shape", shape},
                     {"data", ones}};
  CHECK(loaded(coo).fingerprint == expected.fingerprint);
  const Files csr = {{"indices", longs({1, 0, 2, 1, 3, 2, 4, 3})},
                     {"indptr", longs({0, 1, 3, 5, 7, 8, 8})},
                     {"format", text("<U3", std::string("c\0\0\0s\0\0\0r\0\0\0", 12))},
                     {"shape", shape},
                     {"data", ones}};
  CHECK(loaded(csr).fingerprint == expected.fingerprint);
  CHECK_FALSE(remarked(loaded(csr), "values of the matrix are not read"));
  CHECK(remarked(loaded(with(csr, {{"data", longs({1, 1, 1, 1, 1, 1, 1, 2})}})),
                 "values of the matrix are not read"));
}

TEST_CASE("an entry by columns is the same arc as by rows", "[npz]") {
  // 0 → 1, 0 → 2, 2 → 1
  const Files rows = {{"indices", longs({1, 2, 1})},
                      {"indptr", longs({0, 2, 2, 3})},
                      {"format", text("|S3", "csr")},
                      {"shape", longs({3, 3})},
                      {"data", floats({1, 1, 1})}};
  const Files columns = with(
      rows, {{"indices", longs({0, 2, 0})}, {"indptr", longs({0, 0, 2, 3})}, {"format", text("|S3", "csc")}});
  const Dataset set = loaded(rows, true);
  CHECK(set.arcs.row(1).size() == 2);
  CHECK(set.arcs.row(2)[0] == 0);
  CHECK(loaded(columns, true).fingerprint == set.fingerprint);
}

TEST_CASE("a sparse matrix that is none is refused with the array", "[npz]") {
  const Files coo = {
      {"row", longs({0, 1})}, {"col", longs({1, 0})}, {"shape", longs({2, 2})}, {"data", longs({1, 1})}};
  CHECK(refusal(coo) == "read");
  CHECK(refusal(with(coo, {{"row", longs({0, 2})}})) == ": row: element 1 is 2; rows are 0 to 1");
  CHECK(refusal(with(coo, {{"col", longs({-1, 0})}})) == ": col: element 0 is -1; columns are 0 to 1");
  CHECK(refusal(with(coo, {{"col", longs({1})}})) == ": row: has 2 elements; col has 1");
  CHECK(refusal(with(coo, {{"data", longs({1})}})) == ": data: has 1 elements; there are 2 entries");
  CHECK(refusal(with(coo, {{"shape", longs({2, 3})}})) ==
        ": shape: 2 × 3 is no graph; as many columns as rows");
  CHECK(refusal({{"row", longs({0})}, {"col", longs({0})}, {"data", longs({1})}}) ==
        ": shape: is missing; a sparse matrix is data, row, col and shape");
  CHECK(refusal(with(coo, {{"format", text("|S3", "bsr")}})) ==
        ": format: is 'bsr', a form of sparse matrices that is not read; csr, csc or coo, as scipy's tocsr "
        "makes");
}

TEST_CASE("the arrays of PyTorch Geometric are graph, features, labels and split", "[npz]") {
  const Files pyg = {{"edge_index", longs(2, 8, {0, 1, 1, 2, 2, 3, 3, 4, 1, 0, 2, 1, 3, 2, 4, 3})},
                     {"x", floats(6, 2, {0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15})},
                     {"y", longs({0, 1, 2, 0, 1, 2})},
                     {"train_mask", npyFile("|b1", "(6,)", std::string("\1\1\0\0\0\0", 6))},
                     {"val_mask", npyFile("|b1", "(6,)", std::string("\0\0\1\0\0\0", 6))},
                     {"test_mask", npyFile("|b1", "(6,)", std::string("\0\0\0\1\1\0", 6))}};
  const Dataset set = loaded(pyg);
  CHECK(set.vertices() == 6);
  CHECK(set.arcs.nonzeros() == 8);
  CHECK(set.features.cols() == 2);
  CHECK(set.features(5, 1) == 15);
  CHECK(set.labels == std::vector<std::int32_t>{0, 1, 2, 0, 1, 2});
  CHECK(set.classes == 3);
  CHECK(set.count(Split::train) == 2);
  CHECK(set.split[4] == Split::test);
  CHECK(set.split[5] == Split::none);
  CHECK(set.marks.empty());
  CHECK(remarked(loaded(with(pyg, {{"edge_attr", floats({1})}, {"pos", floats({1})}})),
                 "arrays that are not read: edge_attr, pos"));
  // a row an edge, and sources before targets
  const Dataset directed =
      loaded({{"edges", longs(3, 2, {0, 1, 0, 2, 2, 1})}, {"num_nodes", longs({4})}}, true);
  CHECK(directed.vertices() == 4);
  CHECK(directed.arcs.row(1).size() == 2);
  CHECK(directed.arcs.row(0).empty());
}

TEST_CASE("a list of edges that is none, or leaves vertices open, is refused or remarked", "[npz]") {
  const std::string edges = longs(2, 3, {0, 1, 2, 1, 2, 4});
  CHECK(loaded({{"edge_index", edges}}).vertices() == 5);
  CHECK(remarked(loaded({{"edge_index", edges}}),
                 "the number of vertices does not stand in the file; taken from the largest in edge_index"));
  CHECK_FALSE(remarked(loaded({{"edge_index", edges}}), "vertex 0"));
  CHECK(remarked(
      loaded({{"edge_index", longs(2, 2, {1, 2, 2, 3})}}),
      "edge_index counts from 0, and no edge of the file has vertex 0: it is a vertex without edges; "
      "if the file counts from 1, subtract 1"));
  CHECK_FALSE(
      remarked(loaded({{"edge_index", longs(2, 2, {1, 2, 2, 3})}, {"num_nodes", longs({4})}}), "vertex 0"));
  CHECK(loaded({{"edge_index", edges}, {"y", longs({0, 1, 0, 1, 0, 1, 0})}}).vertices() == 7);
  CHECK(refusal({{"edge_index", edges}, {"y", longs({0, 1, 0, 1})}}) ==
        ": edge_index: element 5 is 4; vertices are 0 to 3, as many as `y` has rows; one of both is wrong");
  CHECK(refusal({{"edge_index", edges}, {"x", floats(5, 1, {1, 2, 3, 4, 5})}, {"y", longs({0, 1})}}) ==
        ": y: 2 rows; 5 vertices need one each");
  CHECK(refusal({{"edge_index", edges}, {"num_nodes", longs({7})}, {"x", floats(5, 1, {1, 2, 3, 4, 5})}}) ==
        ": x: 5 rows; 7 vertices need one each");
  CHECK(refusal({{"edge_index", edges}, {"x", floats(5, 1, {1, NAN, 3, 4, 5})}}) ==
        ": x: row 1, column 0 is nan; a finite number");
  CHECK(refusal({{"edge_index", longs({0, 1})}}) ==
        ": edge_index: is not 2 × E or E × 2; two rows, of the sources and of the targets of E edges");
  CHECK(refusal({{"edge_index", longs(2, 1, {0, -3})}}) ==
        ": edge_index: element 1 is -3; vertices are 0 to 0");
  CHECK(remarked(loaded({{"edge_index", longs(2, 2, {0, 1, 1, 2})}}),
                 "edge_index is 2 × 2; read as a row of sources and one of targets"));
  CHECK(loaded({{"edge_index", longs(2, 2, {0, 1, 1, 2})}}).arcs.nonzeros() == 4);  // 0 – 1, 1 – 2
  CHECK_THAT(refusal({{"weights", floats({1})}, {"x", floats({1})}}),
             Catch::Matchers::StartsWith(": holds no graph; ") &&
                 Catch::Matchers::EndsWith("Its arrays are: weights, x"));
}

TEST_CASE("lists of several splits in one array are refused with its shape", "[npz]") {
  const std::string right =
      ", as of several splits; one list, with every vertex of the part once, or dataset.split names a file "
      "with the split that is meant";
  for (const char* name : {"train_idx", "idx_train", "train_index"}) {
    CAPTURE(name);
    CHECK(refusal(with(kPath, {{name, longs(2, 2, {0, 1, 2, 3})}})) ==
          ": " + std::string(name) + ": is 2 × 2" + right);
  }
  CHECK(refusal(with(kPath, {{"train_idx", longs({0})}, {"val_idx", longs(3, 2, {0, 1, 2, 3, 4, 5})}})) ==
        ": val_idx: is 3 × 2" + right);
  CHECK(refusal(with(kPath, {{"test_idx", npyFile("<i8", "(2, 1, 2)", std::string(32, '\0'))}})) ==
        ": test_idx: is 2 × 1 × 2" + right);
  // a row or a column is one list
  CHECK(loaded(with(kPath, {{"train_idx", longs(1, 2, {0, 4})}})).count(Split::train) == 2);
  CHECK(loaded(with(kPath, {{"train_idx", longs(2, 1, {0, 4})}})).count(Split::train) == 2);
}

TEST_CASE("splits are masks or lists, of several the first, and nothing else", "[npz]") {
  const Files lists =
      with(kPath, {{"train_idx", longs({0, 4})}, {"val_idx", longs({1})}, {"test_idx", longs({5})}});
  CHECK(loaded(lists).split ==
        std::vector<Split>{Split::train, Split::valid, Split::none, Split::none, Split::train, Split::test});
  CHECK(refusal(with(lists, {{"test_idx", longs({6})}})) == ": test_idx: element 0: 6 is no vertex; 0 to 5");
  const std::string columns = longs(6, 2, {1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  const std::string rows = longs(2, 6, {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0});
  for (const std::string& mask : {columns, rows}) {
    const Dataset set = loaded(with(kPath, {{"train_mask", mask}}));
    CHECK(set.split[0] == Split::train);
    CHECK(set.count(Split::train) == 1);
    CHECK(remarked(set, "train_mask holds 2 splits; the first is taken"));
  }
  CHECK(refusal(with(kPath, {{"test_mask", longs({0, 1, 2, 0, 0, 0})}})) ==
        ": test_mask: marks vertex 2 with neither 0 nor 1");
  CHECK(refusal(with(kPath, {{"test_mask", longs({0, 1})}})) ==
        ": test_mask: has shape 2; 6 vertices need one element each");
  const auto both = with(lists, {{"train_mask", longs({0, 0, 1, 0, 0, 0})}});
  CHECK(remarked(loaded(both), "both train_mask and train_idx are there; train_mask is read"));
  CHECK(loaded(both).count(Split::train) == 1);
}

TEST_CASE("labels written one-hot are one label a vertex, several stay several", "[npz][one-hot]") {
  const auto labels = [](std::initializer_list<double> values) {
    return Files{{"labels", npyFile("<f8", shapeOf({6, 3}), bytesOf<double>(values))}};
  };
  const Dataset hot = loaded(with(kPath, labels({1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1})));
  CHECK(hot.labels == std::vector<std::int32_t>{0, 1, 2, 0, 1, 2});
  CHECK(hot.classes == 3);
  CHECK_FALSE(hot.multiLabel());
  CHECK(remarked(hot, kHot));
  // a class that nobody has keeps its column
  const Dataset rare = loaded(with(kPath, labels({0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1})));
  CHECK(rare.labels == std::vector<std::int32_t>{2, 1, 2, 1, 1, 2});
  CHECK(rare.classes == 3);
  const auto none = with(kPath, labels({1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0}));
  CHECK(loaded(none).labels.back() == -1);
  CHECK(remarked(loaded(none), "1 of 6 vertices have none of these labels"));
  // whoever trains on a vertex without a label means several
  CHECK(loaded(with(none, {{"train_idx", longs({5})}})).multiLabel());
  const Dataset several = loaded(with(kPath, labels({1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1})));
  CHECK(several.multiLabel());
  CHECK(several.classes == 3);
  CHECK_FALSE(remarked(several, kHot));
  CHECK(refusal(with(kPath, labels({0.5, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1}))) ==
        ": labels: row 0, column 0 is 0.5; 0 or 1, and all 0 where a vertex has no label");
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const Files blank{
      {"y", npyFile("<f8", shapeOf({6, 2}), bytesOf<double>({1, 0, 0, 1, 1, 0, 0, 1, 1, 0, kNone, kNone}))}};
  CHECK(loaded(with(kPath, blank)).labels == std::vector<std::int32_t>{0, 1, 0, 1, 0, -1});
  const Files half{
      {"y", npyFile("<f8", shapeOf({6, 2}), bytesOf<double>({1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, kNone}))}};
  CHECK(refusal(with(kPath, half)) ==
        ": y: row 5, column 1 is nan; 0 or 1, and all 0 where a vertex has no label");
}

TEST_CASE("one-hot labels are told in every form of labels", "[one-hot]") {
  const OwnCache own;
  DatasetRequest request;
  request.name = own.write("set.npz", npzOf(kPath)).string();
  request.labels = own.write("labels.csv", "1,0,0\n0,1,0\n0,0,1\n1,0,0\n0,1,0\n0,0,1\n").string();
  CHECK(loadDataset(request).labels == std::vector<std::int32_t>{0, 1, 2, 0, 1, 2});
  request.labels = own.write("several.csv", "1,0,0\n0,1,0\n0,1,1\n1,0,0\n0,1,0\n0,0,1\n").string();
  CHECK(loadDataset(request).multiLabel());
}

TEST_CASE("a label that is not a number is none", "[npz]") {
  const auto labels = [](std::initializer_list<float> values) { return Files{{"labels", floats(values)}}; };
  const Dataset set = loaded(with(kPath, labels({0, 1, std::numeric_limits<float>::quiet_NaN(), 0, 1, 2})));
  CHECK(set.labels == std::vector<std::int32_t>{0, 1, -1, 0, 1, 2});
  CHECK(set.split[2] == Split::none);
  CHECK(loaded(with(kPath, labels({0, 1, -1, 0, 1, 2}))).labels[2] == -1);
  CHECK(loaded(with(kPath, {{"y", longs(6, 1, {0, 1, 2, 0, 1, 2})}})).classes == 3);
  const std::string range =
      " is no class; a class is a whole number from 0 to 1000000, or -1 or nan for none";
  CHECK(refusal(with(kPath, labels({0, 1.5, 0, 0, 1, 2}))) == ": labels: element 1: 1.5" + range);
  CHECK(refusal(with(kPath, labels({0, 1, -2, 0, 1, 2}))) == ": labels: element 2: -2" + range);
  CHECK(refusal(with(kPath, labels({0, 1, std::numeric_limits<float>::infinity(), 0, 1, 2}))) ==
        ": labels: element 2: inf" + range);
}

TEST_CASE("features without columns are refused, not replaced", "[npz]") {
  CHECK(refusal(with(kPath, {{"attr_matrix", floats(6, 0, {})}})) ==
        ": attr_matrix: has no columns; one or more, or no features at all");
  CHECK(refusal(with(kPath, {{"attr_data", floats({})},
                             {"attr_indices", longs({})},
                             {"attr_indptr", longs({0, 0, 0, 0, 0, 0, 0})},
                             {"attr_shape", longs({6, 0})}})) ==
        ": attr_data: has no columns; one or more, or no features at all");
  CHECK(refusal(with(kPath, {{"labels", floats(6, 0, {})}})) ==
        ": labels: has no columns; a class a vertex, or a column of 0 and 1 a class");
}

TEST_CASE("a matrix beside a graph of another form is not taken for the graph", "[npz]") {
  const OwnCache own;
  own.write("set/graph.txt", "0 1\n1 2\n");
  own.write("set/features.npz", npzOf({{"indices", longs({0, 1, 3})},
                                       {"indptr", longs({0, 1, 2, 3})},
                                       {"format", text("|S3", "csr")},
                                       {"shape", longs({3, 4})},
                                       {"data", floats({1, 1, 1})}}));
  CHECK(load(own.path("set")).arcs.nonzeros() == 4);
}

TEST_CASE("labels in one row, and rows fewer than vertices, are named where edges need more", "[npz]") {
  const Files edges = {{"edge_index", npyFile("<i8", "(2, 2)",
                                              std::string("\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
                                                          "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0",
                                                          32))}};
  const std::string zeros(3 * 4, '\0');
  CHECK(refusal(with(edges, {{"y", npyFile("<i4", "(1, 3)", zeros)}})) ==
        ": y: is 1 × 3, one row for 3 vertices; a class a vertex in one dimension, or a row a vertex");
  CHECK(refusal(with(edges, {{"y", npyFile("<i4", "(2,)", zeros.substr(4))}})) ==
        ": edge_index: element 3 is 2; vertices are 0 to 1, as many as `y` has rows; one of both is wrong");
  CHECK(refusal(with(edges, {{"x", npyFile("<f4", "(1, 3)", zeros)}})).find("as many as `x` has rows") !=
        std::string::npos);
  CHECK(loaded(with(edges, {{"y", npyFile("<i4", "(3, 1)", zeros)}})).vertices() == 3);
}

TEST_CASE("the largest class of a type without a sign, far from all others, is remarked", "[npz]") {
  const auto labelled = [](const std::string& type, const std::string& bytes) {
    return loaded(with(kPath, {{"labels", npyFile(type, "(6,)", bytes)}}));
  };
  const std::string remark =
      "labels holds 255, the largest of u1, beside 0 to 2; taken for a class. Where it means no label, save "
      "the array with a sign";
  CHECK(remarked(labelled("|u1", std::string("\0\1\2\xff\1\0", 6)), remark));
  CHECK_FALSE(remarked(labelled("|i1", std::string("\0\1\2\xff\1\0", 6)), remark));
  for (const char* value :
       {"\0\0\xc0\x7f", "\0\0\x80\xbf"}) {  // NaN and -1 as f4: no label, and no such type
    const Dataset real = labelled("<f4", std::string(20, '\0') + std::string(value, 4));
    for (const std::string& line : real.remarks) CHECK(line.find("the largest of") == std::string::npos);
    CHECK(real.labels.back() == -1);
  }
  const Dataset many = labelled("|u1", std::string("\0\1\xfe\xff\1\0", 6));
  for (const std::string& line : many.remarks) CHECK(line.find("largest of") == std::string::npos);
}
