#pragma once

#include <span>
#include <vector>

#include "engine/methods/minibatch/batch_source.h"
#include "engine/sampling/square_sampler.h"

namespace halo {

/// How many vertex sets V' an epoch draws, and what each counts in the loss:
///
///   uniform   I = ⌈n / b⌉;   the mean over V' ∩ train, the epoch's over all of these
///   saint-…   I = ⌈n_train / mean |V'|⌉;   Σ_{v ∈ V' ∩ train} ℓ_v / (λ_v n_train), the epoch's is their
///   mean
///
/// Training vertices that no set ever has (λ_v = 0) are in no loss and not in n_train. An iteration whose V'
/// has no training vertex passes nothing and updates nothing; for the epoch of saint-… its loss is 0.
class SetLoss {
 public:
  /// trains: by vertex of the whole graph. All outlive this. Throws InputError where no set has a training
  /// vertex. Rank 0 says on stderr how many are never drawn.
  SetLoss(const BatchParts& parts, const SquareSampler& sampler, std::span<const std::uint8_t> trains);

  Index iterations() const { return iterations_; }
  double neverDrawn() const { return static_cast<double>(neverDrawn_); }

  /// members: V'. own: those of its members that are this rank's, whose rows it passes.
  void take(std::span<const Vertex> members, std::span<const Vertex> own);
  bool trains() const { return inLoss_ > 0; }
  /// Of what was taken last.
  BatchLoss loss() const;
  std::size_t heldBytes() const { return halo::heldBytes(chosen_) + halo::heldBytes(factors_); }

 private:
  const SquareSampler& sampler_;
  std::span<const std::uint8_t> trains_;
  bool countsMean_;
  Index neverDrawn_ = 0, trained_ = 0, iterations_ = 0;
  Index inLoss_ = 0;                  // |V' ∩ train|
  std::vector<std::uint8_t> chosen_;  // of own rows
  std::vector<double> factors_;       // 1 / λ_v
};

}  // namespace halo
