#pragma once

#include <span>
#include <vector>

#include "engine/record/rows/rows.h"
#include "views/spans/span_store.h"

namespace halo {

/// Epochs that are laid over each other by their begins.
struct FoldedEpochs {
  std::vector<EpochRow> epochs;
  std::vector<std::int64_t> outliers;  // numbers, in order
  std::int64_t medianNs = 0;
  std::int64_t lengthNs = 0;  // of the longest that is no outlier
};
/// Of a run's epochs those that its means are made of. Outliers last by more than one and a half distances of
/// the quartiles longer or shorter than these (Tukey, 1977).
FoldedEpochs foldedEpochs(std::span<const EpochRow> epochs);

/// The share of time that a lane is at work, computing or quantising, in columns of equal length since the
/// begin of an epoch. It is median and quartiles over the epochs. NaN in columns that most epochs do not last
/// to.
struct FoldedLane {
  std::vector<float> low, median, high;
};
/// Of columns that together last `lengthNs`. O(epochs · columns · log spans).
FoldedLane foldedLane(const SpanRow& spans, std::span<const EpochRow> epochs, std::int64_t lengthNs,
                      int columns);

}  // namespace halo
