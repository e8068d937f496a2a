#include "app/machine/worker_there.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/app/program.h"

using namespace halo;

namespace {

const std::string kWorker = "/opt/halo/haloscope-worker";

/// The findings of `doctor elsewhere`, by what they are of, where this is the program `ssh`.
std::map<std::string, nlohmann::json> findingsBy(const std::string& ssh) {
  const test::Program haloscope;
  haloscope.file("ssh", "#!/bin/sh\nfor word; do :; done\n" + ssh);
  std::filesystem::permissions(haloscope.folder() / "ssh", std::filesystem::perms::owner_all);
  const std::string path = haloscope.folder().string() + ":" + std::getenv("PATH");
  std::map<std::string, nlohmann::json> findings;
  for (const auto& finding :
       test::jsonLines(haloscope({"doctor", "elsewhere", "--json"}, {{"PATH", path}}).out))
    findings[finding.at("what")] = finding;
  return findings;
}

}  // namespace

TEST_CASE("a host with this version of the worker has nothing to be mended", "[doctor]") {
  const Finding finding = workerThere("nodeb", kWorker, {0, "haloscope-worker " HALO_VERSION "\n", "banner"});
  CHECK(finding.thing == "worker nodeb");
  CHECK(finding.state == Finding::State::good);
  CHECK(finding.actual == kWorker + ", version " HALO_VERSION);
  CHECK(finding.fix.empty());
}

TEST_CASE("a host without the worker, or with another, is named with the path and what would be right",
          "[doctor]") {
  struct Case {
    Answered answer;
    std::string actual;
  };
  for (const Case& each :
       {Case{{127, "", "sh: 1: not found\n"}, " is not there, or lacks a library: sh: 1: not found"},
        Case{{126, "", "Permission denied\n"}, " may not be run: Permission denied"},
        Case{{0, "haloscope-worker 0.0.9\n", ""},
             " answers 'haloscope-worker 0.0.9', not 'haloscope-worker " HALO_VERSION "'"},
        Case{{5, "", ""}, " does not say its version (status 5)"}}) {
    const Finding finding = workerThere("nodeb", kWorker, each.answer);
    CHECK(finding.state == Finding::State::missing);
    CHECK(finding.actual == kWorker + each.actual);
    CHECK(finding.fix ==
          "on nodeb install version " HALO_VERSION " of Haloscope, so that its worker lies at " + kWorker);
  }
}

TEST_CASE("doctor asks for the worker on a host that is named alone", "[doctor]") {
  auto findings =
      findingsBy("case \"$word\" in *orted*) echo /usr/bin/orted ;; *) exec sh -c \"$word\" ;; esac\n");
  REQUIRE(findings.contains("worker elsewhere"));
  CHECK(findings["worker elsewhere"].at("state") == "ok");
  findings = findingsBy("case \"$word\" in *orted*) echo /usr/bin/orted ;; *) exit 127 ;; esac\n");
  REQUIRE(findings.contains("worker elsewhere"));
  CHECK(findings["worker elsewhere"].at("state") == "missing");
  CHECK_FALSE(findings.contains("network"));
  findings = findingsBy("echo no route to host >&2; exit 255\n");
  CHECK(findings["host elsewhere"].at("state") == "missing");
  CHECK_FALSE(findings.contains("worker elsewhere"));
}
