#include "simulator/hybrid/hybrid_node.h"

#include <algorithm>
#include <deque>
#include <map>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/median.h"
#include "engine/base/philox.h"
#include "engine/base/problem.h"

namespace halo::sim {
namespace {

struct UnderWay {
  std::int64_t number = 0;
  BatchWork work;
};

/// Medians, stage by stage.
HybridTimes medians(const std::vector<const HybridIteration*>& iterations) {
  HybridTimes times;
  for (double HybridTimes::*stage :
       {&HybridTimes::sampleCpu, &HybridTimes::sampleCard, &HybridTimes::load, &HybridTimes::transfer,
        &HybridTimes::trainCpu, &HybridTimes::trainCard, &HybridTimes::sync, &HybridTimes::hostMemory}) {
    std::vector<double> values;
    for (const HybridIteration* iteration : iterations) values.push_back(iteration->times.*stage);
    times.*stage = median(std::move(values));
  }
  return times;
}
double medianSeconds(const std::vector<const HybridIteration*>& iterations) {
  std::vector<double> values;
  for (const HybridIteration* iteration : iterations) values.push_back(iteration->seconds);
  return median(std::move(values));
}

/// How many of the iterations had which mapping.
using Mappings = std::map<HybridMapping, std::size_t>;
Mappings mappingsOf(const std::vector<const HybridIteration*>& iterations) {
  Mappings mappings;
  for (const HybridIteration* iteration : iterations) ++mappings[iteration->mapping];
  return mappings;
}

void checkStart(const HybridRequest& request, std::vector<Problem>& problems) {
  const auto wrong = [&](const char* key, std::int64_t value, const std::string& allowed) {
    problems.push_back({.key = key, .message = std::to_string(value) + " cannot be used; " + allowed});
  };
  const HybridPlatform& platform = request.platform;
  const HybridMapping& start = request.start;
  const std::int64_t most = start.batch - platform.cards;
  if (start.cpuSeeds < 0 || start.cpuSeeds > most)
    wrong("hybrid.start.cpu_seeds", start.cpuSeeds,
          "0 to " + std::to_string(most) + ", a seed for each card");
  if (start.sampleThreads < 1 || start.loadThreads < 1 || start.trainThreads < (start.cpuTrains() ? 1 : 0) ||
      start.threads() != platform.cpuThreads)
    wrong("hybrid.start.threads", start.threads(),
          std::to_string(platform.cpuThreads) + " in all, one or more for each task that there is");
  const bool onCards = platform.cardSampleMedges > 0;
  if (!(start.cardSampleShare >= 0) || start.cardSampleShare > (onCards ? 1 : 0))
    problems.push_back({.key = "hybrid.start.card_sample_share",
                        .message = onCards ? "0 to 1" : "above 0, but cards of this platform do not sample"});
}

class Node {
 public:
  explicit Node(const HybridRequest& request)
      : request_(request),
        platform_(request.platform),
        ahead_(iterationsAhead(request.prefetch)),
        manager_(request.platform, request.prefetch, request.start) {}

  HybridResult run() {
    result_.decidedAfter.push_back(-1);
    std::int64_t settled = ahead_;  // the first iteration that the present mapping has to itself
    for (std::int64_t i = 0; i < request_.iterations + ahead_; ++i) {
      iterate(i);
      // once sampling has ended nothing is left to decide on
      if (!request_.manage || i - settled + 1 < request_.window || i >= request_.iterations) continue;
      settled = i + 1 + (decide(i) ? ahead_ : 0);
    }
    conclude();
    return std::move(result_);
  }

 private:
  const BatchWork* numbered(std::int64_t number) const {
    if (number < 0 || number >= request_.iterations) return nullptr;
    return &underWay_[at(number - underWay_.front().number)].work;
  }

  void iterate(std::int64_t i) {
    HybridIteration iteration;
    const bool oneStage = request_.prefetch == Prefetch::one, twoStages = request_.prefetch == Prefetch::two;
    const auto valid = [&](std::int64_t number) {
      return number >= 0 && number < request_.iterations ? number : -1;
    };
    iteration.sampled = valid(i);
    iteration.loaded = valid(i - (oneStage || twoStages ? 1 : 0));
    iteration.transferred = valid(i - (twoStages ? 2 : oneStage ? 1 : 0));
    iteration.trained = valid(i - ahead_);
    iteration.mapping = manager_.mapping();
    if (iteration.sampled >= 0) draw(i);

    const InIteration batches{numbered(iteration.sampled), numbered(iteration.loaded),
                              numbered(iteration.transferred), numbered(iteration.trained)};
    if (batches.sampled != nullptr) iteration.sampledEdges = batches.sampled->edges;
    if (batches.loaded != nullptr) iteration.loadedBytes = batches.loaded->features;
    if (batches.transferred != nullptr)
      for (const TrainerLoad& card : batches.transferred->cards)
        iteration.transferredBytes += card.transferBytes;
    const auto lanes = lanesOf(platform_, request_.work, iteration.mapping, request_.prefetch, batches);
    record(race(lanes, platform_), iteration);
    if (iteration.trained >= 0) underWay_.pop_front();
  }

  void record(const RaceTimes& times, HybridIteration& iteration) {
    iteration.seconds = times.seconds;
    iteration.times = timesOf(times, platform_);
    result_.seconds += times.seconds;
    result_.hostBytes += times.hostBytes;
    result_.pcieBytes += times.pcieBytes;
    result_.iterations.push_back(iteration);
  }

  void draw(std::int64_t number) {
    const auto size = [&](double seeds, int trainer) {
      const auto words = philox(request_.seed, Purpose::neighbourSample, static_cast<std::uint64_t>(number),
                                static_cast<std::uint32_t>(trainer));
      return request_.sizes.sizeAt(seeds, words[0]);
    };
    underWay_.push_back({number, batchWork(platform_, request_.work, manager_.mapping(), size)});
    edges_.push_back(underWay_.back().work.edges);
  }

  std::vector<const HybridIteration*> last(std::int64_t count) const {
    std::vector<const HybridIteration*> chosen;
    for (std::size_t i = result_.iterations.size() - at(count); i < result_.iterations.size(); ++i)
      chosen.push_back(&result_.iterations[i]);
    return chosen;
  }

  /// Whether the mapping is another one now.
  bool decide(std::int64_t i) {
    const HybridMapping before = manager_.mapping();
    const auto window = last(request_.window);
    const HybridMapping after = manager_.endWindow(medians(window), medianSeconds(window));
    while (result_.decidedAfter.size() < manager_.decisions().size()) result_.decidedAfter.push_back(i);
    return after != before;
  }

  /// Of those in which all stages work, the ones at rest, or the second half.
  std::vector<const HybridIteration*> steady() const {
    std::vector<const HybridIteration*> full;
    const std::int64_t rest = manager_.atRest() ? result_.decidedAfter.back() : -1;
    for (std::size_t i = 0; i < result_.iterations.size(); ++i) {
      const HybridIteration& iteration = result_.iterations[i];
      const bool atRest = rest < 0 || static_cast<std::int64_t>(i) > rest + ahead_;
      if (iteration.sampled >= 0 && iteration.trained >= 0 && atRest) full.push_back(&iteration);
    }
    if (rest < 0) full.erase(full.begin(), full.begin() + static_cast<std::ptrdiff_t>(full.size() / 2));
    if (full.empty())  // fewer mini-batches than stages
      for (const HybridIteration& iteration : result_.iterations) full.push_back(&iteration);
    return full;
  }

  void conclude() {
    HALO_CHECK(static_cast<int>(result_.iterations.size()) == request_.iterations + ahead_);
    const auto full = steady();
    const Mappings mappings = mappingsOf(full);
    // not the last one: what the manager has just begun to try may be gone the next moment
    result_.mapping = std::ranges::max_element(mappings, {}, &Mappings::value_type::second)->first;
    result_.decisions = manager_.decisions();
    result_.windowsToRest = manager_.windowsToRest();
    result_.steady = medians(full);
    result_.steadySeconds = medianSeconds(full);
    result_.predicted = predictStages(platform_, request_.work, request_.sizes, result_.mapping);
    result_.predictedSeconds = result_.predicted.iteration(request_.prefetch);
    const std::int64_t batch = request_.start.batch;
    const std::int64_t perEpoch = (request_.work.trainVertices + batch - 1) / batch;
    result_.epochSeconds = static_cast<double>(perEpoch) * result_.steadySeconds;
    result_.steadyMteps = mteps(median(edges_), result_.steadySeconds);
  }

  const HybridRequest& request_;
  const HybridPlatform& platform_;
  int ahead_;
  ResourceManager manager_;
  std::deque<UnderWay> underWay_;
  std::vector<double> edges_;
  HybridResult result_;
};

}  // namespace

HybridResult simulateHybrid(const HybridRequest& request) {
  std::vector<Problem> problems;
  const auto least = [&](const char* key, int value) {
    if (value < 1)
      problems.push_back({.key = key, .message = std::to_string(value) + " cannot be used; 1 or more"});
  };
  least("hybrid.iterations", request.iterations);
  least("hybrid.window", request.window);
  checkStart(request, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return Node(request).run();
}

}  // namespace halo::sim
