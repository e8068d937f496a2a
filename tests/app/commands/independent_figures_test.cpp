// Figures recomputed by tests/independent/figures.py: a reader of recordings that shares no code with the
// product.
#include <catch2/catch.hpp>

#include "tests/app/program.h"
#include "tests/support/places.h"

using namespace halo;
using namespace halo::test;

namespace {

bool hasPython() {
  if (test::run({"/usr/bin/env", "python3", "-c", "import sqlite3"}).status == 0) return true;
  WARN("SKIPPED: no python3 here");
  return false;
}

/// Every figure that is named, or all, of the runs of a recording.
Ended recomputed(const Program& haloscope, const std::string& recording, const std::string& runs,
                 const std::string& figures = "") {
  const std::string script = std::string(kSourceDir) + "/tests/independent/figures.py";
  std::vector<std::string> words = {
      "/usr/bin/env", "python3", script, std::string(kBinDir) + "/haloscope-desktop", recording, runs};
  if (!figures.empty()) words.push_back(figures);
  const auto environment =
      haloscope.environment({{"PYTHONDONTWRITEBYTECODE", "1"}, {"QT_QPA_PLATFORM", "offscreen"}});
  return test::run(words, environment, haloscope.folder());
}

void recomputeSample(const std::string& runs, const std::string& figures) {
  if (!hasPython()) return;
  const Program haloscope;
  const Ended ended =
      recomputed(haloscope, std::string(kSourceDir) + "/resources/samples/sample.db", runs, figures);
  CAPTURE(runs, figures, ended.out, ended.error);
  CHECK(ended.status == 0);
}

/// Runs an experiment of tests/independent/experiments, and recomputes all figures of it.
void recomputeExperiment(const std::string& name, const std::string& runs) {
  if (!hasPython()) return;
  const Program haloscope;
  const std::string file = std::string(kSourceDir) + "/tests/independent/experiments/" + name + ".toml";
  const Ended trained = haloscope({"run", file});
  CAPTURE(name, trained.out, trained.error);
  REQUIRE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
  const Ended ended = recomputed(haloscope, "recordings.db", runs);
  CAPTURE(ended.out, ended.error);
  CHECK(ended.status == 0);
}

}  // namespace

TEST_CASE("an independent reader finds the figures of the sample's runs", "[app]") {
  recomputeSample("1,6,11",
                  "timeline,breakdown,convergence-loss,convergence-score,ledger,volume,scaling,roofline");
}

TEST_CASE("an independent reader finds the figures of the sample's runs side by side", "[app]") {
  recomputeSample("6,11",
                  "summary,where,waterfall,learning,to-score,staleness,traffic,parts,part-fit,layers,memory");
}

TEST_CASE("an independent reader finds the spans and waits of the sample's runs", "[.nightly]") {
  recomputeSample("6,11", "differences,why,part-bars,runs");
}

TEST_CASE("an independent reader finds all figures of the sample, with its seeds", "[.nightly]") {
  recomputeSample("1,2,3,4,5,6,7,8,9,10,11,12,13,14,15", "");
}

TEST_CASE("an independent reader finds the figures of training in mini-batches", "[.nightly]") {
  recomputeExperiment("batches", "1,2,3");
}

TEST_CASE("an independent reader finds the figures of a node", "[.nightly]") {
  recomputeExperiment("node", "1,2,3,4,5,6");
}

TEST_CASE("an independent reader finds the figures of simulations", "[.nightly]") {
  recomputeExperiment("simulated", "1,2,3,4,5,6,10,11,12");
}

TEST_CASE("an independent reader finds the figures of runs that end in no number", "[.nightly]") {
  recomputeExperiment("broken", "1,2,3");
}
