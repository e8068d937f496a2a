#include "simulator/cluster/machines/machine_figures.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "engine/experiment/figure_file.h"
#include "tests/support/places.h"
#include "tests/support/scratch.h"

namespace halo::cluster {
namespace {

const std::string kClusters = std::string(kSourceDir) + "/resources/clusters/";

/// A cluster file that is read: one that comes along.
std::string good() {
  std::ifstream in(kClusters + "ethernet-10g.toml");
  return {std::istreambuf_iterator<char>(in), {}};
}

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

std::string replaced(std::string text, const std::string& pattern, const std::string& by) {
  const auto where = text.find(pattern);
  REQUIRE(where != std::string::npos);
  return text.replace(where, pattern.size(), by);
}

TEST_CASE("every cluster that comes along is read, with sources", "[cluster][machine]") {
  int machines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kClusters)) {
    CAPTURE(entry.path());
    const Machine machine = readMachine(entry.path());
    CHECK(machine.name == entry.path().stem());
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

TEST_CASE("figures become the machine that they say", "[cluster][machine]") {
  CHECK(problemsOf(good()).empty());
  const Machine machine = readMachine(kClusters + "ethernet-10g.toml");
  CHECK(machine.within.gbPerS == machine.between.gbPerS);
  CHECK(machine.progress == Progress::poll);
  CHECK(machine.pollUs == 1000);
  CHECK_FALSE(machine.staging.needed());
  CHECK_FALSE(machine.sharesCores());
  CHECK(machine.messageOrder == MessageOrder::nextFirst);
  CHECK(machine.compute.overlapSlowdown == 1);
  CHECK(machine.compute.from.origin == "assumed");
  const Machine tofu = readMachine(kClusters + "a64fx-tofu.toml");
  CHECK(tofu.algorithm(Collective::allReduce, 16e3) == "recursive-doubling");
  CHECK(tofu.algorithm(Collective::allReduce, 17e3) == "rabenseifner");
  CHECK(tofu.algorithm(Collective::broadcast, 1e6) == "scatter-allgather");
  CHECK(tofu.between.from.origin == "derived");  // the weakest of its figures
}

TEST_CASE("a figure that is replaced says so of its group", "[cluster][machine]") {
  FigureFile read = readFigureFile(kClusters + "ethernet-10g.toml", "cluster", {machineDeclaration()});
  read.figures["gb_per_s"] = 12.5;
  read.sources["gb_per_s"] = "assumed: this experiment";
  const Machine machine = machineOf("x", read.figures, read.sources);
  CHECK(machine.between.gbPerS == 12.5);
  CHECK(machine.between.from.origin == "assumed");
  CHECK(machine.between.from.source.find("this experiment") != std::string::npos);
}

TEST_CASE("a machine file is refused for each thing that is wrong with it", "[cluster][machine]") {
  struct Case {
    const char *what, *by, *says;
  };
  const auto wrong = GENERATE(
      Case{"\ngb_per_s = 1.175", "\ngb_per_s = 0.0",
           "figures.gb_per_s: 0 cannot be used; a number from 1e-06"},
      Case{"\ngb_per_s = 1.175", "\ngbit_per_s = 3.0", "figures.gbit_per_s: unknown key"},
      Case{"\nwire_us = 20.0", "", "figures.wire_us: missing"},
      Case{"\nwire_us = 20.0", "\nwire_us = \"2\"", "figures.wire_us: '2' cannot be used"},
      Case{"\nwire_us = 20.0", "\nwire_us = -1.0", "figures.wire_us: -1 cannot be used"},
      Case{"dense_gflops = 400.0", "dense_gflops = nan", "figures.dense_gflops"},
      Case{"\nnodes = 512", "\nnodes = 0", "figures.nodes: 0 cannot be used"},
      Case{"\nnodes = \"assumed: a room of servers\"", "", "sources.nodes: missing"},
      Case{"\nnodes = \"assumed: a room of servers\"", "\nnodes = \"a room\"",
           "sources.nodes: 'a room' cannot be used; a text that begins with"},
      Case{"\nnodes = \"assumed: a room of servers\"", "\nnodes = \"assumed:  \"",
           "sources.nodes: 'assumed:  ' cannot be used; a text that begins with"},
      Case{"topology = \"crossbar\"", "topology = \"ring\"", "figures.topology: 'ring' cannot be used"},
      Case{"topology = \"crossbar\"", "topology = \"torus\"", "figures.dims: belongs to a torus"},
      Case{"dims = \"\"", "dims = \"4x4\"", "figures.dims: belongs to a torus"},
      Case{"dims = \"\"", "dims = \"4x0\"", "figures.dims: '4x0' cannot be used; one to six numbers"},
      Case{"dims = \"\"", "dims = \"4x4x\"", "figures.dims: '4x4x' cannot be used"},
      Case{"dims = \"\"", "dims = \"4 x4\"", "figures.dims: '4 x4' cannot be used"},
      Case{"dims = \"\"", "dims = \"04x4\"", "figures.dims: '04x4' cannot be used"},
      Case{"topology = \"crossbar\"", "topology = \"fat-tree\"", "figures.link_gb_per_s: is 0"},
      Case{"progress = \"poll\"", "progress = \"hardware\"", "figures.poll_us: belongs to progress 'poll'"},
      Case{"poll_us = 1000.0", "poll_us = 0.0", "figures.poll_us: belongs to progress 'poll'"},
      Case{"staging_out_gb_per_s = 0.0", "staging_out_gb_per_s = 1.0",
           "figures.staging_in_gb_per_s: messages are copied both ways"},
      Case{"allreduce = \"ring\"", "allreduce = \"bruck\"",
           "figures.allreduce: 'bruck' cannot be used; ring rabenseifner"},
      Case{"allreduce = \"ring\"", "allreduce = \"ring to 16\"",
           "figures.allreduce: needs an algorithm for any size"},
      Case{"allreduce = \"ring\"", "allreduce = \"ring to x, ring\"",
           "figures.allreduce: 'ring to x' has no size"},
      Case{"allreduce = \"ring\"", "allreduce = \"ring, ring\"", "figures.allreduce: goes on after"},
      Case{"allreduce = \"ring\"", "allreduce = \"\"", "figures.allreduce: needs an algorithm"},
      Case{"cluster = \"loggp\"", "cluster = \"logp\"",
           "cluster: 'logp' is no cluster; did you mean 'loggp'?"});
  CAPTURE(wrong.what, wrong.by);
  const std::string problems = problemsOf(replaced(good(), wrong.what, wrong.by));
  CAPTURE(problems);
  CHECK(problems.find(wrong.says) != std::string::npos);
}

TEST_CASE("a torus holds its nodes, and workers that share cores are not slowed besides",
          "[cluster][machine]") {
  Values figures = readFigureFile(kClusters + "a64fx-tofu.toml", "cluster", {machineDeclaration()}).figures;
  CHECK(machineProblems(figures).empty());
  figures["dims"] = std::string("4x4");
  REQUIRE(machineProblems(figures).size() == 1);
  CHECK(machineProblems(figures)[0].message == "hold 16 nodes, and the machine has 158976");
  for (const char* dims :
       {"100000x100000x100000", "10000000x10000000x10000000"}) {  // numbers of links overflow
    figures["dims"] = std::string(dims);
    REQUIRE(machineProblems(figures).size() == 1);
    CHECK(machineProblems(figures)[0].key == "machine.dims");
    CHECK(machineProblems(figures)[0].message.find("links; at most 1e+15") != std::string::npos);
  }
  figures["dims"] = std::string("30000x30000");
  CHECK(machineProblems(figures).empty());
  figures["dims"] = std::string("400x400");
  figures["cores_per_node"] = std::int64_t{2};
  CHECK(machineProblems(figures).empty());
  figures["overlap_slowdown"] = 1.5;
  REQUIRE(machineProblems(figures).size() == 1);
  CHECK(machineProblems(figures)[0].key == "machine.overlap_slowdown");
}

TEST_CASE("all problems of a machine file come at once, and text that is no TOML is one",
          "[cluster][machine]") {
  std::string text = replaced(good(), "\ngb_per_s = 1.175", "\ngb_per_s = -3.0");
  text = replaced(text, "\nnodes = 512", "\nnodes = 0");
  const std::string problems = problemsOf(text);
  CHECK(problems.find("figures.nodes") != std::string::npos);
  CHECK(problems.find("figures.gb_per_s") != std::string::npos);
  CHECK_FALSE(problemsOf("[machine\n").empty());
  CHECK_THROWS(readMachine(kClusters + "no-such.toml"));
}

}  // namespace
}  // namespace halo::cluster
