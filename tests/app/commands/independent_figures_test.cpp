// Figures recomputed by tests/independent/figures.py: a reader of recordings that shares no code with the
// product.
#include "tests/app/commands/independent_reader.h"

using namespace halo;
using namespace halo::test;

namespace {

const std::string kDesktop = std::string(kBinDir) + "/haloscope-desktop";

bool canDraw() {
  if (std::filesystem::exists(kDesktop)) return hasPython();
  WARN("SKIPPED: haloscope-desktop is not built");
  return false;
}

/// Every figure that is named, or all, of the runs of a recording.
Ended redrawn(const Program& haloscope, const std::string& recording, const std::string& runs,
              const std::string& figures = "") {
  std::vector<std::string> words = {kDesktop, recording, runs};
  if (!figures.empty()) words.push_back(figures);
  return recomputed(haloscope, "figures.py", words);
}

void recomputeSample(const std::string& runs, const std::string& figures) {
  if (!canDraw()) return;
  const Program haloscope;
  const Ended ended =
      redrawn(haloscope, std::string(kSourceDir) + "/resources/samples/sample.db", runs, figures);
  CAPTURE(runs, figures, ended.out, ended.error);
  CHECK(ended.status == 0);
}

/// Runs an experiment of tests/independent/experiments, and recomputes all figures of it.
void recomputeExperiment(const std::string& name, const std::string& runs) {
  if (!canDraw()) return;
  const Program haloscope;
  const std::string file = std::string(kSourceDir) + "/tests/independent/experiments/" + name + ".toml";
  const Ended trained = haloscope({"run", file});
  CAPTURE(name, trained.out, trained.error);
  REQUIRE(std::filesystem::exists(haloscope.folder() / "recordings.db"));
  const Ended ended = redrawn(haloscope, "recordings.db", runs);
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

TEST_CASE("an independent reader finds the maps of staleness and the codes by layer", "[app]") {
  if (!canDraw()) return;
  const Program haloscope;
  const std::string file = haloscope.experiment(
      24, 3,
      "[record]\nstaleness = 8\n[[run]]\nmethod = \"pipegcn\"\n[[run]]\nmethod = \"supergcn\"\nbits = 8\n");
  REQUIRE(haloscope({"run", file}).status == 0);
  const Ended ended = redrawn(haloscope, "recordings.db", "1,2,3", "staleness,quantisation");
  CAPTURE(ended.out, ended.error);
  CHECK(ended.status == 0);
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
