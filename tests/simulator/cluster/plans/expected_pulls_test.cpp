// Plans of mini-batches for more workers than are drawn, and of vertex sets that all workers draw.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/index.h"
#include "engine/methods/laws/volume.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/cycle.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/plans/plan_choice.h"
#include "simulator/cluster/plans/pulled_plan.h"
#include "simulator/cluster/plans/spread_traffic.h"
#include "simulator/cluster/plans/stand_ins.h"
#include "tests/simulator/cluster/plan_fixture.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

constexpr std::int64_t kElement = sizeof(Scalar);

/// Of 6000 vertices, half of which train.
struct Large {
  Csr arcs = symmetrised(buildCsr(6000, test::randomArcs(6000, 30'000, 7), /*keepSelfLoops=*/false));
  Csr propagation = propagationMatrix(arcs, find<LayerEntry>("graphsage")->propagation);
  std::vector<Split> split;
  RunSettings run;

  explicit Large(const std::string& method) : run(runOf(method, "graphsage", /*layers=*/2)) {
    for (Index v = 0; v < arcs.rows(); ++v) split.push_back(v % 2 == 0 ? Split::train : Split::test);
    const auto set = [&](const char* key, const Value& value) {
      if (run.parameters.contains(key)) run.parameters[key] = value;
    };
    set("batch", std::int64_t{5});
    set("fanouts", std::string("4,3"));
    if (method == "p2p-minibatch") set("budget", std::int64_t{2500});
  }
  PlanRequest request(int ranks, std::int64_t draws) const {
    PlanRequest request{arcs,
                        propagation,
                        run,
                        {40, 32, 8},
                        ranks,
                        1,
                        [this](int parts) {
                          return scattered(arcs.rows(), parts); }};
    request.split = split;
    request.draws = draws;
    return request;
  }
};

/// Sent in a layer and pass by all ranks.
std::int64_t bytesIn(const Plan& plan, int layer, Pass pass) {
  std::int64_t bytes = 0;
  for (const Step& step : plan.steps)
    if (const Traffic* traffic = plan.onLink(step);
        traffic != nullptr && step.layer == layer && step.pass == pass)
      bytes += traffic->outBytes.total(plan.ranks);
  return bytes;
}

}  // namespace

TEST_CASE("drawn workers that stand for more send what those send, counted", "[cluster][plan]") {
  constexpr int kRanks = 200;
  for (const std::string method : {"minibatch", "distdglv2", "p3", "pagraph", "p2p-minibatch"}) {
    CAPTURE(method);
    const Large large(method);
    const Plan expected = expectedPulls(large.request(kRanks, 1)).turns.front().plan,
               counted = pulledCycle(large.request(kRanks, 1)).turns.front().plan;
    CHECK(expected.ranks == kRanks);
    CHECK(expected.origin == PlanOrigin::expected);
    const auto close = [](std::int64_t value) { return Approx(static_cast<double>(value)).epsilon(0.05); };
    CHECK(static_cast<double>(expected.bytesSent()) == close(counted.bytesSent()));
    CHECK(static_cast<double>(expected.messagesSent()) == close(counted.messagesSent()));
    for (const int layer : {0, 1})
      for (const Pass pass : {Pass::none, Pass::forward, Pass::backward})
        CHECK(static_cast<double>(bytesIn(expected, layer, pass)) == close(bytesIn(counted, layer, pass)));
    REQUIRE(expected.steps.size() == counted.steps.size());
    std::int64_t flop = 0, countedFlop = 0;
    for (std::size_t i = 0; i < expected.steps.size(); ++i) {
      flop += expected.steps[i].flop.total(kRanks);
      countedFlop += counted.steps[i].flop.total(kRanks);
    }
    CHECK(static_cast<double>(flop) == close(countedFlop));
  }
}

TEST_CASE("two thousand workers pull all but their own share of what their seeds read", "[cluster][plan]") {
  constexpr int kRanks = 2000;
  const Large large("minibatch");
  CHECK(chosenPlan(large.run, /*atHand=*/true, kRanks) == PlanSource::expected);
  CHECK(planProblems(large.run, PlanSource::expected, /*atHand=*/true, kRanks).empty());
  const PlanCycle cycle = expectedPulls(large.request(kRanks, 4));
  CHECK(cycle.iterations == 1);  // one or two training vertices each
  constexpr std::int64_t kRow = 40 * kElement;
  for (const PlanTurn& turn : cycle.turns) {
    std::int64_t rows = 0, seeds = 0;  // of features, all put in their place; of outputs, 32 wide before
    for (const Step& step : turn.plan.steps) {
      if (step.pass != Pass::forward) continue;
      if (step.op == Op::pack && step.layer == 0) rows = step.bytes.total(kRanks) / kRow;  // the last such
      if (step.op == Op::sparse && step.layer == 1) seeds = step.rowElements.total(kRanks) / 32;
    }
    CHECK(seeds == 3000);  // all that train
    // a worker owns its seeds for certain, and other vertices with the probability 1 / P
    const auto others = static_cast<double>(rows - seeds);
    // of these a 64th is a drawn worker's own: a Poisson number, which may be four deviations off
    const double drawn = others * kDrawnRanks / kRanks, tolerance = 4 / std::sqrt(drawn * kDrawnRanks);
    CHECK(tolerance < 0.03);
    CHECK(static_cast<double>(bytesIn(turn.plan, 0, Pass::forward)) ==
          Approx((1 - 1.0 / kRanks) * others * kRow).epsilon(tolerance));
    CHECK(simulateBulk(turn.plan, plainMachine(), {}).epochNs > 0);
  }
}

TEST_CASE("seeds of all iterations of many workers are all training vertices", "[cluster][plan]") {
  struct Case {
    int ranks;
    std::int64_t batch, globalBatch;
    const char* seeds;
    std::int64_t iterations;
  };
  constexpr int kTrained = 3000;
  // the largest ⌈own / batch⌉ of a worker, or ⌈3000 / global batch⌉
  for (const auto& [ranks, batch, globalBatch, seeds, iterations] :
       {Case{2000, 5, 0, "own", 1}, Case{2000, 1, 0, "own", 2}, Case{1999, 1, 0, "own", 2},
        Case{1100, 2, 0, "own", 2}, Case{65, 20, 0, "own", 3}, Case{1025, 0, 1500, "own", 3},
        Case{700, 0, 1000, "own", 4}, Case{4000, 1, 0, "own", 1}, Case{2000, 0, 1000, "global", 3},
        Case{300, 2, 0, "global", 5}})
    for (const std::string method : {"minibatch", "distdglv2", "p3", "pagraph"}) {
      CAPTURE(method, ranks, batch, globalBatch, seeds);
      Large large(method);
      large.run.parameters["batch"] = batch;
      large.run.parameters["global_batch"] = globalBatch;
      large.run.parameters["seeds"] = std::string(seeds);
      const PlanCycle cycle = expectedPulls(large.request(ranks, 10));
      CHECK(cycle.iterations == iterations);
      REQUIRE(cycle.drawn == iterations);
      // the first batch of an epoch of distdglv2 is pulled unlike the others, so that there are two turns of
      // each
      const std::int64_t turnsEach = method == "distdglv2" && iterations > 1 ? 2 : 1;
      REQUIRE(std::ssize(cycle.turns) == turnsEach * iterations);
      std::int64_t sum = 0;
      for (const PlanTurn& turn : cycle.turns)
        for (const Step& step : turn.plan.steps)
          if (step.op == Op::sparse && step.pass == Pass::forward && step.layer == 1)
            sum += step.rowElements.total(ranks) / 32;
      CHECK(sum == turnsEach * kTrained);
      CHECK(cycle.first().rows.total(ranks) == large.arcs.rows());
    }
}

TEST_CASE("drawn workers stand for those with as much to train on", "[cluster][plan]") {
  for (const int ranks : {4, 5, 7, 64, 1000})
    for (const int first : {0, 1, ranks / 2, ranks - 1})
      for (const int second : {first, ranks - 1}) {
        CAPTURE(ranks, first, second);
        const StandIns standIns = StandIns::forKinds(4, ranks, std::array{first, second});
        REQUIRE(std::ssize(standIns.ofRank) == ranks);
        REQUIRE(standIns.rankOf.size() == 4);
        CHECK(std::ranges::is_sorted(standIns.rankOf));
        std::vector<int> places(4, 0);
        const auto kindOf = [&](int rank) { return (rank >= first) + (rank >= second); };
        for (int rank = 0; rank < ranks; ++rank) {
          const int drawn = standIns.ofRank[at(rank)];
          ++places[at(drawn)];
          CHECK(kindOf(standIns.rankOf[at(drawn)]) == kindOf(rank));
        }
        CHECK(std::ranges::all_of(places, [](int each) { return each > 0; }));
      }
  // a part without a training vertex gets those that others leave
  const StandIns standIns = StandIns::forKinds(2, 3, std::array{1});
  Owners owners = {0, 0, 0, 0, 1};
  const std::vector<Split> split = {Split::train, Split::train, Split::train, Split::train, Split::test};
  const std::vector<Split> kept = dealtSplit(split, standIns, 1, owners);
  CHECK(std::ranges::count(kept, Split::train) == 3);  // 2 + 1 of 2 + 1 + 1
  std::array<int, 2> trained{};
  for (std::size_t v = 0; v < kept.size(); ++v)
    if (kept[v] == Split::train) ++trained[at(owners[v])];
  CHECK(trained == std::array{2, 1});
  CHECK(kept.back() == Split::test);
}

TEST_CASE("of vertices owned by chance all but seeds are remote with the probability 1 - 1/P",
          "[cluster][plan]") {
  // Counted, over a whole epoch. A vertex is read some eight times, always of the same owner: so a
  // deviation is that of eight at once, and the seeds are eight deviations.
  const Large large("minibatch");
  for (const int ranks : {2, 5}) {
    CAPTURE(ranks);
    const PlanRequest request = large.request(ranks, 1'000'000);
    const Owners owners = scattered(large.arcs.rows(), ranks);
    const int used = *std::ranges::max_element(owners) + 1;  // one of five owns nothing
    const DrawnEpoch epoch = find<MethodEntry>("minibatch")
                                 ->draw({large.arcs, owners, ranks, large.split, large.run, 1, 1'000'000});
    REQUIRE(std::ssize(epoch.drawn) == epoch.iterations);
    const PlanCycle cycle = pulledCycle(request);
    double remote = 0, read = 0, seeds = 0;
    for (std::size_t t = 0; t < cycle.turns.size(); ++t) {
      remote += static_cast<double>(bytesIn(cycle.turns[t].plan, 0, Pass::forward)) / (40 * kElement);
      for (int rank = 0; rank < ranks; ++rank) {
        read += static_cast<double>(epoch.drawn[t].vertices.front()[at(rank)]);
        seeds += static_cast<double>(epoch.drawn[t].vertices.back()[at(rank)]);
      }
    }
    CHECK(seeds == 3000);
    const double share = 1 - 1.0 / used, others = read - seeds;
    const double sigma = std::sqrt(share * (1 - share) * others * (1 + others / 6000));
    CHECK(std::abs(remote - share * others) < 4 * sigma);
    CHECK(std::abs(remote - share * read) > 4 * sigma);
  }
}

TEST_CASE("what is spread over more workers grows by its kind", "[cluster][plan]") {
  // each sends all others the same: so it does more of them
  std::vector<Flow> alike, rows;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (i != j) alike.push_back({i, j, 1, 8 + i});
  const Traffic headers = spreadTraffic(alike, StandIns::forKinds(4, 10, {}));
  CHECK(headers.outBytes[5] == 9 * (8 + 5 % 4));
  CHECK(headers.outMessages[9] == 9);
  CHECK(headers.inMessages.total(10) == headers.outMessages.total(10));
  CHECK(headers.inBytes.total(10) == headers.outBytes.total(10));
  // rows of others: ten a pair, of 100 bytes; hardly a pair of 1000 workers has any
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      if (i != j) rows.push_back({i, j, 1, 100 * (10 + (i + 2 * j) % 3 - 1)});
  const Traffic spread = spreadTraffic(rows, StandIns::forKinds(4, 1000, {}));
  const Traffic few = spreadTraffic(rows, StandIns::forKinds(4, 4, {}));
  CHECK(static_cast<double>(spread.outBytes.total(1000)) / 1000 ==
        Approx((1 - 0.001) / 0.75 * static_cast<double>(few.outBytes.total(4)) / 4).epsilon(1e-3));
  const double read = static_cast<double>(few.outBytes.total(4)) / 4 / 100 / 0.75;  // rows of a batch
  CHECK(static_cast<double>(spread.outMessages.total(1000)) / 1000 ==
        Approx(999 * (1 - std::exp(-read / 1000))).epsilon(0.05));
}

TEST_CASE("sets that all workers draw send and compute what their numbers say", "[cluster][plan]") {
  const MethodEntry& entry = *find<MethodEntry>("p2p-minibatch");
  for (const std::string sampler : {"uniform", "saint-node"})
    for (const std::string kind : {"gcn", "graphsage"})
      for (const int ranks : {1, 3}) {
        CAPTURE(sampler, kind, ranks);
        RunSettings run = runOf("p2p-minibatch", kind, /*layers=*/2);
        run.parameters["sampler"] = sampler;
        run.parameters["budget"] = std::int64_t{12};
        const Sample sample(run);
        const bool uniform = sampler == "uniform";  // some of whose sets have no training vertex
        std::vector<Split> split(at(sample.set.vertices()), Split::test);
        for (std::size_t v = 0; v < split.size(); v += uniform ? 30 : 5) split[v] = Split::train;
        PlanRequest request = sample.request(ranks, 1);
        request.split = split;
        request.draws = 1000;
        const PlanCycle cycle = pulledCycle(request);
        const Owners owners = ranks == 1 ? Owners(split.size(), 0) : scattered(sample.set.vertices(), ranks);
        const DrawnEpoch epoch =
            entry.draw({sample.set.arcs, owners, ranks, split, sample.run, 1, 1000, sample.widths.front()});
        REQUIRE(cycle.turns.size() == epoch.drawn.size());
        CHECK(cycle.iterations == epoch.iterations);
        const ModelShape shape = shapeFor(entry, sample.run, sample.widths);
        const std::vector<std::int64_t>& f = sample.widths;
        int idle = 0;
        std::vector<std::int64_t> besides(at(ranks), -1);  // bytes of memory beside a batch's, by rank
        for (std::size_t t = 0; t < cycle.turns.size(); ++t) {
          CAPTURE(t);
          const DrawnIteration& drawn = epoch.drawn[t];
          const Plan& plan = cycle.turns[t].plan;
          VolumeRequest volume = volumeRequest(shape, sample.run, ranks, 1);
          volume.decided = drawn.decided;
          std::int64_t bytes = 0, messages = 0, elements = 0, flop = 0;
          for (const PredictedVolume& flow : predictVolume(entry, volume)) {
            bytes += flow.bytes;
            messages += flow.messages;
          }
          CHECK(plan.bytesSent() == bytes);
          CHECK(plan.messagesSent() == messages);
          idle += drawn.decided.back().front().front() == 0 ? 1 : 0;
          for (int rank = 0; rank < ranks; ++rank) {
            std::int64_t held = kElement * drawn.vertices.front()[at(rank)] * f.front();
            for (std::size_t l = 1; l < f.size(); ++l) {
              // rows of others arrive anew in every layer: a rank computes its own members alone
              const std::int64_t targets = drawn.vertices.back()[at(rank)];
              const std::int64_t nonzeros = drawn.arcs[l - 1][at(rank)] + (kind == "gcn" ? targets : 0);
              elements += nonzeros * (f[l - 1] + f[l]);
              flop += 2 * (kind == "graphsage" ? 2 : 1) * targets * f[l - 1] * f[l] * (l >= 2 ? 3 : 2);
              held +=
                  kElement * targets * (f[l - 1] + 2 * f[l]) + 8 * (drawn.arcs[l - 1][at(rank)] + targets);
            }
            const std::int64_t rest = plan.memoryBytes[rank] - held;
            if (t == 0) besides[at(rank)] = rest;
            CHECK(rest > 0);
            CHECK(rest == besides[at(rank)]);
          }
          for (const Step& step : plan.steps) {
            elements -= step.entryElements.total(ranks);
            flop -= step.flop.total(ranks);
          }
          CHECK(elements == 0);
          CHECK(flop == 0);
        }
        CHECK((idle > 0 || !uniform));
        CHECK(static_cast<int>(cycle.turns.size()) > idle);
        for (const Engine& engine : {Engine(simulateBulk), Engine(simulateEvents)})
          CHECK(simulateCycle(cycle, plainMachine(), engine).epochNs > 0);
      }
}

TEST_CASE("batches are expected of a graph that is at hand, and sets of so many workers", "[cluster][plan]") {
  const RunSettings batches = Large("minibatch").run, sets = Large("p2p-minibatch").run;
  const auto messageOf = [](const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& problem : problems) text += problem.key + ": " + problem.message + "\n";
    return text;
  };
  CHECK(messageOf(planProblems(batches, PlanSource::expected, /*atHand=*/false, 8))
            .starts_with("simulate.plan: 'expected' is not defined for minibatch"));
  CHECK(messageOf(planProblems(batches, PlanSource::summed, true, 8))
            .starts_with("simulate.workers: 8 cannot"));
  CHECK(messageOf(planProblems(batches, PlanSource::fitted, true, 200))
            .starts_with("simulate.plan: 'fitted' is not defined for minibatch"));
  CHECK(planProblems(sets, PlanSource::expected, true, kMostSetRanks).empty());
  CHECK(messageOf(planProblems(sets, PlanSource::expected, true, kMostSetRanks + 1)) ==
        "simulate.workers: 4097 cannot be used: rows of a set are counted pair by pair; at most 4096\n");
}

}  // namespace halo::cluster
