#include "simulator/hybrid/hybrid_node.h"

#include <algorithm>
#include <deque>
#include <map>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/base/problem.h"

namespace halo::sim {
namespace {

constexpr double kGiga = 1e9;

struct UnderWay {
  std::int64_t number = 0;
  BatchWork work;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Medians, stage by stage.
HybridTimes medians(const std::vector<const HybridIteration*>& of) {
  HybridTimes times;
  for (double HybridTimes::*stage :
       {&HybridTimes::sampleCpu, &HybridTimes::sampleCard, &HybridTimes::load, &HybridTimes::transfer,
        &HybridTimes::trainCpu, &HybridTimes::trainCard, &HybridTimes::sync, &HybridTimes::hostMemory}) {
    std::vector<double> values;
    for (const HybridIteration* one : of) values.push_back(one->times.*stage);
    times.*stage = median(std::move(values));
  }
  return times;
}
double medianSeconds(const std::vector<const HybridIteration*>& of) {
  std::vector<double> values;
  for (const HybridIteration* one : of) values.push_back(one->seconds);
  return median(std::move(values));
}

/// How many of the iterations had which mapping.
using Mappings = std::map<HybridMapping, std::size_t>;
Mappings mappingsOf(const std::vector<const HybridIteration*>& iterations) {
  Mappings mappings;
  for (const HybridIteration* one : iterations) ++mappings[one->mapping];
  return mappings;
}

void checkStart(const HybridMapping& start, const HybridRequest& request, std::vector<Problem>& problems) {
  const auto wrong = [&](const char* key, std::int64_t value, const std::string& allowed) {
    problems.push_back({"", 0, 0, key, std::to_string(value) + " cannot be used; " + allowed});
  };
  const HybridPlatform& platform = request.platform;
  const std::int64_t most = request.batch - platform.cards;
  if (start.batch != request.batch)
    wrong("hybrid.start.batch", start.batch, "the batch, " + std::to_string(request.batch));
  if (start.cpuSeeds < 0 || start.cpuSeeds > most)
    wrong("hybrid.start.cpu_seeds", start.cpuSeeds,
          "0 to " + std::to_string(most) + ", a seed for each card");
  const int threads = start.sampleThreads + start.loadThreads + start.trainThreads;
  if (start.sampleThreads < 1 || start.loadThreads < 1 || start.trainThreads < (start.cpuTrains() ? 1 : 0) ||
      threads != platform.cpuThreads)
    wrong("hybrid.start.threads", threads,
          std::to_string(platform.cpuThreads) + " in all, one or more for each task that there is");
  const bool onCards = platform.cardSampleMedges > 0;
  if (!(start.cardSampleShare >= 0) || start.cardSampleShare > (onCards ? 1 : 0))
    problems.push_back({"", 0, 0, "hybrid.start.card_sample_share",
                        onCards ? "0 to 1" : "above 0, but cards of this platform do not sample"});
}

class Node {
 public:
  explicit Node(const HybridRequest& request)
      : request_(request),
        platform_(request.platform),
        prefetch_(prefetchOf(request.mode)),
        manager_(request.platform, prefetch_) {
    const bool cpuMayTrain = request.mode != HybridMode::baseline;
    mapping_ = staticMapping(platform_, request.work, request.sizes, request.batch, prefetch_, cpuMayTrain);
    if (request.start) mapping_ = *request.start;
  }

  HybridResult run() {
    // iterations between the sampling of a mini-batch and its propagation
    const int ahead = prefetch_ == Prefetch::none ? 0 : prefetch_ == Prefetch::oneStage ? 2 : 3;
    std::int64_t settled = ahead;  // the first iteration that the present mapping has to itself
    for (std::int64_t i = 0; i < request_.iterations + ahead; ++i) {
      iterate(i);
      if (request_.mode < HybridMode::managed || i - settled + 1 < request_.window) continue;
      decide(i);
      settled = i + 1 + (result_.decisions.back().shift == Shift::none ? 0 : ahead);
    }
    conclude(ahead);
    return std::move(result_);
  }

 private:
  const BatchWork* numbered(std::int64_t number) const {
    if (number < 0 || number >= request_.iterations) return nullptr;
    return &underWay_[at(number - underWay_.front().number)].work;
  }

  void iterate(std::int64_t i) {
    HybridIteration iteration;
    const bool one = prefetch_ == Prefetch::oneStage, two = prefetch_ == Prefetch::twoStage;
    const auto valid = [&](std::int64_t number) {
      return number >= 0 && number < request_.iterations ? number : -1;
    };
    iteration.sampled = valid(i);
    iteration.loaded = valid(i - (one || two ? 1 : 0));
    iteration.transferred = valid(i - (two ? 2 : one ? 1 : 0));
    iteration.trained = valid(i - (two ? 3 : one ? 2 : 0));
    iteration.mapping = mapping_;
    if (iteration.sampled >= 0) draw(i);

    const InIteration batches{numbered(iteration.sampled), numbered(iteration.loaded),
                              numbered(iteration.transferred), numbered(iteration.trained)};
    const auto lanes = lanesOf(platform_, request_.work, mapping_, prefetch_, batches);
    record(race(lanes, platform_), iteration);
    if (iteration.trained >= 0) underWay_.pop_front();
  }

  void record(const RaceTimes& times, HybridIteration& iteration) {
    const auto of = [&](HybridStage stage) { return times.stageSeconds[at(stage)]; };
    iteration.seconds = times.seconds;
    iteration.times = {of(HybridStage::sampleCpu), of(HybridStage::sampleCard),
                       of(HybridStage::load),      of(HybridStage::transfer),
                       of(HybridStage::trainCpu),  of(HybridStage::trainCard),
                       of(HybridStage::sync),      times.hostBytes / (platform_.hostMemoryGbps() * kGiga)};
    result_.seconds += times.seconds;
    result_.hostBytes += times.hostBytes;
    result_.pcieBytes += times.pcieBytes;
    result_.iterations.push_back(iteration);
  }

  void draw(std::int64_t number) {
    underWay_.push_back(
        {number, batchWork(platform_, request_.work, mapping_, [&](double seeds, int trainer) {
           const auto words = philox(request_.seed, Purpose::neighbourSample,
                                     static_cast<std::uint64_t>(number), static_cast<std::uint32_t>(trainer));
           return request_.sizes.of(seeds, words[0]);
         })});
    edges_.push_back(underWay_.back().work.edges);
  }

  std::vector<const HybridIteration*> last(std::int64_t count) const {
    std::vector<const HybridIteration*> chosen;
    for (std::size_t i = result_.iterations.size() - at(count); i < result_.iterations.size(); ++i)
      chosen.push_back(&result_.iterations[i]);
    return chosen;
  }

  void decide(std::int64_t i) {
    const auto window = last(request_.window);
    // sampling has ended: nothing is left to decide on
    if (window.back()->sampled < 0) return result_.decisions.push_back({i, Shift::none});
    mapping_ = manager_.next(mapping_, medians(window), medianSeconds(window));
    result_.decisions.push_back({i, manager_.last()});
  }

  void conclude(int ahead) {
    // of those in which all stages work, the second half
    std::vector<const HybridIteration*> full;
    for (const HybridIteration& one : result_.iterations)
      if (one.sampled >= 0 && one.trained >= 0) full.push_back(&one);
    full.erase(full.begin(), full.begin() + static_cast<std::ptrdiff_t>(full.size() / 2));
    if (full.empty())  // fewer mini-batches than stages
      for (const HybridIteration& one : result_.iterations) full.push_back(&one);
    HALO_CHECK(static_cast<int>(result_.iterations.size()) == request_.iterations + ahead);
    const Mappings mappings = mappingsOf(full);
    // not the last one: what the manager has just begun to try may be gone the next moment
    result_.mapping = std::ranges::max_element(mappings, {}, &Mappings::value_type::second)->first;
    result_.steady = medians(full);
    result_.steadySeconds = medianSeconds(full);
    result_.predictedSeconds = predicted(mappings);
    const std::int64_t perEpoch = (request_.work.trainVertices + request_.batch - 1) / request_.batch;
    result_.epochSeconds = static_cast<double>(perEpoch) * result_.steadySeconds;
    result_.steadyMteps = mteps(median(edges_), result_.steadySeconds);
  }

  /// The median of the model's iterations with these mappings.
  double predicted(const Mappings& mappings) const {
    std::vector<double> seconds;
    for (const auto& [mapping, iterations] : mappings)
      seconds.insert(
          seconds.end(), iterations,
          predictStages(platform_, request_.work, request_.sizes, mapping, prefetch_).iteration(prefetch_));
    return median(std::move(seconds));
  }

  const HybridRequest& request_;
  const HybridPlatform& platform_;
  Prefetch prefetch_;
  ResourceManager manager_;
  HybridMapping mapping_;
  std::deque<UnderWay> underWay_;
  std::vector<double> edges_;
  HybridResult result_;
};

}  // namespace

Prefetch prefetchOf(HybridMode mode) {
  return mode == HybridMode::twoStage   ? Prefetch::twoStage
         : mode == HybridMode::oneStage ? Prefetch::oneStage
                                        : Prefetch::none;
}

HybridResult simulateHybrid(const HybridRequest& request) {
  std::vector<Problem> problems;
  const auto least = [&](const char* key, int value) {
    if (value < 1) problems.push_back({"", 0, 0, key, std::to_string(value) + " cannot be used; 1 or more"});
  };
  least("hybrid.iterations", request.iterations);
  least("hybrid.window", request.window);
  if (request.start) checkStart(*request.start, request, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return Node(request).run();
}

}  // namespace halo::sim
