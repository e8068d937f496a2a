#include "simulator/cluster/machine.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/places.h"
#include "tests/support/scratch.h"

namespace halo::cluster {
namespace {

const std::string kClusters = std::string(kSourceDir) + "/resources/clusters/";

constexpr const char* kGood = R"([machine]
help = "two nodes"
nodes = 2
ranks_per_node = 1
[between_nodes]
start_us = 1.0
wire_us = 2.0
gb_per_s = 3.0
origin = "assumed"
source = "by hand"
[compute]
kernel_start_us = 0.0
entry_element_ns = 1.0
row_element_ns = 0.0
dense_gflops = 10.0
copy_gb_per_s = 1.0
origin = "measured"
source = "by hand"
[topology]
kind = "crossbar"
origin = "assumed"
source = "by hand"
)";

/// The problems of a file of this text, one a line; "" if it is read.
std::string problemsOf(const std::string& text) {
  const Scratch folder;
  const std::filesystem::path file = folder.path() / "machine.toml";
  std::ofstream(file) << text;
  try {
    readMachine(file);
  } catch (const InputError& error) {
    std::string all;
    for (const Problem& problem : error.problems())
      all += std::to_string(problem.line) + ": " + problem.key + ": " + problem.message + "\n";
    return all;
  }
  return "";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto where = text.find(what);
  REQUIRE(where != std::string::npos);
  return text.replace(where, what.size(), by);
}

TEST_CASE("every cluster that comes along is read, with sources", "[cluster][machine]") {
  int machines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kClusters)) {
    CAPTURE(entry.path());
    const Machine machine = readMachine(entry.path());
    CHECK(machine.name == entry.path().stem());
    CHECK_FALSE(machine.help.empty());
    CHECK_FALSE(machine.between.from.source.empty());
    CHECK_FALSE(machine.within.from.source.empty());
    CHECK_FALSE(machine.compute.from.source.empty());
    CHECK_FALSE(machine.topology.from.source.empty());
    ++machines;
  }
  CHECK(machines >= 4);
}

TEST_CASE("the A64FX machine has the figures of SuperGCN's fit", "[cluster][machine]") {
  const Machine machine = readMachine(kClusters + "a64fx-tofu.toml");
  CHECK(machine.ranksPerNode == 4);
  CHECK(machine.between.startUs == 1.9);
  CHECK(machine.between.gbPerS / 4 >= 0.85);
  CHECK(machine.between.gbPerS / 4 <= 0.87);
  CHECK(machine.topology.kind == TopologyKind::torus);
  CHECK(machine.topology.dims == std::vector<std::int64_t>{24, 23, 24, 2, 3, 2});
}

TEST_CASE("the emulated machine is the link of the same name", "[cluster][machine]") {
  const Machine file = readMachine(kClusters + "emulated-10gbe.toml");
  const auto links = readLinks(std::string(kSourceDir) + "/resources/links.toml");
  const Machine link = machineOf(links.at("10gbe"));
  CHECK(file.between.gbPerS == Approx(link.between.gbPerS));
  CHECK(file.between.wireUs == link.between.wireUs);
  CHECK(file.between.startUs == link.between.startUs);
  CHECK(file.ranksPerNode == link.ranksPerNode);
  for (const auto operation : {Collective::allReduce, Collective::allToAll})
    CHECK(file.algorithm(operation, 1e6) == link.algorithm(operation, 1e6));
}

TEST_CASE("what is left out has its plain meaning", "[cluster][machine]") {
  CHECK(problemsOf(kGood).empty());
  const Scratch folder;
  const std::filesystem::path file = folder.path() / "plain.toml";
  std::ofstream(file) << kGood;
  const Machine machine = readMachine(file);
  CHECK(machine.within.gbPerS == machine.between.gbPerS);
  CHECK(machine.progress == Progress::hardware);
  CHECK_FALSE(machine.staging.needed());
  CHECK(machine.memoryGbPerRank == 0);
  CHECK(machine.compute.overlapSlowdown == 1);
  CHECK(machine.compute.from.origin == "measured");
}

TEST_CASE("a machine file is refused for each thing that is wrong with it", "[cluster][machine]") {
  struct Case {
    const char *what, *by, *says;
  };
  const auto wrong = GENERATE(
      Case{"gb_per_s = 3.0", "gb_per_s = 0.0",
           "between_nodes.gb_per_s: 0 cannot be used; a number from 1e-06"},
      Case{"gb_per_s = 3.0", "gbit_per_s = 3.0", "between_nodes.gbit_per_s: unknown key"},
      Case{"wire_us = 2.0\n", "", "between_nodes.wire_us: is missing"},
      Case{"wire_us = 2.0", "wire_us = \"2\"", "between_nodes.wire_us: '2' cannot be used"},
      Case{"wire_us = 2.0", "wire_us = -1.0", "between_nodes.wire_us: -1 cannot be used"},
      Case{"dense_gflops = 10.0", "dense_gflops = nan", "compute.dense_gflops"},
      Case{"source = \"by hand\"\n[compute]", "[compute]", "between_nodes.source: is missing"},
      Case{"source = \"by hand\"\n[compute]", "source = \"\"\n[compute]", "between_nodes.source: is empty"},
      Case{"origin = \"measured\"", "origin = \"guessed\"",
           "compute.origin: 'guessed' cannot be used; one of"},
      Case{"ranks_per_node = 1", "ranks_per_node = 2", "within_node: is missing"},
      Case{"nodes = 2", "nodes = 0", "machine.nodes: 0 cannot be used"},
      Case{"[topology]", "[topologie]", "topologie: unknown table; did you mean 'topology'?"},
      Case{"kind = \"crossbar\"", "kind = \"ring\"", "topology.kind: 'ring' cannot be used"},
      Case{"kind = \"crossbar\"", "kind = \"torus\"\nlink_gb_per_s = 1.0",
           "topology.dims: belongs to a torus"},
      Case{"kind = \"crossbar\"", "kind = \"torus\"\nlink_gb_per_s = 1.0\ndims = [1]",
           "topology.dims: hold 1 nodes, and the machine has 2"},
      Case{"kind = \"crossbar\"", "kind = \"torus\"\nlink_gb_per_s = 1.0\ndims = [2, 0]",
           "one to six numbers"},
      Case{"kind = \"crossbar\"", "kind = \"fat-tree\"", "topology.link_gb_per_s: is missing"},
      Case{"[compute]", "[progress]\nmode = \"poll\"\norigin = \"assumed\"\nsource = \"x\"\n[compute]",
           "progress.poll_us: belongs to mode 'poll'"},
      Case{"[compute]", "[[collective]]\noperation = \"allreduce\"\nalgorithm = \"bruck\"\n[compute]",
           "collective.algorithm: 'bruck' cannot be used; one of ring rabenseifner"},
      Case{"[compute]", "staging = 3\n[compute]", "between_nodes.staging: unknown key"},
      Case{"[compute]", "[staging]\nout_gb_per_s = 1.0\n[compute]", "staging.in_gb_per_s: is missing"});
  CAPTURE(wrong.what, wrong.by);
  const std::string problems = problemsOf(replaced(kGood, wrong.what, wrong.by));
  CAPTURE(problems);
  CHECK(problems.find(wrong.says) != std::string::npos);
}

TEST_CASE("all problems of a machine file come at once, and text that is no TOML is one",
          "[cluster][machine]") {
  std::string text = replaced(kGood, "gb_per_s = 3.0", "gb_per_s = -3.0");
  text = replaced(text, "nodes = 2", "nodes = 0");
  const std::string problems = problemsOf(text);
  CHECK(problems.find("machine.nodes") != std::string::npos);
  CHECK(problems.find("between_nodes.gb_per_s") != std::string::npos);
  CHECK_FALSE(problemsOf("[machine\n").empty());
  CHECK_THROWS(readMachine(kClusters + "no-such.toml"));
}

}  // namespace
}  // namespace halo::cluster
