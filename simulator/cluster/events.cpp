#include "simulator/cluster/events.h"

#include "engine/base/check.h"
#include "simulator/cluster/as_messages.h"
#include "simulator/cluster/rank_clocks.h"

namespace halo::cluster {
namespace {

/// Each side of a rank takes one message after the other, in the order in which they come to it.
class Events final : public RankClocks {
 public:
  Events(const Plan& plan, const Machine& machine, const SimulateOptions& options)
      : RankClocks(plan, machine, options, "events") {}

 private:
  void depart(const Event& event, double nowNs) override {
    lanes_.send(trafficOf(event.step), event.rank, nowNs, [&](std::int32_t flow, int target, double timeNs) {
      push(timeNs, target, Kind::arrive, event.step, event.epoch, flow);
    });
  }
  void arrive(const Event& event, double nowNs) override {
    const Lanes::Received received = lanes_.receive(trafficOf(event.step), event.flow, event.timeNs, nowNs);
    const Step& step = plan_.steps[static_cast<std::size_t>(event.step)];
    note(event.rank, event.epoch, Lane::link, step, halo::Kind::communication, Name::receive,
         received.beginNs, received.endNs, received.bytes, received.source);
    delivered(event.rank, event.step, event.epoch, received.endNs);
  }
  void sum(const Step& step, double enteredNs) override { lanes_.sum(step, enteredNs); }
  void moved(const Event&) override { HALO_CHECK(false && "nothing asked for"); }
  double busyUntilNs(int rank) const override { return lanes_.busyUntilNs(rank); }
};

}  // namespace

ClusterResult simulateEvents(const Plan& plan, const Machine& machine, const SimulateOptions& options) {
  if (auto problems = clockRefusals(plan, machine); !problems.empty()) throw InputError(std::move(problems));
  HALO_CHECK(options.rankSpeed.empty() || options.rankSpeed.size() == static_cast<std::size_t>(plan.ranks));
  const std::optional<Plan> changed = asMessages(plan, machine);
  return Events(changed ? *changed : plan, machine, options).run();
}

}  // namespace halo::cluster
