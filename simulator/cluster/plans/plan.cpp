#include "simulator/cluster/plans/plan.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::cluster {
namespace {

bool sameFlows(const Traffic& a, const Traffic& b, int ranks) {
  if (a.ranksPerNode != b.ranksPerNode || a.pairwise != b.pairwise || a.everyPair != b.everyPair ||
      a.offLink != b.offLink || a.oneByOne != b.oneByOne || a.flows != b.flows)
    return false;
  if (a.pairwise) return true;
  for (int i = 0; i < ranks; ++i)
    if (a.outMessages[i] != b.outMessages[i] || a.outBytes[i] != b.outBytes[i] ||
        a.inMessages[i] != b.inMessages[i] || a.inBytes[i] != b.inBytes[i] ||
        a.withinOutMessages[i] != b.withinOutMessages[i] || a.withinOutBytes[i] != b.withinOutBytes[i] ||
        a.withinInMessages[i] != b.withinInMessages[i] || a.withinInBytes[i] != b.withinInBytes[i])
      return false;
  return true;
}

}  // namespace

PerRank::PerRank(std::vector<std::int64_t> each) : byRank_(std::move(each)) {
  HALO_CHECK(!byRank_.empty());
  if (std::ranges::all_of(byRank_, [&](std::int64_t value) { return value == byRank_.front(); })) {
    alike_ = byRank_.front();
    byRank_ = {};
  }
}

std::int64_t PerRank::total(int ranks) const {
  return byRank_.empty() ? alike_ * ranks : std::accumulate(byRank_.begin(), byRank_.end(), std::int64_t{0});
}

std::int64_t PerRank::largest(int) const {
  return byRank_.empty() ? alike_ : *std::ranges::max_element(byRank_);
}

Traffic trafficOf(int ranks, std::vector<Flow> flows) {
  std::erase_if(flows, [](const Flow& f) { return f.source == f.target || f.messages == 0; });
  const auto pair = [](const Flow& f) { return std::pair(f.source, f.target); };
  if (!std::ranges::is_sorted(flows, {}, pair)) std::ranges::stable_sort(flows, {}, pair);
  Traffic traffic;
  traffic.pairwise = true;
  const auto size = at(ranks);
  std::vector<std::int64_t> outMessages(size), outBytes(size), inMessages(size), inBytes(size);
  for (const Flow& f : flows) {
    HALO_CHECK(f.source >= 0 && f.source < ranks && f.target >= 0 && f.target < ranks);
    const auto from = at(f.source), to = at(f.target);
    outMessages[from] += f.messages;
    outBytes[from] += f.bytes;
    inMessages[to] += f.messages;
    inBytes[to] += f.bytes;
    if (!traffic.flows.empty() && pair(traffic.flows.back()) == pair(f)) {
      traffic.flows.back().messages += f.messages;
      traffic.flows.back().bytes += f.bytes;
    } else {
      traffic.flows.push_back(f);
    }
  }
  traffic.outMessages = PerRank(std::move(outMessages));
  traffic.outBytes = PerRank(std::move(outBytes));
  traffic.inMessages = PerRank(std::move(inMessages));
  traffic.inBytes = PerRank(std::move(inBytes));
  return traffic;
}

std::string_view text(Op op) {
  constexpr std::string_view kWords[] = {"sparse",   "dense", "pack",      "copy",      "quantise",
                                         "exchange", "wait",  "broadcast", "allgather", "allreduce"};
  return kWords[at(op)];
}

std::string_view text(PlanOrigin origin) {
  constexpr std::string_view kWords[] = {"counted", "expected", "fitted", "recorded"};
  return kWords[at(origin)];
}

int Plan::addTraffic(Traffic traffic) {
  for (std::size_t t = 0; t < traffics.size(); ++t)
    if (sameFlows(traffics[t], traffic, ranks)) return static_cast<int>(t);
  traffics.push_back(std::move(traffic));
  return static_cast<int>(traffics.size()) - 1;
}

const Traffic* Plan::onLink(const Step& step) const {
  if (step.traffic < 0) return nullptr;
  const Traffic& traffic = traffics[at(step.traffic)];
  return traffic.offLink ? nullptr : &traffic;
}

std::int64_t Plan::bytesSent() const {
  std::int64_t bytes = 0;
  if (ranks == 1) return 0;
  for (const Step& step : steps) {
    if (const Traffic* traffic = onLink(step)) bytes += traffic->outBytes.total(ranks);
    if (step.op == Op::allGather) bytes += step.bytes.total(ranks) * (ranks - 1);
    if (step.op == Op::allReduce) bytes += 2 * (ranks - 1) * step.bytes[0];
  }
  return bytes;
}

std::int64_t Plan::messagesSent() const {
  std::int64_t messages = 0;
  for (const Step& step : steps) {
    if (const Traffic* traffic = onLink(step)) messages += traffic->outMessages.total(ranks);
    if (step.op == Op::allGather || step.op == Op::allReduce) messages += std::int64_t{ranks} * (ranks - 1);
  }
  return messages;
}

int Plan::depth() const {
  int depth = 0;
  for (const Step& step : steps) depth = std::max(depth, step.depth);
  return depth;
}

std::size_t Plan::heldBytes() const {
  std::size_t bytes = rows.heldBytes() + entries.heldBytes() + memoryBytes.heldBytes() +
                      rowMemory.capacity() * sizeof(Memory);
  for (const Traffic& t : traffics)
    bytes += t.flows.capacity() * sizeof(Flow) + t.outMessages.heldBytes() + t.outBytes.heldBytes() +
             t.inMessages.heldBytes() + t.inBytes.heldBytes() + t.withinOutMessages.heldBytes() +
             t.withinOutBytes.heldBytes() + t.withinInMessages.heldBytes() + t.withinInBytes.heldBytes();
  for (const Step& s : steps) {
    bytes += sizeof(Step) + s.entries.heldBytes() + s.entryElements.heldBytes() + s.rowElements.heldBytes() +
             s.kernels.heldBytes() + s.flop.heldBytes() + s.bytes.heldBytes();
    if (s.measuredNs) bytes += s.measuredNs->heldBytes();
  }
  return bytes;
}

const MethodEntry& plannedMethod(RunSettings run, const std::vector<std::int64_t>& widths, int ranks) {
  const MethodEntry* method = find<MethodEntry>(run.method);
  if (method == nullptr)
    throw InputError(
        Problem{.key = "method", .message = "'" + run.method + "' is no method; see `haloscope methods`"});
  run.cluster.workers = ranks;
  std::vector<Problem> problems = refusals(*method, run);
  if (!method->distributed && ranks > 1)
    problems.push_back({.key = "workers", .message = run.method + " trains on one worker"});
  if (method->sampled && method->draw == nullptr)
    problems.push_back(
        {.key = "method",
         .message = run.method +
                    " draws what it sends while it trains; `haloscope methods` says which draw nothing"});
  const std::vector<Index> columns(widths.begin(), widths.end());
  if (method->refuseData != nullptr && problems.empty()) problems = method->refuseData(run, {columns});
  if (!problems.empty()) throw InputError(std::move(problems));
  return *method;
}

}  // namespace halo::cluster
