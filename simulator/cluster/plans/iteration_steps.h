#pragma once

#include "simulator/cluster/plans/model_shape.h"
#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// One iteration of a method that trains on mini-batches.
struct IterationRequest {
  const MethodEntry& method;
  const MethodStyle& style;
  const ModelShape& shape;
  LayerWork kind;
  const DrawnIteration& drawn;
  const std::vector<PredictedVolume>& volumes;  // of it, between pairs of ranks
};

/// Appends its steps to the plan: drawing block L … 1 with the questions and answers of each, fetching
/// features, what caches miss over the link to a rank's device, layers forward and backward, the gradients'
/// sum. With batches ahead (MethodStyle::ahead) what is asked and fetched is of a later iteration, and all of
/// it travels side by side.
///
/// Drawing is counted in bytes that it touches, at the machine's rate of copying: a line of memory where an
/// arc's source is looked up, and two where the source gets its number.
void writeIteration(const IterationRequest& request, Plan& plan);

/// Elements of the weights that have a row for each feature: of a method whose ranks step slices of them.
std::int64_t inputWeights(const ModelShape& shape, const LayerWork& kind);

}  // namespace halo::cluster
