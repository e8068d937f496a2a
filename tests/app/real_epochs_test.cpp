// What a recording says of epochs whose wire cannot be stopped: what is done between them carries none on.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <ranges>

#include "engine/base/index.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/app/two_hosts_run.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr std::int64_t kEpochs = 30, kProbeEvery = 6;

/// A rank's evaluations, by the epoch that they came before; that of the last ones is kEpochs.
std::vector<std::int64_t> evaluationsBefore(const std::vector<Span>& spans) {
  std::vector<std::int64_t> begins(kEpochs, 0), before;
  for (const Span& span : spans)
    if (span.name == Name::epoch) begins.at(at(span.epoch)) = span.beginNs;
  for (const Span& span : spans)
    if (span.name == Name::evaluate)
      before.push_back(std::ranges::upper_bound(begins, span.beginNs) - begins.begin());
  return before;
}

/// Median epochs in seconds on a cable that takes 200 ms for an epoch's bytes: by method, then by how seldom
/// is evaluated.
using Medians = std::map<std::string, std::map<std::string, double>>;

/// Runs all of them in turn, so that they meet the same machine.
Medians slowMedians(const HostsProgram& haloscope) {
  const std::string recording = "slow.db";
  std::filesystem::remove(haloscope.folder() / recording);
  const Ended ran = haloscope(
      {"--quiet", "--db", recording, "run",
       haloscope.experiment(
           "11",
           "[dataset]\nname = \"reddit-like\"\nscale = 0.001\n[model]\norder = \"aggregate-first\"\n"
           "[record]\nspans = \"none\"\n[sweep]\n\"training.evaluate_every\" = [1, 5, 1000]\n"
           "[[run]]\nmethod = \"vanilla\"\n[[run]]\nmethod = \"pipegcn\"\n")});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  Database database(haloscope.folder() / recording, Access::readOnly);
  Medians medians;
  for (const RunRow& run : Runs(database).all())
    medians[run.method][Runs(database).parameters(run.id).at("training.evaluate_every")] =
        Runs(database).latest(run.id).at("epoch_seconds");
  return medians;
}

}  // namespace

// A probe ends a stretch of epochs, and so does the run; a slow machine may pause once more.
TEST_CASE("where the wire cannot be stopped, epochs after an evaluation fill the pipeline", "[app]") {
  const Program haloscope;
  const int depth = GENERATE(1, 2);
  const std::string file = haloscope.file(
      "carry.toml",
      "schema = 1\n[training]\nepochs = 30\nevaluate_every = 1\n[record]\nstaleness = 6\nspans = \"all\"\n"
      "[cluster]\nworkers = 2\n[[run]]\nmethod = \"pipegcn\"\ndepth = " +
          std::to_string(depth) + "\n");
  const Ended ran = haloscope({"--quiet", "run", file});
  CAPTURE(depth, ran.error);
  REQUIRE(ran.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const std::vector<EpochRow> epochs = Epochs(database).epochs(1);
  REQUIRE(epochs.size() == kEpochs);
  CHECK(std::ranges::all_of(epochs, [](const EpochRow& epoch) { return epoch.train.has_value(); }));
  const auto fills = [&](std::int64_t epoch) { return epochs[at(epoch)].filling; };
  const auto timed = std::ranges::count_if(epochs, [](const EpochRow& epoch) { return !epoch.filling; });
  CHECK(timed > 0);
  CHECK(timed <= kEpochs * (kProbeEvery - depth - 1) / kProbeEvery);
  for (const std::int64_t rank : {0, 1}) {
    const std::vector<std::int64_t> before = evaluationsBefore(Spans(database).all(1, rank));
    CAPTURE(rank, before);
    CHECK(std::ssize(before) == kEpochs);
    for (const std::int64_t epoch : before)
      for (std::int64_t next = epoch; next <= epoch + depth && next < kEpochs; ++next) {
        CAPTURE(next);
        CHECK(fills(next));
      }
  }
}

// An evaluation sends about a third of an epoch's bytes: in the epochs it would add as much to them. A busy
// machine adds time and never takes any, so the least of several rounds stands for each.
TEST_CASE("epochs on two hosts take the same however often is evaluated between them", "[hosts][.nightly]") {
  constexpr double kApart = 1.15;
  constexpr int kRounds = 5;
  const TwoHosts* hosts = TwoHosts::orSkipped();
  if (hosts == nullptr) return;
  const HostsProgram haloscope(*hosts);
  const Meanwhile slow(*hosts,
                       "for h in halo-a halo-b; do tc qdisc replace dev v$h root tbf rate 10mbit burst 16kb "
                       "latency 400ms; done",
                       "for h in halo-a halo-b; do tc qdisc del dev v$h root; done");
  Medians least;
  const auto spread = [&](const std::string& method) {
    const auto seconds = std::views::values(least.at(method));
    return std::ranges::max(seconds) / std::ranges::min(seconds);
  };
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& [method, medians] : slowMedians(haloscope))
      for (const auto& [interval, seconds] : medians) {
        const auto entry = least[method].emplace(interval, seconds).first;
        entry->second = std::min(entry->second, seconds);
      }
    if (spread("vanilla") <= kApart && spread("pipegcn") <= kApart) break;
  }
  for (const auto& [method, medians] : least) {
    CAPTURE(method, medians);
    CHECK(medians.size() == 3);
    CHECK(spread(method) <= kApart);
    for (const auto& [interval, seconds] : medians) CHECK(seconds > 0.19);  // the cable was slow
  }
}
