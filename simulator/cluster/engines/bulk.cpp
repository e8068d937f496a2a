#include "simulator/cluster/engines/bulk.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "simulator/cluster/engines/broadcast_clocks.h"

namespace halo::cluster {
namespace {

class Bulk {
 public:
  Bulk(const Plan& plan, const Machine& machine, const SimulateOptions& options)
      : plan_(plan), machine_(machine), options_(options), result_(resultFor(plan, machine, "bulk")) {
    if (plan.depth() > 0) background_.resize(at(plan.ranks));
  }

  ClusterResult run() {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (options_.progress)
        options_.progress("simulating", static_cast<double>(s) / static_cast<double>(plan_.steps.size()));
      step(static_cast<int>(s));
    }
    overlapBackground();
    result_.epochNs = nowNs_;
    return std::move(result_);
  }

 private:
  /// What travels for a later epoch, of one rank and all steps.
  struct Background {
    double networkNs = 0, copyOutNs = 0, copyInNs = 0;
    /// Sums of weights use the network too.
    double busiestNs(double sumsNs) const { return std::max({networkNs + sumsNs, copyOutNs, copyInNs}); }
  };

  void step(int number) {
    const Step& step = plan_.steps[at(number)];
    result_.operations += plan_.ranks;
    if (computes(step.op)) return compute(number, step);
    switch (step.op) {
      case Op::exchange:
        return exchange(number, step);
      case Op::wait:
        return wait(step);
      case Op::broadcast:
        return broadcast(step);
      case Op::allGather:
        meet();
        return advance(step, collectiveNs(Collective::allGather, plan_.ranks,
                                          static_cast<double>(step.bytes.largest(plan_.ranks)), machine_));
      default:
        meet();
        sumsNs_ += allReduceWireNs(plan_.ranks, static_cast<double>(step.bytes[0]), machine_);
        return advance(step, collectiveNs(Collective::allReduce, plan_.ranks,
                                          static_cast<double>(step.bytes[0]), machine_));
    }
  }

  /// From now on every rank goes by itself, until all meet.
  void part() {
    const auto ranks = at(plan_.ranks);
    if (readyNs_.empty()) readyNs_.assign(ranks, nowNs_);
    if (sideNs_.empty()) sideNs_.assign(ranks, nowNs_);
  }
  void meet() {
    readyNs_.clear();
    sideNs_.clear();
    broadcasts_.reset();
  }
  /// Ranks have gone on by themselves in this step; the slowest says how far all are. `mean` of it was work.
  void caughtUp(const Step& step, double mean) {
    const double ns = std::ranges::max(readyNs_) - nowNs_;
    note(step.op, ns, &step);
    nowNs_ += ns;
    result_.shares.waitNs += ns - mean;
  }

  void advance(const Step& step, double ns) { advance(step.op, ns, &step); }
  void advance(Op op, double ns, const Step* step = nullptr) {
    note(op, ns, step);
    nowNs_ += ns;
    result_.shares.of(op) += ns;
  }

  void compute(int number, const Step& step) {
    std::vector<double> times;
    for (int rank = 0; rank < plan_.ranks; ++rank)
      times.push_back(computeNs(step, number, rank, 0, machine_, options_));
    if (machine_.sharesCores()) shareCores(times);
    const double longest = std::ranges::max(times), sum = std::accumulate(times.begin(), times.end(), 0.0);
    const double mean = sum / plan_.ranks;
    workNs_ += longest;
    result_.shares.of(step.op) += mean;
    if (!readyNs_.empty()) {
      std::ranges::transform(readyNs_, times, readyNs_.begin(), std::plus<>());
      return caughtUp(step, mean);
    }
    note(step.op, longest, &step);
    nowNs_ += longest;
    result_.shares.idleNs += longest - mean;
  }

  /// A span of the one lane, which is the slowest rank's of each step.
  void note(Op op, double ns, const Step* step) {
    const std::int64_t begin = std::llround(nowNs_), end = std::llround(nowNs_ + ns);
    if (options_.lanes == 0 || end == begin) return;
    Span span;
    span.beginNs = begin;
    span.durationNs = end - begin;
    span.epoch = 0;
    span.name = nameOf(op);
    span.kind = kindOf(op);
    if (step != nullptr) {
      span.layer = static_cast<std::int16_t>(step->layer);
      span.pass = step->pass;
    }
    if (result_.lanes.empty()) result_.lanes.emplace_back();
    result_.lanes.front().push_back(span);
  }

  /// A node's ranks together take at least their work over its cores.
  void shareCores(std::vector<double>& times) const {
    const auto each = at(machine_.ranksPerNode);
    for (std::size_t begin = 0; begin < times.size(); begin += each) {
      const auto first = times.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = times.begin() + static_cast<std::ptrdiff_t>(std::min(times.size(), begin + each));
      const double longest = *std::max_element(first, last), sum = std::accumulate(first, last, 0.0);
      if (longest == 0) continue;
      const double factor = std::max(1.0, sum / static_cast<double>(machine_.coresPerNode) / longest);
      std::for_each(first, last, [&](double& ns) { ns *= factor; });
    }
  }

  void broadcast(const Step& step) {
    const Traffic& traffic = trafficOf(step);
    if (!sentFlat(traffic, machine_)) {
      meet();
      return advance(step, std::ranges::max(broadcastNs(traffic, plan_.ranks, machine_)));
    }
    part();
    if (!broadcasts_) broadcasts_.emplace(machine_, plan_.ranks);
    broadcasts_->broadcast(traffic, readyNs_);
    caughtUp(step, 0);
  }

  const Traffic& trafficOf(const Step& step) const { return plan_.traffics[at(step.traffic)]; }

  void exchange(int number, const Step& step) {
    const ExchangeCosts& costs = costsOf(step.traffic);
    if (step.depth > 0) {
      meet();
      return startBackground(number, step, costs);
    }
    part();
    const Traffic& traffic = trafficOf(step);
    std::vector<double>& endsNs = endsNs_[number];
    endsNs.resize(readyNs_.size());
    const double bytes = static_cast<double>(traffic.outBytes.largest(plan_.ranks));
    if (traffic.everyPair && machine_.algorithm(Collective::allToAll, bytes) != "pairwise") {
      std::ranges::fill(endsNs, nowNs_ + collectiveNs(Collective::allToAll, plan_.ranks, bytes, machine_));
      return;
    }
    const std::vector<double> copied = copiesNs(traffic);
    for (std::size_t i = 0; i < endsNs.size(); ++i) {
      const double startsNs = std::max(readyNs_[i], sideNs_[i]);
      sideNs_[i] = startsNs + costs.ranks[i].totalNs();
      endsNs[i] = std::max(sideNs_[i] + costs.wireNs * wireTimes(traffic, static_cast<int>(i)),
                           readyNs_[i] + copied[i]);
      if (machine_.progress == Progress::none) endsNs[i] -= readyNs_[i];  // all of it in the wait
    }
  }

  /// A rank goes on when its part of the exchange is over; all together where nothing else is under way.
  void wait(const Step& step) {
    if (step.depth > 0) return;
    const auto ended = endsNs_.find(step.exchange);
    for (std::size_t i = 0; i < readyNs_.size(); ++i) {
      const double ns = ended->second[i];
      readyNs_[i] = machine_.progress == Progress::none ? readyNs_[i] + ns : std::max(readyNs_[i], ns);
    }
    endsNs_.erase(ended);
    caughtUp(step, 0);
    if (endsNs_.empty()) meet();
  }

  /// Messages of one exchange that are on their way at a time. They are one fewer where a rank takes the old
  /// one before it sends the new one.
  int underWay(int number, const Step& step) const {
    const auto takes = std::ranges::find_if(plan_.steps, [&](const Step& candidate) {
      return candidate.op == Op::wait && candidate.exchange == number;
    });
    return step.depth + (takes - plan_.steps.begin() < number ? 0 : 1);
  }

  /// What each rank's processor copies of the messages.
  std::vector<double> copiesNs(const Traffic& traffic) const {
    std::vector<double> times(at(plan_.ranks), 0);
    if (machine_.messageCopyGbPerS == 0) return times;
    for (int rank = 0; rank < plan_.ranks; ++rank) times[at(rank)] = messageCopyNs(traffic, rank, machine_);
    if (machine_.sharesCores()) shareCores(times);
    return times;
  }

  void startBackground(int number, const Step& step, const ExchangeCosts& costs) {
    double overhead = 0, way = 0;
    for (std::size_t i = 0; i < costs.ranks.size(); ++i) {
      const ExchangeCosts::Rank& cost = costs.ranks[i];
      background_[i].networkNs += cost.networkNs;
      background_[i].copyOutNs += cost.copyOutNs;
      background_[i].copyInNs += cost.copyInNs;
      overhead = std::max(overhead, cost.sendOverheadNs + cost.receiveOverheadNs);
      way = std::max(way, cost.copyOutNs + cost.networkNs + cost.copyInNs);
    }
    serialNs_ += way + costs.wireNs;
    longestWayNs_ = std::max(longestWayNs_, (way + costs.wireNs) / underWay(number, step));
    advance(Op::exchange, overhead + std::ranges::max(copiesNs(trafficOf(step))));
  }

  void overlapBackground() {
    if (background_.empty()) return;
    if (machine_.progress == Progress::none) return advance(Op::wait, serialNs_);
    double busiest = 0;
    for (const Background& rank : background_) busiest = std::max(busiest, rank.busiestNs(sumsNs_));
    const double slowdown = machine_.compute.overlapSlowdown;
    const double slowed = std::min(busiest * (1 - 1 / slowdown), workNs_ * (slowdown - 1));
    if (workNs_ > 0) {
      const double factor = 1 + slowed / workNs_;
      for (double* share : {&result_.shares.sparseNs, &result_.shares.denseNs, &result_.shares.packNs,
                            &result_.shares.quantiseNs, &result_.shares.idleNs})
        *share *= factor;
    }
    nowNs_ += slowed;
    advance(Op::wait, std::max(0.0, std::max(busiest, longestWayNs_) - nowNs_));
  }

  const ExchangeCosts& costsOf(int traffic) {
    const auto entry = costs_.find(traffic);
    if (entry != costs_.end()) return entry->second;
    const Traffic& exchange = plan_.traffics[at(traffic)];
    result_.operations += static_cast<std::int64_t>(exchange.flows.size());
    return costs_.emplace(traffic, exchangeCosts(exchange, plan_.ranks, machine_)).first->second;
  }

  const Plan& plan_;
  const Machine& machine_;
  const SimulateOptions& options_;
  ClusterResult result_;
  double nowNs_ = 0, workNs_ = 0;
  std::vector<double> readyNs_, sideNs_;       // of each rank by itself; empty: all are at nowNs_
  std::map<int, std::vector<double>> endsNs_;  // of each rank, of exchanges under way, by step
  std::optional<BroadcastClocks> broadcasts_;
  std::map<int, ExchangeCosts> costs_;
  std::vector<Background> background_;
  double sumsNs_ = 0;  // that the bytes of sums take of a side of the network
  double serialNs_ = 0,
         longestWayNs_ =
             0;  // of background exchanges: one after the other; of the slowest, by those under way
};

}  // namespace

ClusterResult simulateBulk(const Plan& plan, const Machine& machine, const SimulateOptions& options) {
  if (auto problems = refusals(plan, machine); !problems.empty()) throw InputError(std::move(problems));
  HALO_CHECK(options.rankSpeed.empty() || options.rankSpeed.size() == at(plan.ranks));
  return Bulk(plan, machine, options).run();
}

}  // namespace halo::cluster
