// What a recording says of epochs over an emulated link is what the link could have carried.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <tuple>

#include "engine/methods/contract/method_entry.h"
#include "engine/record/analysis/below_wire.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

/// Median epochs in seconds by how seldom is evaluated: after each, every fifth, never.
using Medians = std::map<std::int64_t, double>;

std::vector<std::string> distributedMethods() {
  std::vector<std::string> methods;
  for (const auto& [name, method] : registry<MethodEntry>())
    if (method.distributed) methods.emplace_back(name);
  REQUIRE(methods.size() >= 18);
  return methods;
}

/// Runs each method with each of them, in turn, so that all meet the same machine.
std::map<std::string, Medians> mediansOf(const Program& haloscope, const std::vector<std::string>& methods) {
  std::string runs;
  for (const std::string& method : methods) runs += "[[run]]\nmethod = \"" + method + "\"\n";
  // the bytes of vanilla's epoch take 120 ms, its computing less than one
  const std::string file = haloscope.file(
      "medians.toml",
      "schema = 1\n[model]\norder = \"aggregate-first\"\n[training]\nepochs = 7\n[record]\nspans = \"none\"\n"
      "[cluster]\nworkers = 2\nlink = { bandwidth_gbit = 0.000275, latency_us = 50.0 }\n"
      "[sweep]\n\"training.evaluate_every\" = [1, 5, 1000]\n" +
          runs);
  const std::string recording = "medians.db";
  std::filesystem::remove(haloscope.folder() / recording);
  const Ended ran = haloscope({"--quiet", "--db", recording, "run", file});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  const Ended checked = haloscope({"--db", recording, "check"});  // that no epoch is shorter than its bytes
  CAPTURE(checked.out, checked.error);
  CHECK(checked.status == 0);
  Database database(haloscope.folder() / recording, Access::readOnly);
  std::map<std::string, Medians> medians;
  for (const RunRow& run : Runs(database).all())
    medians[run.method][std::stoll(Runs(database).parameters(run.id).at("training.evaluate_every"))] =
        Runs(database).latest(run.id).at("epoch_seconds");
  return medians;
}

/// Largest over smallest.
double spreadOf(const Medians& medians) {
  std::vector<double> seconds;
  for (const auto& [interval, median] : medians) seconds.push_back(median);
  return std::ranges::max(seconds) / std::ranges::min(seconds);
}

/// An evaluation sends what a forward pass does, a third of an epoch's bytes and more. Were its messages in
/// an epoch, or an epoch's messages in it, the medians would differ by as much; a tenth tells this from
/// noise. A busy machine adds to an epoch and never takes from it, as check has made sure. So where medians
/// are apart the least of several rounds stands for each.
void evaluatesBesideEpochs(std::vector<std::string> methods) {
  constexpr double kApart = 1.1;
  constexpr int kRounds = 6;
  const Program haloscope;
  std::map<std::string, Medians> least;
  for (int round = 0; round < kRounds && !methods.empty(); ++round) {
    for (const auto& [method, medians] : mediansOf(haloscope, methods))
      for (const auto& [interval, seconds] : medians) {
        const auto entry = least[method].emplace(interval, seconds).first;
        entry->second = std::min(entry->second, seconds);
      }
    std::erase_if(methods, [&](const std::string& method) { return spreadOf(least[method]) <= kApart; });
  }
  for (const auto& [method, medians] : least) {
    CAPTURE(method, medians);
    CHECK(medians.size() == 3);
    CHECK(spreadOf(medians) <= kApart);
  }
}

/// While the link went, on the run's clock: from where an epoch began until the last rank had ended it.
struct Stretch {
  std::int64_t beginNs = 0, endNs = 0;
  bool holds(std::int64_t ns) const { return beginNs <= ns && ns <= endNs; }
};

std::vector<Stretch> stretchesOf(const std::vector<std::vector<Span>>& ranks) {
  std::map<std::int32_t, Stretch> epochs;
  for (const std::vector<Span>& spans : ranks)
    for (const Span& span : spans)
      if (span.name == Name::epoch) {
        Stretch& epoch = epochs.emplace(span.epoch, Stretch{span.beginNs, 0}).first->second;
        CHECK(epoch.beginNs == span.beginNs);  // all ranks go at once
        epoch.endNs = std::max(epoch.endNs, span.endNs());
      }
  std::vector<Stretch> stretches;
  for (const auto& [epoch, stretch] : epochs) stretches.push_back(stretch);
  return stretches;
}

/// What spans say of evaluations and of an epoch's messages, however long anything took.
struct Seen {
  std::int64_t evaluations = 0, evaluatedWithin = 0;  // the latter while an epoch lasted
  std::int64_t stood = 0, arrivedBetween = 0;         // messages under way when an epoch ended
};

Seen seenIn(const std::vector<Span>& spans, const std::vector<Stretch>& epochs) {
  Seen counts;
  const auto epochOf = [&](std::int64_t ns) {
    return std::ranges::find_if(epochs, [ns](const Stretch& epoch) { return epoch.holds(ns); });
  };
  for (const Span& span : spans) {
    if (span.name == Name::evaluate) {
      ++counts.evaluations;
      counts.evaluatedWithin += std::ranges::any_of(epochs, [&](const Stretch& epoch) {
        return span.beginNs < epoch.endNs && epoch.beginNs < span.endNs();
      });
    }
    if (span.lane != Lane::link || span.name != Name::receive) continue;
    const auto left = epochOf(span.beginNs);
    if (left == epochs.end() || span.endNs() > epochs.back().endNs) continue;  // not an epoch's, or the last
    const auto arrived = epochOf(span.endNs());
    counts.arrivedBetween += arrived == epochs.end();
    counts.stood += arrived != epochs.end() && arrived != left;
  }
  return counts;
}

/// Rows of the ledger, but for what was predicted.
using Carried = std::vector<
    std::tuple<std::int64_t, std::int64_t, Pass, std::int64_t, std::int64_t, std::int64_t, std::int64_t>>;

Carried carriedBy(Database& database, std::int64_t run) {
  Carried carried;
  for (const MessageRow& row : Epochs(database).messages(run))
    carried.emplace_back(row.epoch, row.layer, row.pass, row.source, row.target, row.messages, row.bytes);
  std::ranges::sort(carried);
  return carried;
}

}  // namespace

// Of what makes epochs alike, nothing here depends on how fast the machine is. They carry the same messages,
// and evaluations lie between them. Nothing that is under way moves on meanwhile, and no epoch is shorter
// than its bytes.
TEST_CASE("epochs carry the same and stand alone however often is evaluated between them", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file(
      "alone.toml",
      "schema = 1\n[model]\norder = \"aggregate-first\"\n[training]\nepochs = 7\n[record]\nspans = \"all\"\n"
      "[cluster]\nworkers = 2\nlink = { bandwidth_gbit = 0.0004, latency_us = 50.0 }\n"
      "[sweep]\n\"training.evaluate_every\" = [1, 5, 1000]\n"
      "[[run]]\nmethod = \"vanilla\"\n[[run]]\nmethod = \"pipegcn\"\n[[run]]\nmethod = \"supergcn\"\n");
  const Ended ran = haloscope({"--quiet", "run", file});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  const Ended checked = haloscope({"check"});  // that no epoch is shorter than its bytes
  CAPTURE(checked.out, checked.error);
  CHECK(checked.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const std::map<std::string, std::int64_t> evaluations = {{"1", 7}, {"5", 3}, {"1000", 2}};
  std::map<std::string, Carried> carried;
  std::map<std::string, std::int64_t> stood;
  for (const RunRow& run : Runs(database).all()) {
    const std::string interval = Runs(database).parameters(run.id).at("training.evaluate_every");
    CAPTURE(run.method, interval);
    const std::vector<std::vector<Span>> ranks = {Spans(database).all(run.id, 0),
                                                  Spans(database).all(run.id, 1)};
    const std::vector<Stretch> epochs = stretchesOf(ranks);
    REQUIRE(epochs.size() == 7);
    for (const std::vector<Span>& spans : ranks) {
      const Seen counts = seenIn(spans, epochs);
      CHECK(counts.evaluations == evaluations.at(interval));
      CHECK(counts.evaluatedWithin == 0);
      CHECK(counts.arrivedBetween == 0);
      stood[run.method] += counts.stood;
    }
    const Carried own = carriedBy(database, run.id);
    CHECK(own == carried.emplace(run.method, own).first->second);
  }
  CHECK(carried.size() == 3);
  CHECK(stood["vanilla"] + stood["supergcn"] == 0);
  CHECK(stood["pipegcn"] > 0);  // else nothing could have moved on
}

TEST_CASE("epochs of every method take the same however often is evaluated between them", "[app][.nightly]") {
  evaluatesBesideEpochs(distributedMethods());
}

TEST_CASE("no epoch over an emulated link is shorter than its bytes, whatever is done between epochs",
          "[app]") {
  const Program haloscope;
  std::string runs;
  for (const std::string& method : distributedMethods()) runs += "[[run]]\nmethod = \"" + method + "\"\n";
  runs += "[[run]]\nmethod = \"pipegcn\"\ndepth = 3\n";
  for (const char* overlap : {"local-first", "central"})
    runs += std::string("[[run]]\nmethod = \"vanilla\"\noverlap = \"") + overlap + "\"\n";
  const std::string file = haloscope.file(
      "slow.toml",
      "schema = 1\n[model]\norder = \"aggregate-first\"\n[training]\nepochs = 12\nevaluate_every = 1\n"
      "[record]\nstaleness = 2\nspans = \"all\"\n"
      "[cluster]\nworkers = 2\nlink = { bandwidth_gbit = 0.01, latency_us = 50.0 }\n" +
          runs);
  const Ended ran = haloscope({"--quiet", "run", file});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  const Ended checked = haloscope({"check"});
  CAPTURE(checked.out, checked.error);
  CHECK(checked.status == 0);
}

TEST_CASE("a run whose median epoch is below the wire is marked so, wherever it is shown", "[app]") {
  const Program haloscope;
  // one epoch in four sends blocks, whose bytes take far longer than computing
  const std::string file =
      haloscope.file("period.toml",
                     "schema = 1\n[model]\norder = \"aggregate-first\"\n[training]\nepochs = 9\n"
                     "[cluster]\nworkers = 2\nlink = { bandwidth_gbit = 0.0001, latency_us = 50.0 }\n"
                     "[[run]]\nmethod = \"sancus\"\ninterval = 4\n[[run]]\nmethod = \"vanilla\"\n");
  const Ended ran = haloscope({"--quiet", "run", file});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  CHECK(haloscope({"check"}).status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  for (const RunRow& run : Runs(database).all()) {
    const auto latest = Runs(database).latest(run.id);
    CAPTURE(run.method, latest);
    CHECK(latest.at("epochs_per_second") == Approx(1 / latest.at("mean_epoch_seconds")));
    const std::string mark = belowWire({run, Runs(database).parameters(run.id), run.workers}, latest);
    CHECK(holds(run.marks, mark.empty() ? "emulated link" : ", " + mark));
    CHECK(mark.empty() != holds(run.marks, "below the wire"));
    if (run.method == "vanilla") CHECK(mark.empty());
    if (mark.empty()) continue;  // a busy machine may take longer than the bytes
    const std::string name = std::to_string(run.id);
    for (const Ended& ended :
         {haloscope({"show", name}), haloscope({"compare", "1", "2"}), haloscope({"list"})})
      CHECK(holds(ended.out, mark));
  }
}

TEST_CASE("epochs that fill a deep pipeline are marked, and the others take what their bytes take", "[app]") {
  const Program haloscope;
  constexpr double kGbit = 0.0002;
  const std::string file =
      haloscope.file("deep.toml",
                     "schema = 1\n[model]\norder = \"aggregate-first\"\n[training]\nepochs = 14\n"
                     "[cluster]\nworkers = 2\nlink = { bandwidth_gbit = 0.0002, latency_us = 50.0 }\n"
                     "[[run]]\nmethod = \"pipegcn\"\ndepth = 4\n");
  const Ended ran = haloscope({"--quiet", "run", file});
  CAPTURE(ran.error);
  REQUIRE(ran.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  std::map<std::int64_t, double> sentBy;  // bytes of an epoch, by rank
  for (const MessageRow& row : Epochs(database).messages(1))
    if (row.epoch == 13) sentBy[row.source] += static_cast<double>(row.bytes);
  REQUIRE(sentBy.size() == 2);
  const double wireNs = std::max(sentBy[0], sentBy[1]) * 8 / kGbit;
  double timedNs = 0;
  int timed = 0;
  for (const EpochRow& epoch : Epochs(database).epochs(1)) {
    CAPTURE(epoch.epoch, epoch.wallNs, epoch.filling);
    if (epoch.epoch <= 4) CHECK(epoch.filling);
    CHECK((!epoch.filling || timed == 0));
    if (epoch.filling) continue;
    ++timed;
    timedNs += static_cast<double>(epoch.wallNs);
  }
  REQUIRE(timed > 0);
  CHECK(timedNs / timed >= 0.9 * wireNs);
}

TEST_CASE("a run whose epochs all fill the pipeline is sound, though it has no times", "[app]") {
  const Program haloscope;
  const std::string file = haloscope.file("short.toml",
                                          "schema = 1\n[training]\nepochs = 2\n[cluster]\nworkers = 2\n"
                                          "[[run]]\nmethod = \"pipegcn\"\n");
  const Ended ran = haloscope({"--quiet", "run", file});
  CHECK(ran.status == 0);
  CHECK(holds(ran.error, "all its epochs fill the pipeline"));
  const Ended checked = haloscope({"check"});
  CAPTURE(checked.out, checked.error);
  CHECK(checked.status == 0);
}

TEST_CASE("ranks that share a card learn the same, and take the time that their hosts' bytes take", "[app]") {
  const Program haloscope;
  std::string runs;
  const std::vector<std::string> methods = {"vanilla", "pipegcn", "mop"};
  for (const std::string& method : methods) runs += "[[run]]\nmethod = \"" + method + "\"\n";
  const auto ran = [&](const std::string& cards) {
    const std::string file = haloscope.file("cards.toml",
                                            "schema = 1\n[training]\nepochs = 4\n[cluster]\nworkers = 4\n"
                                            "link = { bandwidth_gbit = 0.01, latency_us = 50.0" +
                                                cards + " }\n" + runs);
    const Ended ended = haloscope({"--quiet", "run", file});
    CAPTURE(ended.error);
    REQUIRE(ended.status == 0);
  };
  ran("");
  ran(", per = \"host\", ranks_per_host = 2");
  const Ended checked = haloscope({"check"});
  CAPTURE(checked.out, checked.error);
  CHECK(checked.status == 0);
  Database database(haloscope.folder() / "recordings.db", Access::readOnly);
  const auto lossesOf = [&](std::size_t run) {
    std::vector<double> losses;
    for (const EpochRow& epoch : Epochs(database).epochs(static_cast<std::int64_t>(run)))
      losses.push_back(epoch.loss);
    return losses;
  };
  for (std::size_t run = 1; run <= methods.size(); ++run) {
    CAPTURE(methods[run - 1]);
    CHECK(lossesOf(run).size() == 4);
    CHECK(lossesOf(run) == lossesOf(run + methods.size()));
  }
}
