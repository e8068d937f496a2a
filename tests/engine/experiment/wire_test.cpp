#include <catch2/catch.hpp>
#include <string>

#include "tests/engine/experiment/known.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("a wire is of real hosts alone, and has no figures of cards", "[experiment]") {
  const auto problemsWith = [](const std::string& keys) {
    return problemsOf("schema = 1\n[cluster]\nwire = { bandwidth_gbit = 0.39" + keys +
                      "[[run]]\nmethod = \"vanilla\"\n");
  };
  const std::string hosts = "launcher = \"hosts\"\nhosts = [\"a:1\", \"b:1\"]\n";
  CHECK(problemsWith(" }\n") ==
        "a.toml:3:8: cluster.wire: cluster.launcher is 'local', and all ranks on this machine; it is of real "
        "hosts: launcher = \"hosts\" and link = \"none\", or no wire");
  CHECK(problemsWith(" }\nlink = \"10gbe\"\n" + hosts) ==
        "a.toml:3:8: cluster.wire: stands beside cluster.link, which emulates one; it is of real hosts: "
        "launcher "
        "= \"hosts\" and link = \"none\", or no wire");
  for (const char* more : {", staging_gbit = 8.0 }\n", ", per = \"host\", ranks_per_host = 2 }\n"})
    CHECK(problemsWith(more + hosts) ==
          "a.toml:3:8: cluster.wire: staging_gbit, per and ranks_per_host are of cluster.link; { "
          "bandwidth_gbit = "
          "0.39, latency_us = 80.0 }, as `haloscope doctor HOST HOST` writes it");
  CHECK(
      problemsWith(", latency = 1 }\n" + hosts) ==
      "a.toml:3:8: cluster.wire: unknown key 'latency'; known are bandwidth_gbit latency_us staging_gbit per "
      "ranks_per_host");
}

TEST_CASE("hosts that no launcher uses are refused", "[experiment]") {
  const auto problemsWith = [](const std::string& launcher) {
    return problemsOf("schema = 1\n[cluster]\n" + launcher + "hosts = [\"a:1\", \"b:1\"]\n" +
                      "[[run]]\nmethod = \"vanilla\"\n");
  };
  CHECK(problemsWith("") ==
        "a.toml:3:9: cluster.hosts: cluster.launcher is 'local', which starts no rank there; launcher = "
        "\"hosts\", or no hosts");
  CHECK(
      problemsWith("launcher = \"slurm\"\n")
          .starts_with("a.toml:4:9: cluster.hosts: cluster.launcher is 'slurm', which starts no rank there"));
  CHECK(problemsWith("launcher = \"hosts\"\n").empty());
  // a run of a file for hosts, on this machine
  CHECK(problemsOf("schema = 1\n[cluster]\nlauncher = \"hosts\"\nhosts = [\"a:1\", \"b:1\"]\n"
                   "[[run]]\nmethod = \"vanilla\"\ncluster.launcher = \"local\"\n")
            .empty());
}
