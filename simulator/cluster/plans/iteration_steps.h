#pragma once

#include <map>
#include <tuple>

#include "simulator/cluster/plans/model_shape.h"
#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// Bytes of memory that drawing touches: of an arc's source that is looked up, and of one that gets its
/// number. A line is 64.
inline constexpr std::int64_t kDrawBytes = 64, kNumberBytes = 128;

/// What ranks send in each layer, pass and round (PredictedVolume::round).
using RoundTraffic = std::map<std::tuple<int, Pass, int>, Traffic>;

/// One iteration of a method whose ranks ask owners for what a mini-batch reads.
struct IterationRequest {
  const MethodEntry& method;
  const MethodStyle& style;
  const ModelShape& shape;
  LayerWork kind;
  const DrawnIteration& drawn;
  const RoundTraffic& traffic;  // of it
};

/// Appends its steps to the plan. These draw block L … 1 with the questions and answers of each, and fetch
/// features. What caches miss comes over the link to a rank's device. Layers forward and backward follow,
/// then the gradients' sum. With batches ahead (MethodStyle::ahead) what is asked and fetched is of a later
/// iteration, and goes between the kernels: message after message, as one asks and the next answers.
///
/// Drawing is counted in bytes that it touches, at the machine's rate of copying. An arc's source that is
/// looked up touches a line of memory, and one that gets its number touches two.
void writeIteration(const IterationRequest& request, Plan& plan);

/// Elements of the weights that have a row for each feature: of a method whose ranks step slices of them.
std::int64_t inputWeights(const ModelShape& shape, const LayerWork& kind);

}  // namespace halo::cluster
