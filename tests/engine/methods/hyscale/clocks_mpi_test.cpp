// hyscale's clocks: what a virtual one says is the race of the drawn blocks, and real time changes no number.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/median.h"
#include "engine/hybrid/iteration.h"
#include "engine/methods/hyscale/settings.h"
#include "engine/methods/hyscale/start_mapping.h"
#include "engine/sampling/neighbour.h"
#include "engine/sampling/seed_order.h"
#include "tests/engine/methods/hyscale/clocked_training.h"
#include "tests/support/changed_platform.h"
#include "tests/support/scratch.h"

using namespace halo;
using namespace halo::clockedtest;

namespace {

/// What the design says that each iteration takes, in whole ns: blocks drawn, dealt and raced here.
std::vector<std::int64_t> racedNs(const RunSettings& run, int epochs) {
  const hyscale::NodeSettings node = hyscale::nodeSettings(run);
  const auto trained = std::ranges::count(large().split, Split::train);
  const BatchSettings batches = hyscale::batchesOf(run, node.platform.cards, trained, large().vertices());
  const std::vector<Index> widths = layerWidths(run.model, large().features.cols(), large().classes);
  const HybridWork work = hyscale::workOf(run, widths, trained);
  std::vector<Vertex> vertices;
  for (Index v = 0; v < large().vertices(); ++v)
    if (large().split[at(v)] == Split::train) vertices.push_back(static_cast<Vertex>(v));
  const HybridMapping mapping =
      hyscale::startMapping(node, work, BatchSizes(BatchSize{{1, 1, 1}, {1, 1}}), 20);
  const std::vector<std::int32_t> owners(vertices.size(), 0);
  SeedOrder order = SeedOrder::global(batches.seeds, 0, 1, vertices, owners);
  const SampledGraph graph(CsrRows(large().arcs));
  NeighbourSampler sampler(graph, batches.neighbours);
  std::vector<BatchWork> drawn;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    order.begin(static_cast<std::uint32_t>(epoch));
    for (Index t = 0; t < order.iterations(); ++t) {
      std::vector<std::int64_t> dealt;
      hyscale::dealSeeds(mapping, node.platform.cards, std::ssize(order.seeds(t)), dealt);
      std::vector<Blocks> parts(dealt.size());
      std::size_t begin = 0;
      for (std::size_t i = 0; i < dealt.size(); ++i) {
        sampler.sample(order.seeds(t).subspan(begin, at(dealt[i])),
                       {run.training.seed, static_cast<std::uint64_t>(epoch * order.iterations() + t)},
                       parts[i]);
        begin += at(dealt[i]);
      }
      drawn.push_back(batchWork(node.platform, work, mapping,
                                [&](double, int trainer) { return sizeOf(parts[at(trainer)]); }));
    }
  }
  const Index lag = iterationsAhead(node.prefetch), load = lag == 0 ? 0 : 1, transfer = lag == 3 ? 2 : load;
  std::vector<std::int64_t> ns;
  for (Index batch = 0; batch < std::ssize(drawn); ++batch) {
    const auto workAhead = [&](Index ahead) -> const BatchWork* {
      return batch + ahead < std::ssize(drawn) ? &drawn[at(batch + ahead)] : nullptr;
    };
    const InIteration stages{workAhead(lag), workAhead(lag - load), workAhead(lag - transfer), workAhead(0)};
    ns.push_back(std::llround(
        race(lanesOf(node.platform, work, mapping, node.prefetch, stages), node.platform).seconds * 1e9));
  }
  return ns;
}

}  // namespace

TEST_CASE("a virtual clock shows the race of the drawn blocks", "[hyscale]") {
  if (worldSize() > 1) return;
  constexpr int kEpochs = 3;
  for (const std::string prefetch : {"none", "one", "two"}) {
    CAPTURE(prefetch);
    RunSettings run = settings(prefetch, false);
    run.training.epochs = kEpochs;
    Training training(run, kEpochs);
    const std::vector<std::int64_t> expected = racedNs(run, kEpochs);
    REQUIRE(training.listener.all.size() == expected.size());
    std::int64_t end = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Iteration& iteration = training.listener.all[i].iteration;
      CHECK(iteration.modelledNs == expected[i]);
      CHECK(iteration.endNs - iteration.beginNs == expected[i]);
      if (i > 0) CHECK(iteration.beginNs == end);  // nothing else takes time, not even an epoch's end
      end = iteration.endNs;
    }
    const std::optional<EpochClock> epoch = training.one.method->modelledEpoch();
    REQUIRE(epoch.has_value());
    CHECK(epoch->endNs == end);
  }
}

TEST_CASE("every actor has a row of each batch and stage, in order and as planned", "[hyscale]") {
  if (worldSize() > 1) return;
  for (const std::string prefetch : {"none", "one", "two"}) {
    CAPTURE(prefetch);
    Training training(settings(prefetch, true), 6);
    const std::vector<ActorRow> actors = training.one.method->actors();
    CHECK(actors.size() == 9);  // runtime, sampler, loader, two links, three trainers, synchroniser
    for (std::size_t a = 0; a < actors.size(); ++a) CHECK(actors[a].actor == static_cast<std::int64_t>(a));
    CHECK(actors[4].name == "card 1: transfer");
    CHECK(actors[5].name == "processors: train");
    CHECK(actors[7].name == "card 1: train");
    std::size_t spans = 0, stages = 0;
    for (const Kept& record : training.listener.all) {
      std::map<std::pair<BatchStage, std::int64_t>, int> times;
      for (const StageRow& row : record.stages) {
        ++times[{row.stage, row.actor}];
        CHECK(row.epoch == record.iteration.epoch);
        CHECK(row.iteration == record.iteration.number);
        CHECK(row.plannedEndNs == row.beginNs + row.busyNs);
        CHECK(row.beginNs + row.busyNs <= record.iteration.endNs);
        CHECK(std::abs(*row.plannedNs - row.busyNs) <= 1);
        CHECK(row.predictedNs.has_value());
      }
      CHECK(times.size() == 8);
      CHECK(std::ranges::all_of(times, [](const auto& entry) { return entry.second == 1; }));
      spans += record.spans;
      stages += record.stages.size();
    }
    CHECK(spans >= stages);  // of the batches under way, too
    const std::vector<DecisionRow>& first = training.listener.all.front().decisions;
    REQUIRE(first.size() == 1);
    CHECK(first.front().action == MappingAction::start);
    CHECK(first.front().cpuSeeds == 9);
    CHECK(first.front().cardSeeds == 6);
  }
}

TEST_CASE("what is decided keeps the seeds of a batch and the threads of the platform", "[hyscale]") {
  if (worldSize() > 1) return;
  RunSettings run = settings("two", true);
  run.parameters["window"] = std::int64_t{1};
  Training training(run, 30);
  std::map<std::int64_t, DecisionRow> decisions;
  for (const Kept& record : training.listener.all)
    for (const DecisionRow& row : record.decisions) decisions[row.decision] = row;
  CHECK(decisions.size() > 3);
  std::int64_t number = 0;
  for (const auto& [key, row] : decisions) {
    CHECK(key == number++);
    CHECK(row.sampleThreads + row.loadThreads + row.trainThreads == 128);
    const std::int64_t over = row.cpuSeeds + 2 * row.cardSeeds - 20;
    CHECK((over >= 0 && over < 2));
    if (row.outcome == DecisionOutcome::kept && key > 0)
      CHECK(static_cast<double>(*row.afterNs) <= 0.99 * static_cast<double>(*row.beforeNs) + 1);
  }
  const std::map<std::string, double> metrics = training.one.method->metrics();
  CHECK(metrics.at("decisions") <= static_cast<double>(decisions.size()));
  CHECK(metrics.at("cpu_share") > 0);
  CHECK(metrics.at("prefetch_hidden_share") > 0.5);
}

TEST_CASE("real time and this machine's own devices change no bit", "[hyscale]") {
  if (worldSize() > 1) return;
  constexpr int kEpochs = 2;
  for (const std::string prefetch : {"none", "one", "two"})
    for (const bool dropLast : {false, true}) {
      CAPTURE(prefetch, dropLast);
      RunSettings run = with(settings(prefetch, false), "drop_last", dropLast);
      const std::vector<double> expected = Training(run, kEpochs).losses;
      run = with(run, "clock", std::string("real"));
      Training real(run, kEpochs);
      CHECK(real.losses == expected);
      CHECK(std::stod(real.one.method->findings().at("result.dilation")) >= 1);
      CHECK(std::ranges::count(real.one.method->marks(), "modelled devices") == 1);
      for (const Kept& record : real.listener.all) {
        CHECK(record.stages.size() == 8);
        CHECK(record.iteration.modelledNs.has_value());
      }
      run = with(run, "device", std::string("host"));
      Training host(run, kEpochs);
      CHECK(host.losses == expected);
      CHECK(host.one.method->marks().empty());
      CHECK(host.one.method->findings().count("result.dilation") == 0);
      for (const Kept& record : host.listener.all) {
        CHECK(record.stages.size() == 8);
        CHECK_FALSE(record.iteration.modelledNs.has_value());
        for (const StageRow& row : record.stages) CHECK_FALSE(row.plannedNs.has_value());
      }
    }
}

TEST_CASE("on this machine's own devices sampling takes what drawing takes", "[hyscale]") {
  if (worldSize() > 1) return;
  const std::string prefetch = GENERATE("none", "one", "two");
  RunSettings run = with(settings(prefetch, false), "clock", std::string("real"));
  Training host(with(run, "device", std::string("host")), 1);
  std::int64_t sampledNs = 0, drawnNs = 0;
  for (const Kept& record : host.listener.all)
    for (const StageRow& row : record.stages)
      if (row.stage == BatchStage::sample) sampledNs += row.busyNs;
  for (const BlockRow& block : host.one.method->batchSums().blocks) drawnNs += block.sampleCpuNs;
  CHECK(drawnNs > 0);
  CHECK(sampledNs >= drawnNs);
}

TEST_CASE("a dilation that this machine cannot keep up with is refused by the task that needs more",
          "[hyscale]") {
  if (worldSize() > 1) return;
  RunSettings run = with(with(settings("two", false), "clock", std::string("real")), "dilation", 1.0);
  CHECK_THROWS_WITH(Training(run, 1),
                    Catch::StartsWith("run.dilation: 1 cannot be used; '") &&
                        Catch::Contains("times its modelled time on this machine; at least "));
}

namespace {

struct StageNs {
  double sample = 0, load = 0, transfer = 0, propagate = 0;

  double sum() const { return sample + load + transfer + propagate; }
  double longest() const { return std::max({sample, load, transfer, propagate}); }
  /// What prefetching leaves of them.
  double iteration(const std::string& prefetch) const {
    if (prefetch == "none") return sum();
    return prefetch == "one" ? std::max({sample, load + transfer, propagate}) : longest();
  }
};

/// From when the first actor begins to when the last ends.
double stageNs(const Kept& record, BatchStage from, BatchStage to) {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
  for (const StageRow& row : record.stages) {
    if (row.busyNs == 0) continue;
    if (row.stage == from) begin = std::min(begin, row.beginNs);
    if (row.stage == to) end = std::max(end, row.beginNs + row.busyNs);
  }
  return static_cast<double>(end - begin);
}

/// Of every iteration in which all stages work, each on a batch of its own.
std::vector<StageNs> stagesOf(const std::vector<Kept>& batches, const std::string& prefetch) {
  const std::size_t lag = prefetch == "none" ? 0 : prefetch == "one" ? 2 : 3;
  const std::size_t load = lag == 0 ? 0 : lag - 1, transfer = prefetch == "two" ? 1 : load;
  const auto ns = [&](std::size_t batch, BatchStage stage) { return stageNs(batches[batch], stage, stage); };
  std::vector<StageNs> all;
  for (std::size_t t = 0; t + lag < batches.size(); ++t)
    all.push_back({ns(t + lag, BatchStage::sample), ns(t + load, BatchStage::load),
                   ns(t + transfer, BatchStage::transfer),
                   stageNs(batches[t], BatchStage::propagate, BatchStage::synchronise)});
  return all;
}

}  // namespace

TEST_CASE("on the virtual clock prefetching hides what its closed form says: two stages all that can be",
          "[hyscale]") {
  if (worldSize() > 1) return;
  constexpr double kWholeNs = 1e-3;  // recorded times are in whole ns
  const Scratch scratch;
  // as shipped, and where no launch of a card is longer than all that is loaded and transferred
  for (const std::string& platform : {std::string("hyscale-u250"), platformWithoutLaunches(scratch / "")})
    for (const std::string prefetch : {"none", "one", "two"}) {
      CAPTURE(platform, prefetch);
      RunSettings run = with(settings(prefetch, false), "platform", platform);
      run.training.epochs = 3;
      Training training(run, 3);
      std::vector<double> shares;
      for (const StageNs& stages : stagesOf(training.listener.all, prefetch))
        shares.push_back((stages.sum() - stages.iteration(prefetch)) / (stages.sum() - stages.longest()));
      REQUIRE_FALSE(shares.empty());
      const double hidden = training.one.method->metrics().at("prefetch_hidden_share");
      CHECK(hidden == Approx(median(shares)).margin(kWholeNs));
      if (prefetch == "none") CHECK(hidden == Approx(0).margin(kWholeNs));
      if (prefetch == "two") CHECK(hidden >= 0.9);
    }
}
