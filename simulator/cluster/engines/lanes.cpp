#include "simulator/cluster/engines/lanes.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::cluster {
Lanes::Lanes(const Plan& plan, const Machine& machine)
    : plan_(plan), machine_(machine), sides_(at(plan.ranks)) {
  for (const Traffic& traffic : plan.traffics) {
    Table& table = tables_.emplace_back();
    table.first.assign(at(plan.ranks) + 1, 0);
    table.incoming.assign(at(plan.ranks), 0);
    for (const Flow& flow : traffic.flows) {
      ++table.first[at(flow.source) + 1];
      ++table.incoming[at(flow.target)];
    }
    for (std::size_t r = 0; r < at(plan.ranks); ++r) table.first[r + 1] += table.first[r];
    for (std::size_t r = 0; r < at(plan.ranks); ++r) {
      const auto begin = traffic.flows.begin() + table.first[r],
                 end = traffic.flows.begin() + table.first[r + 1];
      const auto after = std::find_if(
          begin, end, [&](const Flow& flow) { return flow.target > static_cast<std::int32_t>(r); });
      const bool first = machine.messageOrder == MessageOrder::ascending || after == end;
      table.next.push_back(first ? table.first[r] : static_cast<std::int32_t>(after - traffic.flows.begin()));
    }
    const ExchangeCosts costs = exchangeCosts(traffic, plan.ranks, machine);
    auto& send = sendOverheadNs_.emplace_back();
    auto& receive = receiveOverheadNs_.emplace_back();
    for (const ExchangeCosts::Rank& rank : costs.ranks) {
      send.push_back(rank.sendOverheadNs);
      receive.push_back(rank.receiveOverheadNs);
    }
  }
}

bool Lanes::together(const Step& step) const {
  if (step.op == Op::allReduce || step.op == Op::allGather || step.op == Op::broadcast) return true;
  if (step.op != Op::exchange || step.depth > 0) return false;
  const Traffic& traffic = plan_.traffics[at(step.traffic)];
  const auto bytes = static_cast<double>(traffic.outBytes.largest(plan_.ranks));
  return traffic.everyPair && machine_.algorithm(Collective::allToAll, bytes) != "pairwise";
}

double Lanes::togetherNs(const Step& step) const {
  const int ranks = plan_.ranks;
  switch (step.op) {
    case Op::allReduce:
      return collectiveNs(Collective::allReduce, ranks, static_cast<double>(step.bytes[0]), machine_);
    case Op::allGather:
      return collectiveNs(Collective::allGather, ranks, static_cast<double>(step.bytes.largest(ranks)),
                          machine_);
    case Op::broadcast:
      return std::ranges::max(broadcastNs(plan_.traffics[at(step.traffic)], ranks, machine_));
    default:
      return collectiveNs(Collective::allToAll, ranks,
                          static_cast<double>(plan_.traffics[at(step.traffic)].outBytes.largest(ranks)),
                          machine_);
  }
}

double Lanes::sendOverheadNs(int traffic, int rank) const { return sendOverheadNs_[at(traffic)][at(rank)]; }
double Lanes::receiveOverheadNs(int traffic, int rank) const {
  return receiveOverheadNs_[at(traffic)][at(rank)];
}

double Lanes::copyOut(int rank, double nowNs, std::int64_t bytes) {
  if (!machine_.staging.needed()) return nowNs;
  Side& side = sides_[at(rank)];
  side.copyOutNs = std::max(nowNs, side.copyOutNs) + static_cast<double>(bytes) / machine_.staging.outGbPerS;
  return side.copyOutNs;
}

double Lanes::copyIn(int rank, double nowNs, std::int64_t bytes) {
  if (!machine_.staging.needed()) return nowNs;
  Side& side = sides_[at(rank)];
  side.copyInNs = std::max(nowNs, side.copyInNs) + static_cast<double>(bytes) / machine_.staging.inGbPerS;
  return side.copyInNs;
}

double Lanes::startNs(int traffic, std::int32_t number) const {
  const Flow& flow = flowOf(traffic, number);
  return static_cast<double>(flow.messages) * costsOf(flow).startUs * 1e3;
}

double Lanes::bytesNs(int traffic, std::int32_t number) const {
  const Flow& flow = flowOf(traffic, number);
  return static_cast<double>(flow.bytes) / costsOf(flow).gbPerS;
}

double Lanes::wireNs(int traffic, std::int32_t number) const {
  const Flow& flow = flowOf(traffic, number);
  return costsOf(flow).wireUs * 1e3 * wireTimes(plan_.traffics[at(traffic)], flow.target);
}

double Lanes::send(int traffic, std::int32_t flow, double nowNs) {
  Side& side = sides_[at(flowOf(traffic, flow).source)];
  const double start = std::max(nowNs, side.outNs);
  side.outNs = start + holdsNs(traffic, flow);
  return start + wireNs(traffic, flow);
}

void Lanes::sum(const Step& step, double enteredNs) {
  const double ns = allReduceWireNs(plan_.ranks, static_cast<double>(step.bytes[0]), machine_);
  for (Side& side : sides_) {
    side.outNs = std::max(enteredNs, side.outNs) + ns;
    side.inNs = std::max(enteredNs, side.inNs) + ns;
  }
}

Lanes::Received Lanes::receive(int traffic, std::int32_t flow, double firstNs, double nowNs) {
  const Flow& message = flowOf(traffic, flow);
  Side& side = sides_[at(message.target)];
  const double begin = std::max({nowNs, firstNs, side.inNs});
  side.inNs = begin + holdsNs(traffic, flow);
  return {begin, side.inNs, static_cast<int>(message.source), message.bytes};
}

double Lanes::busyUntilNs(int rank) const {
  const Side& side = sides_[at(rank)];
  return std::max({side.outNs, side.inNs, side.copyOutNs, side.copyInNs});
}

}  // namespace halo::cluster
