#include "engine/hybrid/stage_race.h"

#include <algorithm>
#include <limits>

#include "engine/base/check.h"
#include "engine/base/index.h"
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
      for (const Running& running : running_) until = std::min(until, running.left / running.rate);
      now_ += until;
      for (Running& running : running_) move(running, until);
      endParts();
    }
    times_.seconds = now_;
    return times_;
  }

 private:
  std::size_t index(const Running& running) const { return at(running.task->stage); }

  /// Starts the next step of a lane that has something to do.
  void advance(std::size_t lane) {
    while (busy_[lane] == 0 && next_[lane] < lanes_[lane].size())
      for (const RaceTask& task : lanes_[lane][next_[lane]++]) begin(task, lane);
  }

  void begin(const RaceTask& task, std::size_t lane) {
    Running running{&task, lane, 0, 0, 0, now_};
    if (!toNextPart(running, 0)) return;  // nothing to do
    double& first = first_[index(running)];
    if (first < 0) first = now_;
    ++busy_[lane];
    running_.push_back(running);
  }

  static bool toNextPart(Running& running, std::size_t part) {
    const auto& parts = running.task->parts;
    while (part < parts.size() && parts[part].amount <= 0) ++part;
    if (part == parts.size()) return false;
    HALO_CHECK(parts[part].most > 0);
    running.part = part;
    running.left = parts[part].amount;
    return true;
  }

  void setRates() {
    const auto sharing = [&](const Running& self) {
      return std::ranges::count_if(running_, [&](const Running& running) {
        if (running.task->stage != self.task->stage) return false;
        return platform_.sharedRootPort ? part(running).card >= 0 : part(running).card == part(self).card;
      });
    };
    std::vector<double> demands;
    for (Running& running : running_) {
      running.rate = part(running).most;
      if (part(running).card >= 0) running.rate /= static_cast<double>(sharing(running));
      demands.push_back(running.rate * part(running).hostPerUnit);
    }
    const std::vector<double> shares = maxMinShares(demands, platform_.hostMemoryGbps() * kGiga);
    for (std::size_t i = 0; i < running_.size(); ++i)
      if (shares[i] < demands[i]) running_[i].rate = shares[i] / part(running_[i]).hostPerUnit;
  }

  void move(Running& running, double seconds) {
    // what ends now has nothing left, whatever rounding says
    const double amount = running.left / running.rate <= seconds ? running.left : running.rate * seconds;
    running.left -= amount;
    times_.hostBytes += amount * part(running).hostPerUnit;
    if (part(running).card >= 0) times_.pcieBytes += amount;
  }

  void endParts() {
    std::vector<Running> still;
    std::vector<std::size_t> ended;
    for (Running& running : running_) {
      if (running.left > 0 || toNextPart(running, running.part + 1)) {
        still.push_back(running);
        continue;
      }
      times_.stageSeconds[index(running)] = now_ - first_[index(running)];
      times_.spans.push_back({running.task->stage, running.task->card, running.begin, now_});
      --busy_[running.lane];
      ended.push_back(running.lane);
    }
    running_ = std::move(still);
    for (const std::size_t lane : ended) advance(lane);
  }

  static const RacePart& part(const Running& running) { return running.task->parts[running.part]; }

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
