#include "engine/run/protocol/lost_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace halo {

std::string lostWeightsText(const std::vector<std::string>& names) {
  return names.empty() ? "" : fmt::format("weights hold what is no number: {}", fmt::join(names, ", "));
}

bool LostNumbers::add(std::span<const EpochRow> epochs) {
  const std::int64_t before = epochs_;
  for (const EpochRow& epoch : epochs) {
    if (!std::isfinite(epoch.loss)) continue;  // ends the run, which says why
    bool lost = false;
    for (const auto& [name, score] :
         {std::pair{"train", &epoch.train}, {"valid", &epoch.valid}, {"test", &epoch.test}}) {
      if (!*score || !std::isnan(**score)) continue;
      lost = true;
      if (std::ranges::find(splits_, name) == splits_.end()) splits_.emplace_back(name);
    }
    if (lost && epochs_++ == 0) first_ = epoch.epoch;
  }
  return epochs_ > before;
}

std::string LostNumbers::remark() const {
  std::string text;
  if (epochs_ > 0)
    text += fmt::format("scores are no number: {} {} {}", fmt::join(splits_, ", "),
                        epochs_ == 1 ? "in epoch" : fmt::format("in {} epochs, first in", epochs_), first_);
  if (!weights_.empty()) text += (text.empty() ? "" : "; ") + lostWeightsText(weights_);
  return text.empty() ? "" : fmt::format("{}. Training diverged; {}", text, kAgainstDivergence);
}

}  // namespace halo
