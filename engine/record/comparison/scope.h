#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/record/rows/rows.h"
#include "engine/record/trace/span.h"

namespace halo {

/// Which epochs of a run are compared, both ends included. An end that is absent is the run's own.
struct Scope {
  std::optional<std::int64_t> first = {}, last = {};
  bool operator==(const Scope&) const = default;
};

/// Whether an epoch of this number lies between the ends.
constexpr bool isWithin(const Scope& scope, std::int64_t epoch) {
  return epoch >= scope.first.value_or(epoch) && epoch <= scope.last.value_or(epoch);
}

/// The epochs of `epochs` (one run's, in order) in scope. Those that fill a pipeline (EpochRow) are never
/// among them. A run's first epoch, which warms caches, is only where `scope.first` names it or it is alone.
std::vector<EpochRow> epochsIn(std::span<const EpochRow> epochs, const Scope& scope);

/// The epochs between the ends of `scope` that are not in it all the same, of one run or of several.
struct LeftOut {
  std::int64_t firsts = 0;   // that warm caches
  std::int64_t filling = 0;  // that fill a pipeline, and are no first ones
  bool operator==(const LeftOut&) const = default;
};
LeftOut leftOut(std::span<const EpochRow> epochs, const Scope& scope);

/// Whether a span is no part of any epoch: a rank that is ready early evaluates, probes or loads while others
/// still train.
constexpr bool liesBetweenEpochs(const Span& span) {
  return span.name == Name::evaluate || span.name == Name::probe || span.name == Name::load;
}

}  // namespace halo
