#include "simulator/cluster/engines/flows.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "simulator/cluster/engines/as_messages.h"
#include "simulator/cluster/engines/rank_clocks.h"
#include "simulator/cluster/engines/settled.h"

namespace halo::cluster {
namespace {

constexpr double kRest = 1e-3;  // bytes: more than rounding of times up to 1000 s leaves of a message

class Flows final : public RankClocks {
 public:
  Flows(const Plan& plan, const Machine& machine, const SimulateOptions& options)
      : RankClocks(plan, machine, options, "flows"),
        network_(machine, machine.nodeOf(plan.ranks - 1) + 1),
        acrossNodes_(machine.nodeOf(plan.ranks - 1) > 0),
        senders_(at(2 * plan.ranks)) {}

 private:
  struct Message {
    std::int32_t step = 0, epoch = 0, flow = 0;
  };
  /// What of a rank is under way beyond its node, or within it, and what comes after that. Neither waits for
  /// the other: one goes by the card, the other through memory.
  struct Sender {
    std::deque<Message> waiting;
    bool sends = false, flowing = false;
    Message message;
    double bytes = 0, rate = 0, limit = 0;  // left to flow; GB/s
    std::vector<Link> way;
  };

  const halo::cluster::Flow& flowOf(const Message& m) const {
    return plan_.traffics[at(trafficOf(m.step))].flows[at(m.flow)];
  }
  bool within(const halo::cluster::Flow& flow) const {
    return machine_.nodeOf(flow.source) == machine_.nodeOf(flow.target);
  }
  const MessageCosts& costsOf(const halo::cluster::Flow& flow) const {
    return within(flow) ? machine_.within : machine_.between;
  }

  void depart(const Event& event, double nowNs) override {
    const std::size_t first = at(2 * event.rank);
    lanes_.inOrder(trafficOf(event.step), event.rank, [&](std::int32_t number) {
      const Message message = {event.step, event.epoch, number};
      senders_[first + (within(flowOf(message)) ? 1 : 0)].waiting.push_back(message);
    });
    for (const std::size_t sender : {first, first + 1})
      if (!senders_[sender].sends) start(sender, nowNs);
  }

  /// The sender's next message: its start first.
  void start(std::size_t number, double nowNs) {
    Sender& sender = senders_[number];
    sender.sends = !sender.waiting.empty();
    if (!sender.sends) return;
    sender.message = sender.waiting.front();
    sender.waiting.pop_front();
    const auto& flow = flowOf(sender.message);
    push(nowNs + static_cast<double>(flow.messages) * costsOf(flow).startUs * 1e3, flow.source, Kind::arrive,
         0, 0, static_cast<std::int32_t>(number % 2));
  }

  /// The start is over: bytes flow.
  void arrive(const Event& event, double nowNs) override {
    Sender& sender = senders_[at(2 * event.rank + event.flow)];
    const auto& flow = flowOf(sender.message);
    sender.flowing = true;
    sender.bytes = static_cast<double>(flow.bytes);
    sender.rate = 0;  // until rates change
    sender.way = network_.way(machine_.nodeOf(flow.source), machine_.nodeOf(flow.target));
    sender.limit = costsOf(flow).gbPerS;
    changeSoon(nowNs);
  }

  /// Rates change once for all that happens at one time.
  void changeSoon(double nowNs) {
    if (changeAskedNs_ == nowNs) return;
    changeAskedNs_ = nowNs;
    push(nowNs, plan_.ranks, Kind::moved);
  }

  void sum(const Step& step, double enteredNs) override {
    sums_.push_back({enteredNs, allReduceWireNs(plan_.ranks, static_cast<double>(step.bytes[0]), machine_)});
    push(enteredNs, plan_.ranks, Kind::moved);
  }

  /// Sums that begin now hold all flows for as long as their bytes take.
  void holdForSums(double nowNs) {
    for (; !sums_.empty() && sums_.front().beginNs <= nowNs; sums_.pop_front())
      heldUntilNs_ = std::max(heldUntilNs_, nowNs) + sums_.front().ns;
  }

  void moved(const Event& event) override {
    if (event.flow != 0 && event.flow != generation_) return;  // rates have changed since it was foreseen
    changeAskedNs_ = -1;
    const double since = std::exchange(sinceNs_, event.timeNs), heldUntil = heldUntilNs_;
    holdForSums(event.timeNs);
    for (std::size_t number = 0; number < senders_.size(); ++number) {
      Sender& sender = senders_[number];
      if (!sender.flowing) continue;
      const double from = heldBySums(number) ? std::max(since, heldUntil) : since;
      sender.bytes -= std::max(0.0, event.timeNs - from) * sender.rate;
      // a rest that no longer moves the clock would be foreseen for the same moment for ever
      if (sender.bytes <= kRest || event.timeNs + sender.bytes / sender.rate <= event.timeNs)
        finish(number, event.timeNs);
    }
    share();
  }

  /// Sums go by the cards, and through memory where there are none.
  bool heldBySums(std::size_t number) const { return number % 2 == 0 || !acrossNodes_; }

  void finish(std::size_t number, double nowNs) {
    Sender& sender = senders_[number];
    const auto& flow = flowOf(sender.message);
    sender.flowing = false;
    const double wireNs = lanes_.wireNs(trafficOf(sender.message.step), sender.message.flow);
    delivered(flow.target, sender.message.step, sender.message.epoch, nowNs + wireNs);
    start(number, nowNs);
  }

  /// New rates, and when the first of the flows will be through.
  void share() {
    std::vector<std::vector<Link>> ways;
    std::vector<double> limits;
    std::vector<std::size_t> flowing;
    for (std::size_t number = 0; number < senders_.size(); ++number) {
      const Sender& sender = senders_[number];
      if (!sender.flowing) continue;
      flowing.push_back(number);
      ways.push_back(sender.way);
      limits.push_back(sender.limit);
    }
    const std::vector<double> rates = maxMinRates(
        ways, [&](Link link) { return network_.gbPerS(link); }, limits);
    double soonest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < flowing.size(); ++i) {
      Sender& sender = senders_[flowing[i]];
      sender.rate = rates[i];
      const double from = heldBySums(flowing[i]) ? std::max(sinceNs_, heldUntilNs_) : sinceNs_;
      soonest = std::min(soonest, from + std::max(sender.bytes, 0.0) / sender.rate);
    }
    generation_ = generation_ % (1 << 30) + 1;
    if (!flowing.empty()) push(soonest, plan_.ranks, Kind::moved, 0, 0, generation_);
  }

  double busyUntilNs(int) const override { return 0; }  // work is not slowed here

  Network network_;
  bool acrossNodes_;
  std::vector<Sender> senders_;  // of each rank: beyond its node, within it
  struct Sum {
    double beginNs = 0, ns = 0;
  };
  std::deque<Sum> sums_;  // that have not begun
  double sinceNs_ = 0, changeAskedNs_ = -1;
  double heldUntilNs_ = 0;  // by sums
  std::int32_t generation_ = 0;
};

std::vector<Problem> allRefusals(const Plan& plan, const Machine& machine) {
  std::vector<Problem> problems = clockRefusals(plan, machine);
  const auto wrong = [&](const std::string& message) {
    problems.push_back({.key = "engine", .message = message});
  };
  if (plan.ranks > kFlowRanks)
    wrong("flows: " + std::to_string(plan.ranks) + " workers are too many; at most " +
          std::to_string(kFlowRanks) + ", or engine events");
  for (const std::string& why : flowRefusals(machine)) wrong(why);
  return problems;
}

}  // namespace

std::vector<std::string> flowRefusals(const Machine& machine) {
  std::vector<std::string> why;
  if (machine.progress != Progress::hardware)
    why.push_back("flows: " + machine.name + " advances transfers by polls or waits; use engine events");
  if (machine.compute.overlapSlowdown > 1)
    why.push_back("flows: " + machine.name + " slows work beside transfers; use engine events");
  if (machine.sharesCores())
    why.push_back("flows: " + machine.name + "'s workers share cores; use engine events");
  if (machine.looks.needed())
    why.push_back("flows: " + machine.name + "'s workers move their messages; use engine events");
  return why;
}

std::vector<double> maxMinRates(std::span<const std::vector<Link>> ways,
                                const std::function<double(Link)>& capacity, std::span<const double> limit) {
  std::vector<double> rates(ways.size(), 0);
  std::vector<Link> links;  // that some flow uses
  for (const auto& way : ways) links.insert(links.end(), way.begin(), way.end());
  std::ranges::sort(links);
  links.erase(std::ranges::unique(links).begin(), links.end());
  const auto place = [&](Link link) { return at(std::ranges::lower_bound(links, link) - links.begin()); };
  std::vector<double> left(links.size());
  std::vector<std::int32_t> users(links.size(), 0);
  std::vector<std::vector<std::size_t>> on(ways.size());
  for (std::size_t l = 0; l < links.size(); ++l) left[l] = capacity(links[l]);
  for (std::size_t f = 0; f < ways.size(); ++f)
    for (const Link link : ways[f]) {
      on[f].push_back(place(link));
      ++users[on[f].back()];
    }
  std::vector<std::size_t> open(ways.size());
  for (std::size_t f = 0; f < open.size(); ++f) open[f] = f;
  while (!open.empty()) {
    double level = std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < links.size(); ++l)
      if (users[l] > 0) level = std::min(level, std::max(left[l], 0.0) / users[l]);
    for (const std::size_t f : open) level = std::min(level, limit[f]);
    // settled: who is at its own limit, or on a link that is full at this level
    const auto settled = [&](std::size_t f) {
      return limit[f] <= level * (1 + 1e-12) || std::ranges::any_of(on[f], [&](std::size_t l) {
               return left[l] <= level * users[l] * (1 + 1e-12);
             });
    };
    std::vector<std::size_t> settledFlows, rest;
    for (const std::size_t f : open) (settled(f) ? settledFlows : rest).push_back(f);
    HALO_CHECK(!settledFlows.empty());
    for (const std::size_t f : settledFlows) {
      rates[f] = level;
      for (const std::size_t l : on[f]) {
        left[l] -= level;
        --users[l];
      }
    }
    open = std::move(rest);
  }
  return rates;
}

ClusterResult simulateFlows(const Plan& plan, const Machine& machine, const SimulateOptions& options) {
  if (auto problems = allRefusals(plan, machine); !problems.empty()) throw InputError(std::move(problems));
  HALO_CHECK(options.rankSpeed.empty() || options.rankSpeed.size() == at(plan.ranks));
  const std::optional<Plan> changed = asMessages(plan, machine);
  const Plan& effectivePlan = changed ? *changed : plan;
  return settled(effectivePlan, machine, options,
                 [&](const SimulateOptions& how) { return Flows(effectivePlan, machine, how).run(); });
}

}  // namespace halo::cluster
