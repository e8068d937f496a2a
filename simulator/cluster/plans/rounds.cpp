#include "simulator/cluster/plans/rounds.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::cluster {
namespace {

std::vector<std::vector<Flow>> bySource(const std::vector<Flow>& flows, int ranks) {
  std::vector<std::vector<Flow>> parts(at(ranks));
  for (const Flow& f : flows) parts[at(f.source)].push_back(f);
  return parts;
}

/// Forward, in round r each rank gets from rank + r; backward it returns there. Rounds of one step together.
std::vector<std::vector<Flow>> byDistance(const std::vector<Flow>& flows, Pass pass, int ranks) {
  std::vector<std::vector<Flow>> rounds(at(roundSteps(ranks)));
  for (const Flow& f : flows) {
    if (f.source == f.target) continue;
    const int ahead = pass == Pass::backward ? f.target - f.source : f.source - f.target;
    rounds[at(stepOfRound((ahead + ranks) % ranks - 1, ranks))].push_back(f);
  }
  return rounds;
}

std::vector<std::vector<Flow>> roundsOf(std::vector<Flow> flows, const MethodStyle& style, Pass pass,
                                        int ranks) {
  if (takesParts(style, ranks))
    return style.order == ExchangeOrder::rounds ? byDistance(flows, pass, ranks) : bySource(flows, ranks);
  const bool twice =
      style.order == ExchangeOrder::transposed || (style.order == ExchangeOrder::sums && style.depth == 0);
  if (!twice || std::ranges::none_of(flows, [](const Flow& f) { return f.messages > 1; }))
    return {std::move(flows)};
  const int slices = ranks / style.groups;
  std::vector<std::vector<Flow>> rounds(2);
  for (const Flow& f : flows) {
    if (style.groups > 1 && f.source / slices != f.target / slices) {
      rounds[pass == Pass::forward ? 0 : 1].push_back(f);
      continue;
    }
    const std::int64_t messages = f.messages / 2, bytes = messages == 0 ? 0 : f.bytes / 2;
    if (messages > 0) rounds[0].push_back({f.source, f.target, messages, bytes});
    rounds[1].push_back({f.source, f.target, f.messages - messages, f.bytes - bytes});
  }
  return rounds;
}

/// Of each of the steps that rounds make the same share.
std::vector<Traffic> shared(const Traffic& all, int ranks) {
  std::vector<Traffic> rounds(at(roundSteps(ranks)));
  const auto share = [&](PerRank Traffic::*figure) {
    std::vector<PerRank> parts = inRoundSteps(all.*figure, ranks);
    for (std::size_t r = 0; r < rounds.size(); ++r) rounds[r].*figure = std::move(parts[r]);
  };
  for (PerRank Traffic::*figure : {&Traffic::outMessages, &Traffic::outBytes, &Traffic::inMessages,
                                   &Traffic::inBytes, &Traffic::withinOutMessages, &Traffic::withinOutBytes,
                                   &Traffic::withinInMessages, &Traffic::withinInBytes})
    share(figure);
  for (Traffic& round : rounds) {
    round.oneByOne = true;
    round.ranksPerNode = all.ranksPerNode;
  }
  return rounds;
}

}  // namespace

void addMessage(const PredictedVolume& message, int ranks,
                std::map<std::pair<int, Pass>, PassFlows>& passes) {
  PassFlows& pass = passes[{message.layer, message.pass}];
  if (message.target >= 0) {
    pass.flows.push_back({message.source, message.target, message.messages, message.bytes});
    return;
  }
  HALO_CHECK(ranks > 1 && message.bytes % (ranks - 1) == 0);
  pass.gatheredBytes.resize(at(ranks), 0);
  pass.gatheredBytes[at(message.source)] += message.bytes / (ranks - 1);
}

void addSums(Traffic sums, const MethodStyle& style, PassTraffic& pass, Plan& plan) {
  if (style.order != ExchangeOrder::rounds) {
    pass.rounds.push_back(plan.addTraffic(std::move(sums)));
    return;
  }
  for (Traffic& round : shared(sums, plan.ranks)) pass.rounds.push_back(plan.addTraffic(std::move(round)));
}

std::vector<PerRank> othersInRounds(const Loads& loads, int ranks) {
  std::vector<std::int64_t> others;
  for (int rank = 0; rank < ranks; ++rank) others.push_back(loads.entries[rank] - loads.ownEntries[rank]);
  return inRoundSteps(PerRank(std::move(others)), ranks);
}

PassTraffic passTraffic(PassFlows passFlows, const MethodStyle& style, Pass direction, Plan& plan) {
  PassTraffic pass;
  if (!passFlows.gatheredBytes.empty()) pass.gathered = PerRank(std::move(passFlows.gatheredBytes));
  std::vector<std::int64_t> out(at(plan.ranks), 0), in(at(plan.ranks), 0);
  for (const Flow& f : passFlows.flows) {
    out[at(f.source)] += f.bytes;
    in[at(f.target)] += f.bytes;
  }
  pass.plainBytes = PerRank(std::move(out));
  pass.plainArrivedBytes = PerRank(std::move(in));
  for (std::vector<Flow>& round : roundsOf(std::move(passFlows.flows), style, direction, plan.ranks)) {
    Traffic traffic = trafficOf(plan.ranks, std::move(round));
    traffic.everyPair = style.order == ExchangeOrder::transposed && style.groups == 1;
    traffic.oneByOne = style.order == ExchangeOrder::rounds;
    if (!traffic.flows.empty())
      pass.rounds.push_back(plan.addTraffic(std::move(traffic)));
    else if (takesParts(style, plan.ranks))
      pass.rounds.push_back(-1);
  }
  return pass;
}

}  // namespace halo::cluster
