#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/matrix.h"
#include "engine/comm/link/shared_memory.h"
#include "engine/methods/minibatch/closed_part.h"
#include "engine/methods/worker/worker_parts.h"

namespace halo {

/// The features of all vertices, in memory that the ranks of one host share. They are n × d_0 elements, each
/// held once beside the rows that its owner has. Mapped features are held by nobody.
class HostFeatures {
 public:
  /// Collective, uncounted. Throws on every rank where they cannot share that much.
  explicit HostFeatures(WorkerParts& parts);

  Index width() const { return width_; }
  std::span<const Scalar> row(Vertex v) const {
    return {values_ + static_cast<Index>(v) * width_, at(width_)};
  }
  /// Of the rows that this rank owns.
  std::size_t ownBytes() const { return ownBytes_; }

 private:
  Index width_;
  std::size_t ownBytes_;
  std::unique_ptr<SharedMemory> memory_;
  const Scalar* values_ = nullptr;
};

/// Rows of features that a rank keeps, filled once: of the vertices with the most arcs into its part, ties to
/// smaller ids. A row is a hit, or it is copied from the host's memory.
class FeatureCache {
 public:
  /// capacity: rows at most. The host's features outlive this.
  FeatureCache(const HostFeatures& host, const ClosedPart& part, Index capacity);

  Index rows() const { return kept_.rows(); }
  /// Σ out-degree of the kept vertices over that of all in the part; 0 where no arc is.
  double expectedHitRatio() const { return expected_; }
  /// `out` gets the rows of `vertices`. Returns how many were kept.
  Index read(std::span<const Vertex> vertices, Matrix& out) const;
  std::size_t heldBytes() const { return kept_.heldBytes() + halo::heldBytes(placeOf_); }

 private:
  const HostFeatures& host_;
  Matrix kept_;
  std::vector<Vertex> placeOf_;  // by vertex of the whole graph; −1: not kept
  double expected_ = 0;
};

}  // namespace halo
