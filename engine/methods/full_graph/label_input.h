#pragma once

#include <cstdint>
#include <vector>

#include "engine/methods/worker/worker_parts.h"

namespace halo {

/// Masked label propagation (SuperGCN 2): to the input rows of some training vertices the embedding of their
/// label is added, a trained weight. The others are what the loss is of, so that no vertex is asked for what
/// it was told. Evaluation is told the labels of all training vertices.
///
///   rows = X + S E      S (own × classes): the labels that are shown      E (classes × d_0)
///   dE = Sᵀ dRows       of several labels a vertex, the sum of their embeddings
///
/// Whose label is shown goes by (seed, draw, vertex), so it is the same for any number of ranks. X, the
/// features, stay as they are: owners add before anything travels.
class LabelInput {
 public:
  /// share: [0, 1), of the training vertices, each on its own. drawEvery: epochs until it is drawn anew; 0:
  /// never.
  LabelInput(WorkerParts& parts, double share, std::int32_t drawEvery);

  /// Before a forward pass.
  void show(std::int32_t epoch, bool training);
  /// The input of layer 0 (own × d_0).
  const Matrix& rows() const { return rows_; }
  /// Of a training pass: training vertices whose label was not shown.
  const std::vector<std::uint8_t>& learned() const { return learned_; }
  /// What each of their losses counts: 1 over how many they are expected to be, over all ranks.
  double lossWeight() const { return lossWeight_; }
  /// The gradient of the embedding from that of `rows`.
  void backward(const Matrix& dRows);

 private:
  bool shows(Vertex v, std::int32_t epoch) const;

  const WorkerParts& parts_;
  Weight& embedding_;
  double share_, lossWeight_;
  std::int32_t drawEvery_;
  Csr labels_, holders_;  // own × classes, and the transpose; values: 1 shown, 0 not
  Matrix rows_;
  std::vector<std::uint8_t> learned_, shown_;
};

/// Refuses so many labels shown that in all epochs less than one training vertex is to be expected to learn
/// from. It also refuses where none is left by what this run's seed draws. A split without training vertices
/// is for who reads it.
std::vector<Problem> refuseShownLabels(const RunSettings& run, const std::vector<Split>& split);

}  // namespace halo
