// Ways in which text files are written that no format speaks of: byte order marks and further columns.

#include <unistd.h>
#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "datasets/input/unpack.h"
#include "datasets/load.h"
#include "datasets/overrides.h"
#include "engine/base/problem.h"
#include "tests/datasets/own_cache.h"

using namespace halo;

namespace {

const std::string kMark = "\xef\xbb\xbf";
const std::string kFurther =
    "columns after the second (weights, times) are not used: every edge counts the same";

Dataset load(const std::filesystem::path& path) {
  DatasetRequest request;
  request.name = path.string();
  return loadDataset(request);
}

bool remarksFurther(const Dataset& set) {
  return std::find(set.remarks.begin(), set.remarks.end(), kFurther) != set.remarks.end();
}

struct Form {
  const char* name;
  const char* text;  // the path 0 – 1 – 2
};

const Form kForms[] = {
    {"a.txt", "0 1\r\n1 2\r\n"},
    {"a.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"},
    {"a.graph", "3 2\n2\n1 3\n2\n"},
    {"a.gml",
     "graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ]\n"
     "edge [ source 0 target 1 ] edge [ source 1 target 2 ] ]\n"},
    {"a.gr", "p tw 3 2\n1 2\n2 3\n"},
    {"a.jlg", "3,2,u,path\n1,2\n2,3\n"},
    {"adjlist.txt", "0 1\n1 0 2\n2 1\n"},
};

void ogb(const OwnCache& own, const std::string& start, const std::string& edges) {
  own.write("set/raw/num-node-list.csv", start + "3\n");
  own.write("set/raw/edge.csv", start + edges);
  own.write("set/raw/node-feat.csv", start + "1\n2\n3\n");
  own.write("set/raw/node-label.csv", start + "0\n1\n0\n");
  for (const std::string part : {"train", "valid", "test"})
    own.write("set/split/given/" + part + ".csv", start + (part == "train"   ? "0\n"
                                                           : part == "valid" ? "1\n"
                                                                             : "2\n"));
}

}  // namespace

TEST_CASE("a byte order mark at the start of a graph of any text format is skipped", "[text]") {
  for (const Form& form : kForms) {
    CAPTURE(form.name);
    const OwnCache own;
    const Dataset plain = load(own.write(std::string("plain/") + form.name, form.text));
    const Dataset marked = load(own.write(std::string("marked/") + form.name, kMark + form.text));
    CHECK(plain.arcs.nonzeros() == 4);
    CHECK(marked.fingerprint == plain.fingerprint);
    CHECK_THROWS_AS(load(own.write(std::string("twice/") + form.name, kMark + kMark + form.text)),
                    DamagedInput);
  }
}

TEST_CASE("a byte order mark is skipped within packed files and in every file of a folder", "[text]") {
  const OwnCache own;
  const auto packed = own.path("a.txt.gz");
  const gzFile out = gzopen(packed.c_str(), "wb");
  REQUIRE(out != nullptr);
  const std::string text = kMark + "0 1\n1 2\n";
  REQUIRE(gzwrite(out, text.data(), static_cast<unsigned>(text.size())) == static_cast<int>(text.size()));
  gzclose(out);
  CHECK(load(packed).vertices() == 3);

  ogb(own, "", "0,1\n1,2\n");
  const Dataset plain = load(own.path("set"));
  ogb(own, kMark, "0,1\n1,2\n");
  CHECK(load(own.path("set")).fingerprint == plain.fingerprint);
}

TEST_CASE("a zip archive is read from a file, and refused with the reason from a pipe", "[text]") {
  const OwnCache own;
  const auto packed = own.path("a.zip");
  const std::string text = "0 1\n1 2\n";
  zip_t* archive = zip_open(packed.c_str(), ZIP_CREATE, nullptr);
  REQUIRE(archive != nullptr);
  REQUIRE(zip_file_add(archive, "a.txt", zip_source_buffer(archive, text.data(), text.size(), 0), 0) == 0);
  REQUIRE(zip_close(archive) == 0);
  CHECK(viewOf(contentsOf(packed)) == text);

  std::ifstream in(packed, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  const std::string through = "/dev/fd/" + std::to_string(ends[0]);
  CHECK_THROWS_WITH(contentsOf(through),
                    through + ": a zip archive is read from its end, which a pipe does not allow; a file");
  ::close(ends[0]);
}

TEST_CASE("a byte order mark is skipped in features, labels and split of the user's own", "[text]") {
  const OwnCache own;
  std::vector<std::string> remarks;
  CHECK(readFeatureFile(own.write("f.csv", kMark + "1,2\n3,4\n"), 2, remarks)(0, 0) == 1);
  CHECK(readFeatureFile(own.write("g.csv", kMark + "a,b\n3,4\n"), 1, remarks)(0, 0) == 3);
  CHECK(readLabelFile(own.write("l.txt", kMark + "1\n0\n"), 2, remarks).labels.front() == 1);
  CHECK(readLabelFile(own.write("l.json", kMark + "{\"0\": 1, \"1\": 0}"), 2, remarks).labels.front() == 1);
  CHECK(readSplitFile(own.write("s.txt", kMark + "train\ntest\n"), 2, remarks).front() == Split::train);
  CHECK_THROWS_AS(readLabelFile(own.write("only.txt", kMark), 2, remarks), DamagedInput);
  CHECK_THROWS_WITH(readLabelFile(own.write("bad.txt", kMark + "1\nx1\n"), 2, remarks),
                    own.path("bad.txt").string() +
                        ":2:1: 'x1' is not a number; vertices and classes are numbers from 0, not names");
}

TEST_CASE("further columns of edges are remarked in every format that has them", "[text]") {
  const OwnCache own;
  ogb(own, "", "0,1\n1,2\n");
  CHECK_FALSE(remarksFurther(load(own.path("set"))));
  ogb(own, "", "0,1,5,6\n1,2,5,6\n");
  CHECK(remarksFurther(load(own.path("set"))));
  CHECK(remarksFurther(load(own.write("a.txt", "0 1 2.5\n1 2 1\n"))));
  CHECK(remarksFurther(load(own.write("a.gr", "p tw 3 2\n1 2 9\n2 3 9\n"))));
  CHECK(remarksFurther(load(own.write("a.jlg", "3,2,u,path\n1,2,7\n2,3,7\n"))));
  own.write("musae/x_edges.csv", "id_1,id_2\n0,1,3\n1,2,3\n");
  own.write("musae/x_target.csv", "id,target\n0,a\n1,b\n2,a\n");
  CHECK(remarksFurther(load(own.path("musae"))));
  own.write("geom/out1_graph_edges.txt", "a\tb\n0\t1\t3\n1\t2\t3\n");
  own.write("geom/out1_node_feature_label.txt", "id\tfeature\tlabel\n0\t1,0\t0\n1\t0,1\t1\n2\t1,1\t0\n");
  CHECK(remarksFurther(load(own.path("geom"))));
  ogb(own, "", "0,1,x\n1,2\n");
  CHECK_THROWS_WITH(load(own.path("set")),
                    own.path("set/raw/edge.csv").string() +
                        ":1:5: 'x' is not a number; a weight or a time, or nothing after the two vertices");
}

TEST_CASE("any number of empty lines may stand before the counts of a jlg file", "[text]") {
  const OwnCache own;
  for (const std::size_t lines : {5'000U, 100'000U}) {
    const Dataset set = load(own.write("a.jlg", std::string(lines, '\n') + "3,2,u,path\n1,2\n2,3\n"));
    CHECK(set.vertices() == 3);
    CHECK(set.arcs.nonzeros() == 4);
  }
}
