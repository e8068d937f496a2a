#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/hybrid/mapping.h"
#include "engine/hybrid/platform.h"
#include "engine/hybrid/prefetch.h"
#include "engine/hybrid/stage_model.h"
#include "engine/record/rows/hybrid_rows.h"

namespace halo {

/// A change of a mapping, in the words of a recording: what is done, who gives and who gets.
struct ManagerChange {
  MappingAction action = MappingAction::start;
  MappingPart from = MappingPart::none, to = MappingPart::none;
  bool operator==(const ManagerChange&) const = default;
};

/// One decision. `mapping` is what was tried; what holds after an undone one is that of the last that was
/// kept.
struct ManagerDecision {
  ManagerChange change;
  HybridMapping mapping;
  double beforeSeconds = 0;            // of an iteration, before
  std::optional<double> afterSeconds;  // in the window that tried it
  DecisionOutcome outcome = DecisionOutcome::open;
  std::int64_t window = 0;  // after which it was taken, from 1; 0: before the first
};

/// As it is recorded; `epoch` and `iteration` are left to who knows them.
/// number: among the decisions of the run, from 0; cards: of the platform.
DecisionRow decisionRow(const ManagerDecision& decision, std::size_t number, int cards);

/// HyScale's dynamic resource management (Algorithm 1, whose listing is lost; rebuilt from IV-A). At the end
/// of each window it looks at the stages' median times and tries at most one change. It undoes the change
/// unless an iteration became 1 % shorter.
///
/// It comes to rest. With constant times at most ln(T_0 / T_min) / 0.01005 changes are kept. Between two of
/// them each of at most ten is refused once. Once T is 10 % off what it was at rest, for two windows, it
/// tries again.
class ResourceManager {
 public:
  ResourceManager(const HybridPlatform& platform, Prefetch prefetch, const HybridMapping& start);

  /// The mapping for the next window: by what the stages took in this one, and an iteration.
  const HybridMapping& endWindow(const HybridTimes& times, double iterationSeconds);
  const HybridMapping& mapping() const { return state_.mapping; }
  bool atRest() const { return state_.rest.has_value(); }
  /// From the first, which is the start, but for those that were forgotten. A kept one's mapping differs from
  /// that before it by its change.
  const std::vector<ManagerDecision>& decisions() const { return decisions_; }
  /// Drops those that nothing will change any more, so that a run of any number of decisions holds bounded
  /// memory; how many they were.
  std::size_t forgetJudged();
  /// Changes that were tried, kept or not.
  std::int64_t tried() const { return state_.tried; }
  /// Windows until it came to rest, the last of them included; 0: it has not.
  std::int64_t windowsToRest() const { return atRest() ? state_.rest->window : 0; }

  // What it goes on with in another process, all plain values.

  struct Measured {
    HybridTimes times;
    double seconds = 0;
  };
  struct Trial {
    ManagerChange change;
    HybridMapping before;
    Measured measured;  // before it
  };
  struct Refusal {
    ManagerChange change;
    std::int64_t kept = 0;  // changes that had been kept
  };
  struct Rest {
    double seconds = 0;
    std::int64_t window = 0;
    int off = 0;  // windows in a row
  };
  struct State {
    HybridMapping mapping;
    std::optional<Trial> trial;
    std::optional<Rest> rest;
    std::int64_t windows = 0, kept = 0, tried = 0;
  };
  const State& state() const { return state_; }
  const std::vector<Refusal>& refusals() const { return refused_; }
  void resume(const State& state, std::vector<Refusal> refusals, std::vector<ManagerDecision> decisions);

 private:
  void judge(Measured& now);
  bool restGoesOn(double seconds);
  void tryNext(const Measured& now);
  bool refuses(const ManagerChange& change) const;

  const HybridPlatform& platform_;
  Prefetch prefetch_;
  State state_;
  std::vector<Refusal> refused_;
  std::vector<ManagerDecision> decisions_;
};

}  // namespace halo
