#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace halo {

/// Of an even number the mean of the middle two; of none NaN. O(n). Of numbers that come one by one there is
/// engine/record/analysis/median.h, which says the same.
template <class Number>
double median(std::vector<Number> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  const auto upper = static_cast<double>(*middle);
  if (values.size() % 2 == 1) return upper;
  return (static_cast<double>(*std::max_element(values.begin(), middle)) + upper) / 2;
}

}  // namespace halo
