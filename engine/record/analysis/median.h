#pragma once

#include <functional>
#include <queue>
#include <vector>

namespace halo {

/// Of numbers that come one by one; of an even number the mean of the middle two.
class Median {
 public:
  /// O(log n).
  void add(double value);
  bool empty() const { return low_.empty(); }
  /// Of one number at least.
  double value() const;

 private:
  std::priority_queue<double> low_;  // the smaller half, one more where the number is odd
  std::priority_queue<double, std::vector<double>, std::greater<>> high_;
};

}  // namespace halo
