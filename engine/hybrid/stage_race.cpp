#include "engine/hybrid/stage_race.h"

#include <algorithm>
#include <limits>

#include "engine/base/check.h"
#include "engine/hybrid/sharing.h"

namespace halo {
namespace {

constexpr double kGiga = 1e9;

/// A task that is running: its part and what is left of it.
struct Running {
  const RaceTask* task = nullptr;
  std::size_t lane = 0, part = 0;
  double left = 0, rate = 0, begin = 0;
};

class Race {
 public:
  Race(const std::vector<RaceLane>& lanes, const HybridPlatform& platform)
      : lanes_(lanes), platform_(platform), next_(lanes.size(), 0), busy_(lanes.size(), 0) {
    first_.fill(-1);
  }

  RaceTimes run() {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) advance(lane);
    while (!running_.empty()) {
      setRates();
      double until = std::numeric_limits<double>::infinity();
      for (const Running& one : running_) until = std::min(until, one.left / one.rate);
      now_ += until;
      for (Running& one : running_) move(one, until);
      endParts();
    }
    times_.seconds = now_;
    return times_;
  }

 private:
  std::size_t index(const Running& one) const { return static_cast<std::size_t>(one.task->stage); }

  /// Starts the next step of a lane that has something to do.
  void advance(std::size_t lane) {
    while (busy_[lane] == 0 && next_[lane] < lanes_[lane].size())
      for (const RaceTask& task : lanes_[lane][next_[lane]++]) begin(task, lane);
  }

  void begin(const RaceTask& task, std::size_t lane) {
    Running one{&task, lane, 0, 0, 0, now_};
    if (!toNextPart(one, 0)) return;  // nothing to do
    double& first = first_[index(one)];
    if (first < 0) first = now_;
    ++busy_[lane];
    running_.push_back(one);
  }

  static bool toNextPart(Running& one, std::size_t part) {
    const auto& parts = one.task->parts;
    while (part < parts.size() && parts[part].amount <= 0) ++part;
    if (part == parts.size()) return false;
    HALO_CHECK(parts[part].most > 0);
    one.part = part;
    one.left = parts[part].amount;
    return true;
  }

  void setRates() {
    const auto sharing = [&](const Running& self) {
      return std::ranges::count_if(running_, [&](const Running& one) {
        if (one.task->stage != self.task->stage) return false;
        return platform_.sharedRootPort ? part(one).card >= 0 : part(one).card == part(self).card;
      });
    };
    std::vector<double> demands;
    for (Running& one : running_) {
      one.rate = part(one).most;
      if (part(one).card >= 0) one.rate /= static_cast<double>(sharing(one));
      demands.push_back(one.rate * part(one).hostPerUnit);
    }
    const std::vector<double> shares = maxMinShares(demands, platform_.hostMemoryGbps() * kGiga);
    for (std::size_t i = 0; i < running_.size(); ++i)
      if (shares[i] < demands[i]) running_[i].rate = shares[i] / part(running_[i]).hostPerUnit;
  }

  void move(Running& one, double seconds) {
    // what ends now has nothing left, whatever rounding says
    const double amount = one.left / one.rate <= seconds ? one.left : one.rate * seconds;
    one.left -= amount;
    times_.hostBytes += amount * part(one).hostPerUnit;
    if (part(one).card >= 0) times_.pcieBytes += amount;
  }

  void endParts() {
    std::vector<Running> still;
    std::vector<std::size_t> ended;
    for (Running& one : running_) {
      if (one.left > 0 || toNextPart(one, one.part + 1)) {
        still.push_back(one);
        continue;
      }
      times_.stageSeconds[index(one)] = now_ - first_[index(one)];
      times_.spans.push_back({one.task->stage, one.task->card, one.begin, now_});
      --busy_[one.lane];
      ended.push_back(one.lane);
    }
    running_ = std::move(still);
    for (const std::size_t lane : ended) advance(lane);
  }

  static const RacePart& part(const Running& one) { return one.task->parts[one.part]; }

  const std::vector<RaceLane>& lanes_;
  const HybridPlatform& platform_;
  std::vector<std::size_t> next_;  // step of each lane
  std::vector<int> busy_;          // tasks of its step that run
  std::vector<Running> running_;
  std::array<double, kHybridStages.size()> first_;
  double now_ = 0;
  RaceTimes times_;
};

}  // namespace

RaceTimes race(const std::vector<RaceLane>& lanes, const HybridPlatform& platform) {
  return Race(lanes, platform).run();
}

}  // namespace halo
