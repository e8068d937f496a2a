// What HyScale's text says of its platform (VI-D, VI-F), on the platform of its
// Table II as it ships, and where that does not hold: why, and under which readings it comes nearest.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "simulator/hybrid/hybrid_node.h"
#include "tests/engine/hybrid/batches_fixture.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::hybridtest;

namespace {

using Figures = std::map<std::string, Value>;

HybridResult run(const HybridPlatform& platform, const HybridWork& work, const BatchSizes& sizes,
                 HybridMode mode) {
  return simulateHybrid({platform, work, sizes, 1024 * (platform.cards + 1), mode, 200});
}

/// 1024 seeds a trainer.
HybridMapping even(std::int64_t cards) { return {1024 * (cards + 1), 1024, 40, 40, 48, 0}; }

/// A trainer's stages for 1024 seeds, each with all threads and all of host memory to itself; seconds.
struct Alone {
  double load, transfer, trainCpu, trainCard;
};
Alone alone(const HybridPlatform& platform, const HybridWork& work, const BatchSizes& sizes) {
  const TrainerLoad of = loadOf(sizes.mean(1024), work, platform);
  const double host = platform.hostMemoryGbps() * 1e9;
  return {of.featureBytes / host, of.transferBytes / (platform.pcieGbps * 1e9),
          of.gatheredBytes / host + of.macs / (platform.cpuGmacs * 1e9), of.cardSeconds};
}

/// Iterations with one mode over those with both stages prefetched.
double gainOver(HybridMode mode, const HybridPlatform& platform, const HybridWork& work,
                const BatchSizes& sizes) {
  return run(platform, work, sizes, mode).steadySeconds /
         run(platform, work, sizes, HybridMode::twoStage).steadySeconds;
}

/// Seeds a second on 16 cards over those on one.
double scaling(const HyScaleSet& set, Figures figures = {}) {
  const auto seeds = [&](std::int64_t cards) {
    figures["cards"] = cards;
    const HybridResult result =
        run(platformNamed("hyscale-u250", figures), set.work, set.sizes(), HybridMode::twoStage);
    return static_cast<double>(1024 * (cards + 1)) / result.steadySeconds;
  };
  return seeds(16) / seeds(1);
}

}  // namespace

TEST_CASE("the second prefetch stage gains nothing where propagation dominates", "[hybrid]") {
  // slow kernels: everything else fits beside them
  const HybridPlatform platform =
      platformNamed("hyscale-u250", {{"card_gmacs", 60.0}, {"cpu_gmacs", 200.0}, {"pcie_gbps", 32.0}});
  HybridWork work = kPapers;
  work.concatenates = true;
  CHECK(run(platform, work, papers(), HybridMode::oneStage).steady.longest() == "propagate");
  CHECK(gainOver(HybridMode::oneStage, platform, work, papers()) == Approx(1).margin(0.05));
  // and gains where it does not
  CHECK(gainOver(HybridMode::oneStage, platformNamed("hyscale-u250", {{"pcie_gbps", 6.0}}), kMag, papers()) >
        1.1);
}

TEST_CASE("on HyScale's Table II propagation does not dominate SAGE on papers100M, so that prefetching gains",
          "[hybrid][golden]") {
  // "The TFP optimization does not provide speedup" for it (VI-F). Features of a mini-batch cross PCIe once
  // at 16 GB/s and are read by the kernel twice at 77: transfer is 77 / (2 · 16) = 2.4 times as long as what
  // the kernel's memory takes, whatever the graph, and its sums are no longer than that.
  const HyScaleSet set = hyScaleSets()[4];
  REQUIRE(set.name == std::string("SAGE on papers100M"));
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const Alone of = alone(platform, set.work, set.sizes());
  CHECK(of.transfer / of.trainCard == Approx(2.2).margin(0.05));
  CHECK(run(platform, set.work, set.sizes(), HybridMode::baseline).steady.longest() == "transfer");
  // Seeds of the processors are not transferred, but loaded: with all threads and all of host memory for
  // either, loading takes a quarter of training. So where propagation is the longest stage, what prefetching
  // hides is at least a quarter of it, however seeds are shared out.
  const double least = std::min(of.load / of.trainCpu, (of.load + of.transfer) / of.trainCard);
  CHECK(least == Approx(0.26).margin(0.01));
  const double both = gainOver(HybridMode::managed, platform, set.work, set.sizes());
  CHECK(both > 1 + least);
  CHECK(both == Approx(3.08).margin(0.03));  // of both stages; of the second
  CHECK(gainOver(HybridMode::oneStage, platform, set.work, set.sizes()) == Approx(1.35).margin(0.03));
}

TEST_CASE("prefetching gains SAGE on papers100M least where Table II's FLOP are halves of multiply-adds",
          "[hybrid][golden]") {
  // The readings that come nearest: the board's 0.6 TFLOPS counted as the processors' 3.6 are, two a
  // multiply-add (Table IV's 2048 units at 300 MHz are 0.6 counting one); HP-GNN's mini-batches, whose second
  // layer has more vertices for its inputs than our replicas'; and equation 7, whose loading only memory
  // bounds: threads, for which the paper has no figures, bound nothing.
  const HybridPlatform platform = platformNamed("hyscale-u250", {{"card_gmacs", 0.6 / 2 * 1e3},
                                                                 {"thread_gbps", 100.0},
                                                                 {"thread_sample_medges", 1000.0},
                                                                 {"sample_bytes_per_edge", 0.0}});
  const BatchSizes sizes = publishedSizes();
  std::map<std::string, double> gain;
  for (const HyScaleSet& set : hyScaleSets()) {
    CAPTURE(set.name);
    // GraphSAGE is bound by propagation, GCN by PCIe (VI-D says so of products)
    const Alone of = alone(platform, set.work, sizes);
    CHECK((of.trainCard > of.transfer) == set.sage());
    CHECK((predictStages(platform, set.work, sizes, even(4), Prefetch::twoStage).longest() == "propagate") ==
          set.sage());
    gain[set.name] = gainOver(HybridMode::oneStage, platform, set.work, sizes);
  }
  const double ours = gain["SAGE on papers100M"];
  CAPTURE(ours);
  CHECK(ours == Approx(1.11).margin(0.01));
  for (const auto& [name, other] : gain) {
    CAPTURE(name, other);
    CHECK(ours <= other);
    if (name.starts_with("GCN")) CHECK(other > 1.2);
  }
  // over no prefetching at all it still gains: processors load what they train
  CHECK(gainOver(HybridMode::managed, platform, hyScaleSets()[4].work, sizes) > 1.5);
}

TEST_CASE("where PCIe binds from the start the manager moves work to the processors", "[hybrid]") {
  for (const std::int64_t cards : {1, 4}) {
    CAPTURE(cards);
    const HybridPlatform platform = platformNamed("hyscale-u250", {{"cards", cards}});
    CHECK(predictStages(platform, kProducts, products(), even(cards), Prefetch::twoStage).longest() ==
          "transfer");
    const HybridResult result = simulateHybrid(
        {platform, kProducts, products(), 1024 * (cards + 1), HybridMode::twoStage, 300, 5, 1, even(cards)});
    CHECK(result.iterations[5].times.longest() == "transfer");
    CHECK(result.mapping.cpuSeeds > 1.2 * 1024);
    CHECK(result.steadySeconds < 0.9 * result.iterations[5].seconds);
  }
}

TEST_CASE("GCN on products scales less than GraphSAGE, and as GCN on the other graphs", "[hybrid][golden]") {
  // VI-D: GCN on products scales less than the other sets, because PCIe binds it and the processors get the
  // work. With c and a the seeds a second of the processors and of one card, 16 cards over one are about
  // (c + 16 a) / (c + a): more where processors and one card do not reach c + a together. Here PCIe binds all
  // six (77 / (2 · 16), above), so that it is c that differs: sums of GCN are half of GraphSAGE's. That the
  // other graphs' GCN scales better does not follow from Table II.
  std::map<std::string, double> of;
  for (const HyScaleSet& set : hyScaleSets()) {
    CAPTURE(set.name);
    const HybridPlatform platform = platformNamed("hyscale-u250");
    const Alone rates = alone(platform, set.work, set.sizes());
    CHECK(rates.transfer > 1.5 * rates.trainCard);
    const double more = rates.transfer / rates.trainCpu;  // c / a
    const double closed = (more + 16) / (more + 1);
    of[set.name] = scaling(set);
    CAPTURE(more, closed, of[set.name]);
    CHECK(closed < 0.2 * 16);
    CHECK(of[set.name] == Approx(closed).epsilon(0.15));
  }
  const double ours = of["GCN on products"];
  for (const auto& [name, other] : of) {
    CAPTURE(ours, name, other);
    if (name.starts_with("SAGE"))
      CHECK(ours < other);
    else
      CHECK(other == Approx(ours).epsilon(0.06));
  }
  // the slower the link, the less; a link twice as fast, the more
  const HyScaleSet set = hyScaleSets()[0];
  const double slow = scaling(set, {{"pcie_gbps", 4.0}}), fast = scaling(set, {{"pcie_gbps", 32.0}});
  CAPTURE(slow, fast);
  CHECK(slow < 0.7 * ours);
  CHECK(fast > ours);
}

namespace {

/// The most seeds a second: each takes its share of the cards' links, or of the processors, and all of host
/// memory. With F bytes of features a seed and G gathered where the processors train it, cards train x seeds
/// of at most q BW_pcie / F, processors y, and (copies F + [factor 3] F) x + (copies F + G) y fit into the
/// memory beside the sampling of both.
double mostSeeds(const HybridPlatform& platform, const HybridWork& work, const BatchSizes& sizes) {
  const BatchSize size = sizes.mean(1024);
  const TrainerLoad load = loadOf(size, work, platform);
  const double features = load.featureBytes / 1024, gathered = load.gatheredBytes / 1024;
  const double sampled = size.sampled() / 1024 * platform.sampleBytesPerEdge;
  const double loaded = features * std::min(work.hostTrafficFactor, 2) + sampled;
  const double ofCard = loaded + (work.hostTrafficFactor == 3 ? features : 0), ofCpu = loaded + gathered;
  const double host = platform.hostMemoryGbps() * 1e9;
  const double x = std::min(platform.cards * platform.pcieGbps * 1e9 / features, host / ofCard);
  return x + (host - x * ofCard) / ofCpu;
}

}  // namespace

TEST_CASE("more cards never train less, however loading is counted, and near what memory and links allow",
          "[hybrid][golden]") {
  const auto [factor, sockets] = GENERATE(values<std::pair<int, std::int64_t>>({{1, 1}, {2, 2}, {3, 2}}));
  HybridWork work = kPapers;
  work.hostTrafficFactor = factor;
  double before = 0;
  for (const std::int64_t cards : {1, 2, 4, 8, 12, 16}) {
    const HybridPlatform platform =
        platformNamed("hyscale-u250", {{"cards", cards}, {"memory_sockets", sockets}});
    const HybridResult found = run(platform, work, papers(), HybridMode::twoStage);
    const double seeds = 1024 * static_cast<double>(cards + 1) / found.steadySeconds;
    const double most = mostSeeds(platform, work, papers());
    CAPTURE(factor, cards, seeds, most, before);
    CHECK(seeds > 0.995 * before);  // where memory is full no card adds anything
    CHECK(seeds < 1.02 * most);     // mini-batches that were drawn are no means
    CHECK(seeds > 0.75 * most);
    CHECK(found.predictedSeconds == Approx(found.steadySeconds).epsilon(0.15));
    before = seeds;
  }
}

TEST_CASE("without prefetching the manager finds nothing to improve, as a seed costs cards more",
          "[hybrid][golden]") {
  // Stages one after the other: an iteration is their sum, and all seeds are sampled and loaded alike. A seed
  // that goes from the processors to q cards saves its training there and costs 1/q of a transfer.
  for (const std::size_t set : {0, 1, 3, 4}) {
    const HyScaleSet one = hyScaleSets()[set];
    CAPTURE(one.name);
    const HybridPlatform platform = platformNamed("hyscale-u250");
    const HybridResult as = run(platform, one.work, one.sizes(), HybridMode::hybrid);
    const HybridResult managed = run(platform, one.work, one.sizes(), HybridMode::managed);
    CHECK(static_cast<double>(as.mapping.cpuSeeds) == Approx(0.95 * 5120).margin(1));  // the most it may have
    const double perCardSeed = as.steady.transfer / static_cast<double>(5120 - as.mapping.cpuSeeds);
    const double perCpuSeed = as.steady.trainCpu / static_cast<double>(as.mapping.cpuSeeds);
    CAPTURE(perCardSeed, perCpuSeed);
    CHECK(perCardSeed > perCpuSeed);
    // what it tries it takes back
    CHECK(managed.mapping == as.mapping);
    CHECK(managed.steadySeconds == Approx(as.steadySeconds).epsilon(0.001));
    int tried = 0, undone = 0;
    for (const HybridDecision& decision : managed.decisions) {
      undone += decision.shift == Shift::undo;
      tried += decision.shift != Shift::undo && decision.shift != Shift::none;
    }
    CHECK(tried > 0);
    CHECK(tried == undone);
  }
}
