#include "datasets/unread.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "datasets/load.h"
#include "tests/datasets/own_cache.h"

using namespace halo;

namespace {

/// What the set is told to leave out; "": nothing.
std::string unreadOf(const DatasetRequest& request) {
  for (const std::string& remark : loadDataset(request).remarks)
    if (remark.starts_with("not read: ")) return remark.substr(0, remark.find(';'));
  return "";
}

struct Files {
  OwnCache own;
  std::filesystem::path folder = own.path("set");

  Files& add(const std::string& name, const std::string& text = "some words\n") {
    own.write("set/" + name, text);
    return *this;
  }
  Files& addOgb() {
    add("raw/num-node-list.csv", "4\n").add("raw/num-edge-list.csv", "2\n").add("raw/edge.csv", "0,1\n2,3\n");
    return add("raw/node-label.csv", "0\n1\n0\n1\n");
  }
  std::string unread(const std::string& name = "") const {
    DatasetRequest request;
    request.name = (name.empty() ? folder : folder / name).string();
    return unreadOf(request);
  }
};

const std::string kEdges = "0 1\n1 2\n2 0\n";

}  // namespace

TEST_CASE("data files of a folder that nobody reads are remarked", "[datasets]") {
  Files files;
  files.add("edges.csv", kEdges).add("nodes.dat", "a\nb\n").add("README.md").add("LICENSE").add("notes.pdf");
  CHECK(files.unread() == "not read: nodes.dat");
  for (const char* name : {"b.dat", "c.dat", "d.dat", "e.dat", "f.dat", "g.dat"}) files.add(name, "a\n");
  CHECK(files.unread() == "not read: b.dat, c.dat, d.dat, e.dat, f.dat, g.dat and 1 more");
}

TEST_CASE("misnamed parts of an OGB folder are remarked, further splits are not twice", "[datasets]") {
  Files files;
  files.addOgb();
  CHECK(files.unread().empty());
  files.add("raw/node_feat.csv", "1\n2\n3\n4\n");
  CHECK(files.unread() == "not read: raw/node_feat.csv");
  for (const char* part : {"train", "valid", "test"})
    files.add("splits/s/" + std::string(part) + ".csv", "0\n")
        .add("split/" + std::string(part) + ".csv", "0\n");
  CHECK(files.unread() ==
        "not read: raw/node_feat.csv, split/test.csv, split/train.csv, split/valid.csv, splits/s/test.csv, "
        "splits/s/train.csv and 1 more");
  for (const char* split : {"a", "b"})
    files.add("split/" + std::string(split) + "/train.csv", "0\n")
        .add("split/" + std::string(split) + "/valid.csv", "1\n")
        .add("split/" + std::string(split) + "/test.csv", "2\n");
  CHECK(files.unread() ==
        "not read: raw/node_feat.csv, splits/s/test.csv, splits/s/train.csv, splits/s/valid.csv");
}

TEST_CASE("what is named after a graph and holds a part of it is remarked, other files beside it are not",
          "[datasets]") {
  Files files;
  files.add("net.graph", "3 3\n2 3\n1 3\n1 2\n")
      .add("net-labels.txt", "0\n1\n0\n")
      .add("other-labels.txt", "0\n");
  files.add("net2.graph", "1 0\n\n").add("net-2.txt", kEdges);
  CHECK(files.unread("net.graph") == "not read: net-labels.txt");
  files.add("web_edges.txt", kEdges).add("web_target.csv", "0\n1\n0\n").add("web_features.csv", "1\n2\n3\n");
  CHECK(files.unread("web_edges.txt") == "not read: web_features.csv, web_target.csv");
}

TEST_CASE("files that other keys name are read", "[datasets]") {
  Files files;
  files.add("net.txt", kEdges).add("net-features.csv", "1\n2\n3\n").add("net-target.csv", "0\n1\n0\n");
  DatasetRequest request;
  request.name = (files.folder / "net.txt").string();
  CHECK(unreadOf(request) == "not read: net-features.csv, net-target.csv");
  request.features = (files.folder / "net-features.csv").string();
  CHECK(unreadOf(request) == "not read: net-target.csv");
  request.labels = (files.folder / "net-target.csv").string();
  CHECK(unreadOf(request).empty());
}

TEST_CASE("parts beside a graph that is called after no set are remarked", "[datasets]") {
  Files files;
  files.add("edges.csv", "1,2\n2,3\n").add("nodes.csv", "1\n2\n3\n4\n");
  files.add("groups.csv", "1\n2\n")
      .add("group-edges.csv", "1,1\n2,1\n")
      .add("notes.csv")
      .add("web_edges.csv");
  CHECK(files.unread("edges.csv") == "not read: group-edges.csv, groups.csv, nodes.csv");
}
