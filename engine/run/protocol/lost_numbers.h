#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/record/rows/rows.h"

namespace halo {

/// What helps a training that diverges.
inline constexpr const char* kAgainstDivergence =
    "a smaller training.learning_rate, model.norm = \"layer\" or dataset.normalize_features = \"row\" may "
    "help";

/// One clause that names the weights in which there is a NaN or an infinity; "": there are none.
std::string lostWeightsText(const std::vector<std::string>& names);

/// What a run that did not end by its loss has that is no number: scores of epochs, and its last weights.
class LostNumbers {
 public:
  /// Whether one of these epochs lost a score.
  bool add(std::span<const EpochRow> epochs);
  /// Names of the weights in which there is a NaN or an infinity.
  void setWeights(std::vector<std::string> names) { weights_ = std::move(names); }

  /// One sentence or two, or "": all are numbers.
  std::string remark() const;
  /// In how many a score was lost.
  std::int64_t epochs() const { return epochs_; }

 private:
  std::vector<std::string> splits_;  // in which a score was lost
  std::int64_t epochs_ = 0, first_ = 0;
  std::vector<std::string> weights_;
};

}  // namespace halo
