#pragma once

#include <span>

#include "datasets/graph/csr.h"
#include "engine/base/matrix.h"

namespace halo {

/// A step of a running mean m of values x that arrive one after another: m ← keep · m + take · x.
struct MeanStep {
  Scalar keep = 0, take = 1;
};

/// One step, of every element: reads both, writes the mean.
void smooth(const MeanStep& step, std::span<const Scalar> x, std::span<Scalar> mean);
/// The same, and X row rows[i] += row i of the new mean, in one pass; rows must not repeat.
void smoothAndAdd(const MeanStep& step, std::span<const Scalar> x, std::span<Scalar> mean,
                  std::span<const Vertex> rows, Matrix& X);

}  // namespace halo
