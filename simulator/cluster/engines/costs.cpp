#include "simulator/cluster/engines/costs.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"

namespace halo::cluster {
namespace {

constexpr double kNsPerUs = 1e3;

/// Standard normal, by (seed, rank, epoch, step) alone.
double drawNormal(std::uint64_t seed, int rank, std::int64_t epoch, int step) {
  return normal(philox(seed, Purpose::stragglers, static_cast<std::uint64_t>(epoch),
                       static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(step)));
}

double workNs(const Step& step, int rank, const ComputeRates& rates) {
  const auto figure = [&](const PerRank& values) { return static_cast<double>(values[rank]); };
  double ns = 0;
  switch (step.op) {
    case Op::sparse:
      ns = figure(step.entries) * rates.entryNs + figure(step.entryElements) * rates.entryElementNs +
           figure(step.rowElements) * rates.rowElementNs;
      break;
    case Op::dense:
      ns = figure(step.flop) / rates.denseGflops;
      break;
    case Op::pack:
    case Op::quantise:
      ns = figure(step.bytes) / rates.copyGbPerS;
      break;
    case Op::copy:
    case Op::exchange:
    case Op::wait:
    case Op::broadcast:
    case Op::allGather:
    case Op::allReduce:
      HALO_CHECK(false && "no work");
  }
  const auto kernels = static_cast<double>(std::max<std::int64_t>(step.kernels[rank], 1));
  return ns > 0 ? ns + kernels * rates.kernelStartUs * kNsPerUs : 0;
}

/// Messages and bytes of one rank, by where they go.
struct Sums {
  double messages = 0, bytes = 0;
  void operator+=(const Sums& more) {
    messages += more.messages;
    bytes += more.bytes;
  }
};
struct RankSums {
  Sums outBeyond, outWithin, inBeyond, inWithin;
  void operator+=(const RankSums& more) {
    outBeyond += more.outBeyond;
    outWithin += more.outWithin;
    inBeyond += more.inBeyond;
    inWithin += more.inWithin;
  }
};
struct CardBytes {
  double out = 0, in = 0;
};

std::vector<RankSums> sumsOf(const Traffic& traffic, int ranks, const Machine& machine) {
  std::vector<RankSums> sums(at(ranks));
  if (traffic.pairwise) {
    for (const Flow& f : traffic.flows) {
      const bool within = machine.nodeOf(f.source) == machine.nodeOf(f.target);
      RankSums& from = sums[at(f.source)];
      RankSums& to = sums[at(f.target)];
      for (Sums* side : {within ? &from.outWithin : &from.outBeyond, within ? &to.inWithin : &to.inBeyond}) {
        side->messages += static_cast<double>(f.messages);
        side->bytes += static_cast<double>(f.bytes);
      }
    }
    return sums;
  }
  if (ranks == 1) return sums;
  const bool known = traffic.ranksPerNode == machine.ranksPerNode;
  for (int i = 0; i < ranks; ++i) {
    const std::int64_t first = machine.nodeOf(i) * machine.ranksPerNode;
    const std::int64_t ranksOfNode = std::min<std::int64_t>(machine.ranksPerNode, ranks - first);
    const double share = static_cast<double>(ranksOfNode - 1) / (ranks - 1);
    const auto split = [&](const PerRank& all, const PerRank& within, double& inside, double& beyond) {
      const auto sum = static_cast<double>(all[i]);
      inside = known ? static_cast<double>(within[i]) : sum * share;
      beyond = sum - inside;
    };
    RankSums& s = sums[at(i)];
    const Traffic& t = traffic;
    split(t.outMessages, t.withinOutMessages, s.outWithin.messages, s.outBeyond.messages);
    split(t.outBytes, t.withinOutBytes, s.outWithin.bytes, s.outBeyond.bytes);
    split(t.inMessages, t.withinInMessages, s.inWithin.messages, s.inBeyond.messages);
    split(t.inBytes, t.withinInBytes, s.inWithin.bytes, s.inBeyond.bytes);
  }
  return sums;
}

/// What each node's card sends and gets, by node.
std::vector<CardBytes> cardBytes(const std::vector<RankSums>& sums, const Machine& machine) {
  std::vector<CardBytes> cards(at(machine.nodeOf(static_cast<int>(sums.size()) - 1)) + 1);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    CardBytes& card = cards[at(machine.nodeOf(static_cast<int>(i)))];
    card.out += sums[i].outBeyond.bytes;
    card.in += sums[i].inBeyond.bytes;
  }
  return cards;
}

}  // namespace

double computeNs(const Step& step, int stepNumber, int rank, std::int64_t epoch, const Machine& machine,
                 const SimulateOptions& options) {
  if (step.op == Op::copy) return static_cast<double>(step.bytes[rank]) * step.nsPerByte;  // no processor's
  double ns =
      step.measuredNs ? static_cast<double>((*step.measuredNs)[rank]) : workNs(step, rank, machine.compute);
  if (!options.rankSpeed.empty()) ns /= options.rankSpeed[at(rank)];
  if (machine.compute.noiseSigma > 0 && ns > 0)
    ns *= std::exp(machine.compute.noiseSigma * std::abs(drawNormal(options.seed, rank, epoch, stepNumber)));
  return ns;
}

double wireTimes(const Traffic& traffic, int rank) {
  if (!traffic.oneByOne) return 1;
  return static_cast<double>(std::max<std::int64_t>(traffic.inMessages[rank], 1));
}

double messageCopyNs(const Traffic& traffic, int rank, const Machine& machine) {
  if (machine.messageCopyGbPerS <= 0) return 0;
  return static_cast<double>(traffic.outBytes[rank] + traffic.inBytes[rank]) / machine.messageCopyGbPerS;
}

ExchangeCosts exchangeCosts(const Traffic& traffic, int ranks, const Machine& machine) {
  const std::vector<RankSums> sums = sumsOf(traffic, ranks, machine);
  const std::vector<CardBytes> cards = cardBytes(sums, machine);
  ExchangeCosts costs;
  costs.ranks.resize(sums.size());
  bool beyond = false, within = false;
  const MessageCosts &far = machine.between, &near = machine.within;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const RankSums& sum = sums[i];
    const CardBytes& card = cards[at(machine.nodeOf(static_cast<int>(i)))];
    ExchangeCosts::Rank& cost = costs.ranks[i];
    cost.sendOverheadNs = kNsPerUs * (sum.outBeyond.messages * far.sendOverheadUs +
                                      sum.outWithin.messages * near.sendOverheadUs);
    cost.receiveOverheadNs = kNsPerUs * (sum.inBeyond.messages * far.receiveOverheadUs +
                                         sum.inWithin.messages * near.receiveOverheadUs);
    const double farNs = kNsPerUs * far.startUs * std::max(sum.outBeyond.messages, sum.inBeyond.messages) +
                         std::max(card.out, card.in) / far.gbPerS;
    const double nearNs = kNsPerUs * near.startUs * std::max(sum.outWithin.messages, sum.inWithin.messages) +
                          std::max(sum.outWithin.bytes, sum.inWithin.bytes) / near.gbPerS;
    cost.networkNs = std::max(farNs, nearNs);
    if (machine.staging.needed()) {
      cost.copyOutNs = (sum.outBeyond.bytes + sum.outWithin.bytes) / machine.staging.outGbPerS;
      cost.copyInNs = (sum.inBeyond.bytes + sum.inWithin.bytes) / machine.staging.inGbPerS;
    }
    beyond = beyond || sum.outBeyond.messages > 0;
    within = within || sum.outWithin.messages > 0;
  }
  costs.wireNs = kNsPerUs * std::max(beyond ? far.wireUs : 0, within ? near.wireUs : 0);
  return costs;
}

double leastEpochNs(const Plan& plan, const Machine& machine) {
  std::vector<RankSums> all(at(plan.ranks));
  double summedNs = 0;
  for (const Step& step : plan.steps) {
    if (step.op == Op::allReduce)
      summedNs += allReduceWireNs(plan.ranks, static_cast<double>(step.bytes[0]), machine);
    if (step.op != Op::exchange) continue;
    const auto own = sumsOf(plan.traffics[at(step.traffic)], plan.ranks, machine);
    for (std::size_t i = 0; i < own.size(); ++i) all[i] += own[i];
  }
  double cards = 0, ranks = 0, memory = 0;
  for (const RankSums& sum : all) {
    // beside a shared card's bytes a rank's starts may go on
    const double beyond = machine.ranksPerNode > 1 ? 0 : sum.outBeyond.bytes / machine.between.gbPerS;
    ranks = std::max(ranks, kNsPerUs * machine.between.startUs * sum.outBeyond.messages + beyond);
    memory = std::max(memory, kNsPerUs * machine.within.startUs * sum.outWithin.messages +
                                  sum.outWithin.bytes / machine.within.gbPerS);
  }
  for (const CardBytes& card : cardBytes(all, machine))
    cards = std::max(cards, std::max(card.out, card.in) / machine.between.gbPerS);
  (machine.nodeOf(plan.ranks - 1) == 0 ? memory : cards) += summedNs;
  return std::max({cards, ranks, memory});
}

std::vector<double> broadcastNs(const Traffic& traffic, int ranks, const Machine& machine) {
  std::vector<double> ns(at(ranks), 0);
  if (!traffic.pairwise) {
    double all = 0;
    for (int root = 0; root < ranks; ++root)
      if (const auto messages = static_cast<double>(traffic.outMessages[root]); messages > 0)
        all += collectiveNs(Collective::broadcast, static_cast<int>(messages) + 1,
                            static_cast<double>(traffic.outBytes[root]) / messages, machine, root);
    std::ranges::fill(ns, all);
    return ns;
  }
  for (std::size_t begin = 0, end = 0; begin < traffic.flows.size(); begin = end) {
    const std::int32_t root = traffic.flows[begin].source;
    double bytes = 0, times = 1;
    for (end = begin; end < traffic.flows.size() && traffic.flows[end].source == root; ++end) {
      const auto messages = static_cast<double>(traffic.flows[end].messages);
      bytes = std::max(bytes, static_cast<double>(traffic.flows[end].bytes) / messages);
      times = std::max(times, messages);
    }
    const double each =
        times * collectiveNs(Collective::broadcast, static_cast<int>(end - begin) + 1, bytes, machine, root);
    ns[at(root)] += each;
    for (std::size_t f = begin; f < end; ++f) ns[at(traffic.flows[f].target)] += each;
  }
  return ns;
}

}  // namespace halo::cluster
