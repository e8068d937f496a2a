#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/hybrid/stage_model.h"

namespace halo {

/// What the resource manager may change.
enum class Shift : std::uint8_t {
  none,
  work,           // seeds between processors and cards
  sampling,       // neighbours sampled between processors and cards
  sampleThreads,  // threads to sampling, loading or training, from another of them
  loadThreads,
  trainThreads,
  undo,  // the last change, which made iterations no shorter
};
std::string_view nameOf(Shift shift);

/// HyScale's dynamic resource management (Algorithm 1, rebuilt from IV-A): at the end of each window
/// it looks at the stages' median times and does at most one thing for the longest.
///
/// Departures: a change after which an iteration is not shorter is undone (not only one that made it longer)
/// and not tried again before another one helped, so that it comes to rest; where cards do not sample, "cards
/// are the fastest, then sampling on cards" is "cards are the fastest". Processors that do not train get no
/// work.
class ResourceManager {
 public:
  ResourceManager(const HybridPlatform& platform, Prefetch prefetch)
      : platform_(platform), prefetch_(prefetch) {}

  /// The mapping for the next window: by what the stages took in this one with `mapping`, and an iteration.
  HybridMapping next(const HybridMapping& mapping, const HybridTimes& times, double iterationSeconds);
  /// What the last call did.
  Shift last() const { return last_; }

 private:
  enum Task : std::size_t { kSampleCard, kSampleCpu, kLoad, kTrainCpu, kCard, kTasks };
  using Times = std::array<double, kTasks>;
  struct Change {
    Shift shift = Shift::none;
    Task from = kTasks;
    bool operator==(const Change&) const = default;
  };
  struct Trial {
    Change change;
    HybridMapping before;
    double seconds = 0;
  };

  bool sampledOnCards() const { return platform_.cardSampleMedges > 0; }
  std::vector<Task> rising(const Times& times, bool cpuTrains) const;
  HybridMapping improved(const HybridMapping& mapping, const Times& times, Change& change) const;
  HybridMapping balanceWork(const HybridMapping& mapping, const Times& times) const;
  HybridMapping balanceSampling(const HybridMapping& mapping, const Times& times) const;
  HybridMapping balanceThreads(const HybridMapping& mapping, const std::vector<Task>& order, Task to,
                               Change& change) const;

  const HybridPlatform& platform_;
  Prefetch prefetch_;
  std::optional<Trial> trial_;
  std::vector<Change> refused_;
  Shift last_ = Shift::none;
};

}  // namespace halo
