#include "simulator/cluster/engines/events.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "simulator/cluster/engines/as_messages.h"
#include "simulator/cluster/engines/card_side.h"
#include "simulator/cluster/engines/rank_clocks.h"
#include "simulator/cluster/engines/settled.h"

namespace halo::cluster {
namespace {

/// Each side of a rank, or of the card that a node's ranks share, takes one message after the other.
class Events final : public RankClocks {
 public:
  Events(const Plan& plan, const Machine& machine, const SimulateOptions& options)
      : RankClocks(plan, machine, options, "events") {
    const std::int64_t nodes = machine.nodeOf(plan.ranks - 1) + 1, each = machine.ranksPerNode;
    if (each == 1 || nodes == 1) return;  // a rank's own sides are its node's, or nothing leaves the node
    for (std::int64_t node = 0; node < nodes; ++node) {
      const std::int64_t first = node * each, count = std::min(each, plan.ranks - first);
      const CardSide side(static_cast<int>(first), static_cast<int>(count));
      cards_.push_back({side, side});
    }
  }

 private:
  enum class Way : std::uint8_t { out, in };
  struct Card {
    CardSide out, in;
  };
  // what Kind::moved tells, in Event::flow; Event::rank is a rank, or a node
  static constexpr std::int32_t kReady = 0, kFreed = 2;

  CardSide& sideOf(Way way, std::int64_t node) {
    return way == Way::out ? cards_[at(node)].out : cards_[at(node)].in;
  }
  bool passesCards(int traffic, std::int32_t number) const {
    if (cards_.empty()) return false;
    const Flow& flow = lanes_.flowOf(traffic, number);
    return machine_.nodeOf(flow.source) != machine_.nodeOf(flow.target);
  }

  void depart(const Event& event, double nowNs) override {
    const int traffic = trafficOf(event.step);
    lanes_.inOrder(traffic, event.rank, [&](std::int32_t flow) {
      if (passesCards(traffic, flow)) {
        const double start = lanes_.startNs(traffic, flow);
        return bring(Way::out, event.rank, {event.step, event.epoch, flow, start, 0, nowNs + start}, nowNs);
      }
      const double comes = lanes_.send(traffic, flow, nowNs);
      push(comes, lanes_.flowOf(traffic, flow).target, Kind::arrive, event.step, event.epoch, flow);
    });
  }
  void arrive(const Event& event, double nowNs) override {
    const int traffic = trafficOf(event.step);
    if (passesCards(traffic, event.flow)) {
      const double start = lanes_.startNs(traffic, event.flow);  // passed on the way, but for busy ranks
      return bring(Way::in, event.rank, {event.step, event.epoch, event.flow, start, 0, nowNs}, nowNs);
    }
    const Lanes::Received received = lanes_.receive(traffic, event.flow, event.timeNs, nowNs);
    takenIn(event.rank, event.step, event.epoch, event.flow, received.beginNs, received.endNs);
  }
  void takenIn(int rank, int step, std::int32_t epoch, std::int32_t number, double beginNs, double endNs) {
    const Flow& flow = lanes_.flowOf(trafficOf(step), number);
    note(rank, epoch, Lane::link, plan_.steps[at(step)], halo::Kind::communication, Name::receive, beginNs,
         endNs, flow.bytes, flow.source);
    delivered(rank, step, epoch, endNs);
  }

  void bring(Way way, int rank, CardSide::Message message, double nowNs) {
    message.takesNs = lanes_.bytesNs(trafficOf(message.step), message.flow);
    if (const auto readyNs = sideOf(way, machine_.nodeOf(rank)).add(rank, message, nowNs))
      expectReady(way, rank, *readyNs, nowNs);
  }
  void expectReady(Way way, int rank, double readyNs, double nowNs) {
    if (readyNs > nowNs)
      return push(readyNs, rank, Kind::moved, 0, 0, kReady + static_cast<std::int32_t>(way));
    sideOf(way, machine_.nodeOf(rank)).ready(rank, nowNs);
    serve(way, machine_.nodeOf(rank), nowNs);
  }
  void serve(Way way, std::int64_t node, double nowNs) {
    const auto service = sideOf(way, node).serve(nowNs);
    if (!service) return;
    expectFreed(way, node, service->endsNs);
    if (way == Way::in) return;
    const CardSide::Message& message = service->message;
    const int traffic = trafficOf(message.step);
    push(service->beginsNs + lanes_.wireNs(traffic, message.flow),
         lanes_.flowOf(traffic, message.flow).target, Kind::arrive, message.step, message.epoch,
         message.flow);
  }
  void expectFreed(Way way, std::int64_t node, double endsNs) {
    push(endsNs, static_cast<int>(node), Kind::moved, 0, 0, kFreed + static_cast<std::int32_t>(way));
  }
  void moved(const Event& event) override {
    const auto way = static_cast<Way>(event.flow % kFreed);
    if (event.flow < kFreed) return expectReady(way, event.rank, event.timeNs, event.timeNs);
    const auto freed = sideOf(way, event.rank).freed(event.timeNs);
    if (!freed) return;
    const auto& [service, readyNs] = *freed;
    if (way == Way::in)
      takenIn(service.rank, service.message.step, service.message.epoch, service.message.flow,
              service.beginsNs, service.endsNs);
    if (readyNs) expectReady(way, service.rank, *readyNs, event.timeNs);
    serve(way, event.rank, event.timeNs);
  }

  void sum(const Step& step, double enteredNs) override {
    if (cards_.empty()) return lanes_.sum(step, enteredNs);
    const double ns = allReduceWireNs(plan_.ranks, static_cast<double>(step.bytes[0]), machine_);
    for (std::size_t node = 0; node < cards_.size(); ++node)
      for (const Way way : {Way::out, Way::in})
        if (const auto endsNs = sideOf(way, static_cast<std::int64_t>(node)).sum(enteredNs, ns))
          expectFreed(way, static_cast<std::int64_t>(node), *endsNs);
  }
  double busyUntilNs(int rank) const override {
    const double ns = lanes_.busyUntilNs(rank);
    if (cards_.empty()) return ns;
    const Card& card = cards_[at(machine_.nodeOf(rank))];
    return std::max({ns, card.out.busyUntilNs(rank), card.in.busyUntilNs(rank)});
  }

  std::vector<Card> cards_;  // by node, where its ranks share them
};

}  // namespace

ClusterResult simulateEvents(const Plan& plan, const Machine& machine, const SimulateOptions& options) {
  if (auto problems = clockRefusals(plan, machine); !problems.empty()) throw InputError(std::move(problems));
  HALO_CHECK(options.rankSpeed.empty() || options.rankSpeed.size() == at(plan.ranks));
  const std::optional<Plan> changed = asMessages(plan, machine);
  const Plan& effectivePlan = changed ? *changed : plan;
  return settled(effectivePlan, machine, options,
                 [&](const SimulateOptions& how) { return Events(effectivePlan, machine, how).run(); });
}

}  // namespace halo::cluster
