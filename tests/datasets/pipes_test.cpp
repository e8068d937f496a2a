// A pipe, into which nobody writes, in the place of a file of a data set that lies in several.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"
#include "tests/support/places.h"

using namespace halo;
using Catch::Matchers::EndsWith;
namespace fs = std::filesystem;

namespace {

/// What is said of `set` when its file `name` is a pipe.
std::string refusedPipe(const OwnCache& own, const fs::path& set, const std::string& name) {
  const fs::path file = set / name;
  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  const std::string message = refusalOf(own.path("set"));
  fs::remove(file);
  return message;
}

}  // namespace

TEST_CASE("a pipe in the place of a file of a GraphSAINT set is refused and not waited for", "[formats]") {
  for (const std::string name :
       {"adj_full.npz", "role.json", "role.json.gz", "class_map.json", "feats.npy"}) {
    CAPTURE(name);
    const OwnCache own;
    fs::copy(std::string(kSourceDir) + "/tests/data/good/saint", own.path("set"));
    if (name.ends_with(".gz")) fs::remove(own.path("set/role.json"));
    CHECK_THAT(refusedPipe(own, own.path("set"), name),
               EndsWith(name + ": is a pipe, a device or a socket; a plain file"));
  }
}

TEST_CASE("a pipe in the place of a file of a MUSAE set is refused and not waited for", "[formats]") {
  for (const std::string name :
       {"a_edges.csv", "a_target.csv", "a_target.csv.gz", "a.json", "a_features.json"}) {
    CAPTURE(name);
    const OwnCache own;
    if (!name.starts_with("a_target")) own.write("set/a_target.csv", "id,target\n0,1\n1,0\n");
    own.write("set/a_edges.csv", "id_1,id_2\n0,1\n");
    CHECK_THAT(refusedPipe(own, own.path("set"), name),
               EndsWith(name + ": is a pipe, a device or a socket; a plain file"));
  }
}

TEST_CASE("a pipe in the place of a file of a Geom-GCN set is refused and not waited for", "[formats]") {
  for (const std::string name : {"out1_graph_edges.txt", "out1_node_feature_label.txt",
                                 "out1_node_feature_label.txt.xz", "splits/a.npz", "splits"}) {
    CAPTURE(name);
    const OwnCache own;
    own.write("set/out1_graph_edges.txt", "node_id\tnode_id\n0\t1\n");
    if (!name.ends_with(".xz"))
      own.write("set/out1_node_feature_label.txt", "node_id\tfeature\tlabel\n0\t0,1\t0\n1\t1,0\t1\n");
    if (name.starts_with("splits/")) fs::create_directory(own.path("set/splits"));
    CHECK_THAT(refusedPipe(own, own.path("set"), name),
               EndsWith(name + ": is a pipe, a device or a socket; a plain file"));
  }
}

TEST_CASE("a pipe in the place of a file of an OGB set is refused and not waited for", "[formats]") {
  for (const std::string name :
       {"raw/edge.csv", "raw/num-node-list.csv", "raw/node-feat.csv.gz", "raw/node-label.csv",
        "raw/num-edge-list.csv", "marks.txt", "split", "split/x/valid.csv"}) {
    CAPTURE(name);
    const OwnCache own;
    own.write("set/raw/num-node-list.csv", "2\n");
    own.write("set/raw/edge.csv", "0,1\n");
    for (const char* part : {"train", "test"})
      if (name.starts_with("split/")) own.write(std::string("set/split/x/") + part + ".csv", "");
    CHECK_THAT(refusedPipe(own, own.path("set"), name),
               EndsWith(name + ": is a pipe, a device or a socket; a plain file"));
  }
}

TEST_CASE("a pipe in the place of the labels beside a graph is refused and not overlooked", "[formats]") {
  const OwnCache own;
  own.write("net.txt", "0 1\n1 2\n");
  REQUIRE(::mkfifo(own.path("net-labels.txt").c_str(), 0600) == 0);
  CHECK_THAT(refusalOf(own.path("net.txt")),
             EndsWith("net-labels.txt: is a pipe, a device or a socket; a plain file"));
}
