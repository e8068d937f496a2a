#pragma once

#include <span>
#include <vector>

namespace halo {

/// What each of several users gets of a resource that they share max-min fairly: nobody more than it asks
/// for, and nobody less than another gets unless that is all it asks for. Together they get all of it, or all
/// that they ask for.
///
/// demands  0 or more, or infinite; capacity 0 or more, in the same unit. Time: n log n.
std::vector<double> maxMinShares(std::span<const double> demands, double capacity);

/// Something that needs so much of a shared resource.
struct SharedUse {
  double amount = 0;  // 0 or more
  double most = 0;    // of it a second, if it had the resource to itself; above 0 if there is an amount
  int after = -1;     // begins when the use of this lower number ends; −1: with the first
};
/// When each ends, in seconds after the first begins: shares are dealt anew whenever one begins or ends.
/// Between, all go on steadily. Time: n² log n.
std::vector<double> sharedEnds(std::span<const SharedUse> uses, double capacity);

}  // namespace halo
