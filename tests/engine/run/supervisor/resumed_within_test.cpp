// Runs in mini-batches that were stopped within an epoch go on with the next iteration, as if they had not
// been.
#include <catch2/catch.hpp>
#include <sstream>

#include "engine/base/index.h"
#include "engine/methods/contract/forward_products.h"
#include "engine/record/check/check_recording.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "tests/engine/run/supervisor/karate_run.h"
#include "tests/engine/run/supervisor/rehearsed.h"
#include "tests/support/scratch.h"

using namespace halo;
using test::karate, test::kWorker, test::Rehearsed;

namespace {

constexpr std::int64_t kIterations = 7;

/// Two epochs of seven iterations, or of some more where a sampler of `minibatch` says how many.
RunSettings sevenIterations(const std::string& method, const std::string& sampler = "neighbour") {
  RunSettings run = karate(method, method == "hyscale" || sampler != "neighbour" ? 1 : 2);
  if (method == "p2p-minibatch") {
    run.parameters["budget"] = std::int64_t{5};
  } else if (sampler != "neighbour") {
    run.parameters["sampler"] = sampler;
    if (sampler == "layer") run.parameters["batch"] = std::int64_t{3};
    if (sampler == "saint-walk")
      run.parameters["roots"] = std::int64_t{1};
    else
      run.parameters["budget"] = std::int64_t{sampler == "layer" ? 4 : 2};
  } else {
    run.parameters["fanouts"] = std::string("2,2,3");
    run.parameters["global_batch"] = std::int64_t{3};
  }
  if (run.parameters.contains("seeds") && sampler == "neighbour")
    run.parameters["seeds"] = std::string("global");
  if (method == "hyscale") {
    run.parameters["cards"] = std::int64_t{1};
    run.parameters["clock"] = std::string("virtual");
    run.parameters["window"] = std::int64_t{2};
  }
  run.model.dropout = 0.5;
  run.training.epochs = 2;
  run.training.evaluateEvery = 1;
  run.record.iterationsEvery = 1;
  return run;
}

RunOutcome supervised(Database& database, const RunSettings& run, std::int64_t goesOn = 0) {
  SuperviseOptions options = kWorker;
  options.goesOn = goesOn;
  RunObserver quiet;
  return superviseRun(database, Runs(database).addExperiment("test", ""), run, options, quiet);
}

void requireClean(Database& database) {
  const CheckHelp help{[](const RunRow& row, const auto&) {
                         return MethodTraits{.lateEpochs = 0,
                                             .slicesInput = row.method == "p3",
                                             .products = forwardProducts(row.model)};
                       },
                       {}};
  REQUIRE(checkRecording(database, help).faults == std::vector<std::string>());
}

/// Numbers in full, one after the other.
class Digits {
 public:
  template <class... Values>
  void line(const Values&... values) {
    ((text_ << std::hexfloat << values << ' '), ...);
    text_ << '\n';
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

/// Every number of a run that no clock tells. Pulls ahead end when they end: their bytes count in this
/// iteration or the next.
std::string numbers(Database& database, std::int64_t run, bool ahead) {
  Digits digits;
  const Epochs epochs(database);
  for (const EpochRow& row : epochs.epochs(run))
    digits.line(row.epoch, row.loss, row.train.value_or(-1), row.valid.value_or(-1), row.test.value_or(-1));
  for (const LayerRow& row : epochs.layers(run))
    digits.line(row.epoch, row.rank, row.layer, text(row.pass), row.flop, row.bytesSent, row.messages,
                row.predictedBytes, row.predictedMessages.value_or(-1));
  for (const MessageRow& row : epochs.messages(run))
    digits.line(row.epoch, row.layer, text(row.pass), row.source, row.target, row.messages, row.bytes,
                row.predictedBytes, row.predictedMessages.value_or(-1));
  const Iterations batches(database);
  for (const IterationRow& row : batches.iterations(run))
    digits.line(row.epoch, row.iteration, row.loss.value_or(-1), row.seeds, row.arcs,
                row.modelledNs.value_or(-1), ahead ? 0 : row.bytesSent, ahead ? 0 : row.messages);
  for (const BlockRow& row : batches.blocks(run))
    digits.line(row.epoch, row.rank, row.layer, row.targets, row.sources, row.arcs, row.nonzeros,
                row.remoteTargets, row.remoteArcs, row.remoteSources);
  for (const CacheRow& row : batches.caches(run))
    digits.line(row.epoch, row.rank, row.capacityRows, row.hits, row.misses, row.missedBytes,
                row.expectedHits);
  return digits.text();
}

/// And of modelled time, from the run's first iteration on.
std::string modelledNumbers(Database& database, std::int64_t run) {
  Digits digits;
  const std::vector<IterationRow> iterations = Iterations(database).iterations(run);
  const std::int64_t begin = iterations.at(0).beginNs;
  for (const IterationRow& row : iterations) digits.line(row.beginNs - begin, row.wallNs);
  for (const EpochRow& row : Epochs(database).epochs(run)) digits.line(row.beginNs - begin, row.wallNs);
  const Hybrid hybrid(database);
  for (const StageRow& row : hybrid.stages(run))
    digits.line(row.epoch, row.iteration, static_cast<int>(row.stage), row.actor, row.beginNs - begin,
                row.busyNs, row.waitNs, row.plannedNs.value_or(-1), row.plannedEndNs.value_or(-1) - begin,
                row.predictedNs.value_or(-1), row.bytes, row.queued);
  for (const DecisionRow& row : hybrid.decisions(run))
    digits.line(row.decision, row.epoch, row.iteration, static_cast<int>(row.action), row.cpuSeeds,
                row.cardSeeds, row.sampleThreads, row.loadThreads, row.trainThreads,
                row.beforeNs.value_or(-1), row.afterNs.value_or(-1), static_cast<int>(row.outcome));
  return digits.text();
}

}  // namespace

TEST_CASE("a run goes on after each of its iterations with the same numbers", "[run][resume]") {
  const auto [method, sampler] = GENERATE(table<std::string, std::string>({{"minibatch", "neighbour"},
                                                                           {"minibatch", "saint-walk"},
                                                                           {"minibatch", "saint-edge"},
                                                                           {"minibatch", "layer"},
                                                                           {"distdglv2", "neighbour"},
                                                                           {"p3", "neighbour"},
                                                                           {"pagraph", "neighbour"},
                                                                           {"p2p-minibatch", "neighbour"},
                                                                           {"hyscale", "neighbour"}}));
  CAPTURE(method, sampler);
  const RunSettings run = sevenIterations(method, sampler);
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create), other(scratch / "other.db", Access::create);
  const RunOutcome uninterrupted = supervised(other, run);
  REQUIRE(uninterrupted.status == "completed");
  const double iterations = Runs(other).latest(uninterrupted.run).at("iterations_per_epoch");
  REQUIRE((sampler == "neighbour" ? iterations == kIterations : iterations >= 4));
  std::int64_t goesOn = 0;
  for (std::int64_t step = 0; static_cast<double>(step) < iterations; ++step) {
    CAPTURE(step);
    const Rehearsed stops("stop " + std::to_string(step));
    const RunOutcome stopped = supervised(database, run, goesOn);
    CAPTURE(stopped.error);
    REQUIRE(stopped.status == "cancelled");
    REQUIRE(Iterations(database).iterations(stopped.run).size() == at(step) + 1);
    REQUIRE(resumableRun(database, run) == stopped.run);
    REQUIRE((goesOn == 0 || goesOn == stopped.run));
    goesOn = stopped.run;
    requireClean(database);
  }
  const RunOutcome ended = supervised(database, run, goesOn);
  REQUIRE(ended.status == "completed");
  requireClean(database);
  const bool ahead = method == "distdglv2";
  CHECK(numbers(database, ended.run, ahead) == numbers(other, uninterrupted.run, ahead));
  if (method == "hyscale")
    CHECK(modelledNumbers(database, ended.run) == modelledNumbers(other, uninterrupted.run));
}

namespace {

std::vector<double> lossesOf(Database& database, std::int64_t run) {
  std::vector<double> losses;
  for (const IterationRow& row : Iterations(database).iterations(run))
    losses.push_back(row.loss.value_or(-1));
  return losses;
}

std::string dilationOf(Database& database, std::int64_t run) {
  const auto parameters = Runs(database).parameters(run);
  const auto dilation = parameters.find("result.dilation");
  return dilation == parameters.end() ? "" : dilation->second;
}

}  // namespace

// A machine that is too busy for modelled times ends the run in words, with all its losses.
TEST_CASE("a hybrid run in real time goes on after each of its iterations, as much dilated as before",
          "[run][resume]") {
  const auto* const device = GENERATE("modelled", "host");
  CAPTURE(device);
  RunSettings run = sevenIterations("hyscale");
  run.parameters["manage"] = false;  // it would share out by times
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create), other(scratch / "other.db", Access::create);
  const RunOutcome uninterrupted = supervised(other, run);
  REQUIRE(uninterrupted.status == "completed");
  run.parameters["clock"] = std::string("real");
  run.parameters["device"] = std::string(device);
  std::int64_t goesOn = 0;
  std::string dilation;
  for (std::int64_t step = 0; step < kIterations; ++step) {
    CAPTURE(step);
    const Rehearsed stops("stop " + std::to_string(step));
    const RunOutcome stopped = supervised(database, run, goesOn);
    CAPTURE(stopped.error);
    REQUIRE(stopped.status == "cancelled");
    REQUIRE(lossesOf(database, stopped.run).size() == at(step) + 1);
    if (step == 0) dilation = dilationOf(database, stopped.run);
    CHECK(dilationOf(database, stopped.run) == dilation);
    goesOn = stopped.run;
    requireClean(database);
  }
  CHECK(dilation.empty() == (std::string(device) == "host"));
  const RunOutcome ended = supervised(database, run, goesOn);
  CAPTURE(ended.error);
  if (ended.status != "completed") CHECK(ended.error.find("is needed on this machine") != std::string::npos);
  requireClean(database);
  CHECK(lossesOf(database, ended.run) == lossesOf(other, uninterrupted.run));
}

TEST_CASE("a pipeline of p3 is stopped as an epoch ends, and goes on with the next", "[run][resume]") {
  RunSettings run = sevenIterations("p3");
  run.parameters["pipeline"] = std::string("3");
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create), other(scratch / "other.db", Access::create);
  const RunOutcome uninterrupted = supervised(other, run);
  const Rehearsed stops("stop 2");
  const RunOutcome stopped = supervised(database, run);
  REQUIRE(stopped.status == "cancelled");
  CHECK(Epochs(database).epochs(stopped.run).size() == 1);
  const RunOutcome ended = supervised(database, run, stopped.run);
  REQUIRE(ended.status == "completed");
  CHECK(numbers(database, ended.run, false) == numbers(other, uninterrupted.run, false));
}

TEST_CASE("a run whose workers were killed goes on from its checkpoint", "[run][resume]") {
  const auto* const method = GENERATE("minibatch", "distdglv2", "p3", "pagraph", "p2p-minibatch", "hyscale");
  CAPTURE(method);
  const RunSettings run = sevenIterations(method);
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create), other(scratch / "other.db", Access::create);
  const RunOutcome uninterrupted = supervised(other, run);
  std::int64_t killed = 0;
  {
    const Rehearsed kills("keep 3, kill 3");
    const RunOutcome outcome = supervised(database, run);
    REQUIRE(outcome.status == "failed");
    killed = outcome.run;
  }
  requireClean(database);
  REQUIRE(resumableRun(database, run) == killed);
  const RunOutcome ended = supervised(database, run, killed);
  REQUIRE(ended.status == "completed");
  requireClean(database);
  const bool ahead = std::string(method) == "distdglv2";
  CHECK(numbers(database, killed, ahead) == numbers(other, uninterrupted.run, ahead));
}

TEST_CASE("a checkpoint of another experiment is refused with words, and the run's rows stay",
          "[run][resume]") {
  const RunSettings run = sevenIterations("minibatch");
  RunSettings others = run;
  SECTION("of other settings") { others.training.learningRate *= 2; }
  SECTION("of more workers") { others.cluster.workers = 3; }
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  const Rehearsed stops("stop 2");
  const std::int64_t stopped = supervised(database, run).run, other = supervised(database, others).run;
  REQUIRE(other != stopped);
  Runs runs(database);
  runs.addArtifact(stopped, runs.artifact(other, "checkpoint").value());
  const RunOutcome refused = supervised(database, run, stopped);
  CHECK(refused.status == "failed");
  CHECK(refused.error.find("the run's checkpoint is of another experiment") != std::string::npos);
  CHECK(lossesOf(database, stopped).size() == 3);
}

TEST_CASE("checkpoints are kept as often as record.checkpoint_s says, and with 0 only where a run is stopped",
          "[run][resume]") {
  RunSettings run = sevenIterations("minibatch");
  run.record.checkpointS = 0;
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  const RunOutcome completed = supervised(database, run);
  REQUIRE(completed.status == "completed");
  CHECK_FALSE(Runs(database).artifact(completed.run, "checkpoint").has_value());
  const Rehearsed stops("stop 4");
  const RunOutcome stopped = supervised(database, run);
  CHECK(Runs(database).artifact(stopped.run, "checkpoint").has_value());
}
