// The launcher `hosts`, whole: mpirun's own daemons, started through an `ssh` that stays on this machine. It
// stands first on the PATH, notes the host it was asked for and runs the command it was given.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "tests/app/program.h"

using namespace halo::test;
namespace fs = std::filesystem;

namespace {

// Two hosts on one machine must not share Open MPI's session folder, nor each other's shared memory.
constexpr const char* kSsh = R"(#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
mkdir -p "$HALO_TEST_HOSTS/$host"
TMPDIR="$HALO_TEST_HOSTS/$host" OMPI_MCA_orte_tmpdir_base="$HALO_TEST_HOSTS/$host" exec /bin/sh -c "$*"
)";

std::map<std::string, std::string> withSsh(const Program& haloscope) {
  const fs::path ssh = haloscope.folder() / haloscope.file("bin/ssh", kSsh);
  fs::permissions(ssh, fs::perms::owner_all);
  return {{"PATH", ssh.parent_path().string() + ":" + std::getenv("PATH")},
          {"HALO_TEST_HOSTS", (haloscope.folder() / "hosts").string()},
          {"OMPI_MCA_btl", "tcp,self"},
          {"OMPI_MCA_btl_tcp_if_include", "lo"},
          {"OMPI_MCA_oob_tcp_if_include", "lo"}};
}

}  // namespace

TEST_CASE("ranks are started on the hosts named, through ssh, and train together", "[app]") {
  const Program haloscope;
  const std::string file =
      haloscope.experiment(3, 4, "launcher = \"hosts\"\nhosts = [\"nodea:2\", \"nodeb:2\"]\n");
  const Ended ended = haloscope({"run", file}, withSsh(haloscope));
  INFO(ended.out);
  INFO(ended.error);
  REQUIRE(ended.status == 0);
  std::set<std::string> hosts;
  for (const auto& entry : fs::directory_iterator(haloscope.folder() / "hosts"))
    hosts.insert(entry.path().filename());
  CHECK(hosts == std::set<std::string>{"nodea", "nodeb"});
  const auto rows = jsonLines(haloscope({"list", "--json"}).out);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].at("workers") == 4);
  CHECK(rows[0].at("epochs") == 3);
  CHECK(haloscope({"check"}).status == 0);
}
