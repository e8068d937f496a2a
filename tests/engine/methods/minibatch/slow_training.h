// Training on blocks as resources/design/methods.md has it, in plain loops in one process, in double. Shares
// no sampling, exchange or kernel with the engine. gcn or graphsage, aggregate-first, ReLU.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "tests/engine/methods/defined_training.h"
#include "tests/engine/sampling/slow_sampling.h"

namespace halo::test {

inline slow::Rows slowRows(const Csr& A) {
  slow::Rows rows;
  for (Index v = 0; v < A.rows(); ++v) rows.emplace_back(A.row(v).begin(), A.row(v).end());
  return rows;
}

/// V[l], l = 0 … L, and of P[l], l = 1 … L, the entries by number of target and of source; P[0] is empty.
struct SlowLayers {
  std::vector<std::vector<int>> V;
  std::vector<std::vector<Entry>> P;
};

class SlowTraining {
 public:
  /// Begins with the weights that `many` has now; all outlive this.
  SlowTraining(const Trained& many, const Dataset& set)
      : set_(set),
        settings_(many.settings),
        rows_(slowRows(set.arcs)),
        outDegrees_(rows_.size(), 0),
        features_(rowsOf(set.features)) {
    for (const auto& row : rows_)
      for (const int u : row) ++outDegrees_[at(u)];
    for (auto& [name, weight] : many.model->weights()) weights_[name].value = rowsOf(weight->value);
  }

  /// Largest difference of a weight, in units of the array's largest.
  double farthestFrom(const Trained& many) const {
    double most = 0;
    for (auto& [name, weight] : many.model->weights()) {
      double difference = 0, size = 1e-30;
      const Rows& value = weights_.at(name).value;
      for (Index k = 0; k < weight->value.rows(); ++k)
        for (Index c = 0; c < weight->value.cols(); ++c) {
          difference =
              larger(difference, std::abs(static_cast<double>(weight->value(k, c)) - value[at(k)][at(c)]));
          size = std::max(size, std::abs(value[at(k)][at(c)]));
        }
      most = larger(most, difference / size);
    }
    return most;
  }

  const DefinedWeights& weights() const { return weights_; }

  /// Of all vertices, each with all its neighbours, with the weights as they are.
  Rows outputsOfAll() const {
    std::vector<int> all(rows_.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<Entry> entries;
    for (const int v : all) {
      if (!sage()) entries.push_back({at(v), at(v), whole(at(v), at(v))});
      for (const int u : slow::others(rows_, v)) entries.push_back({at(v), at(u), whole(at(v), at(u))});
    }
    const auto levels = at(settings_.model.layers) + 1;
    const SlowLayers layers{std::vector(levels, all), std::vector(levels, entries)};
    return forward(layers, /*step=*/0, /*training=*/false).A.back();
  }

 protected:
  /// What a pass keeps of its layers: what enters them before dropout (the outputs last) and after it, and
  /// what is aggregated of that.
  struct Passed {
    std::vector<Rows> A, H, Z;
  };

  Passed forward(const SlowLayers& layers, std::uint64_t step, bool training) const {
    Passed passed;
    auto& [A, H, Z] = passed;
    A.resize(1);
    for (const int v : layers.V[0]) A[0].push_back(features_[at(v)]);
    for (int l = 0; l < count(layers); ++l) {
      H.push_back(training ? dropped(A[at(l)], layers.V[at(l)], l, step) : A[at(l)]);
      const std::size_t targets = layers.V[at(l) + 1].size();
      Z.push_back(zeros(targets, H[at(l)].empty() ? 0 : H[at(l)].front().size()));
      for (const Entry& e : layers.P[at(l) + 1]) addTo(Z[at(l)][e.v], e.value, H[at(l)][e.u]);
      A.emplace_back();
      for (std::size_t v = 0; v < targets; ++v) {
        Row U = product(Z[at(l)][v], neighbourWeight(l).value);
        if (sage()) addTo(U, 1, product(H[at(l)][v], weight(l, "weight_self").value));
        addTo(U, 1, weight(l, "bias").value[0]);
        for (double& x : U) x = l + 1 < count(layers) ? std::max(x, 0.0) : x;
        A[at(l) + 1].push_back(U);
      }
    }
    return passed;
  }

  /// Trains on the outputs, each of which counts so much; their loss before.
  double update(const SlowLayers& layers, const std::vector<double>& outputWeights, std::uint64_t step) {
    const double loss = makeGradients(layers, outputWeights, step);
    stepWeights();
    return loss;
  }

  /// The first half of that: the loss, and its gradients in weights_.
  double makeGradients(const SlowLayers& layers, const std::vector<double>& outputWeights,
                       std::uint64_t step) {
    const Passed passed = forward(layers, step, /*training=*/true);
    const auto& [A, H, Z] = passed;
    Rows dU;
    const double loss = crossEntropy(A.back(), layers.V.back(), outputWeights, dU);
    for (int l = count(layers) - 1; l >= 0; --l) {
      setGradients(weights_, l, Z[at(l)], H[at(l)], dU);
      if (l == 0) break;
      Rows dH(A[at(l)].size(), Row(A[at(l)].empty() ? 0 : A[at(l)].front().size(), 0));
      for (const Entry& e : layers.P[at(l) + 1])
        addTo(dH[e.u], e.value, productTransposed(dU[e.v], neighbourWeight(l).value));
      for (std::size_t v = 0; v < dU.size() && sage(); ++v)
        addTo(dH[v], 1, productTransposed(dU[v], weight(l, "weight_self").value));
      const Rows mask = dH.empty() ? Rows() : maskOf(dH, layers.V[at(l)], l, step);
      for (std::size_t v = 0; v < dH.size(); ++v) {
        dH[v] = times(mask[v], dH[v]);
        for (std::size_t c = 0; c < dH[v].size(); ++c) dH[v][c] *= A[at(l)][v][c] > 0 ? 1 : 0;
      }
      dU = dH;
    }
    return loss;
  }

  /// By the gradients as they stand.
  void stepWeights() {
    const TrainingSettings& training = settings_.training;
    if (training.optimizer == "adam") return stepAdam(weights_, ++steps_, training.learningRate);
    for (auto& [name, weight] : weights_)
      for (std::size_t k = 0; k < weight.value.size(); ++k)
        addTo(weight.value[k], -training.learningRate, weight.gradient[k]);
  }

  /// P_vu of the whole graph.
  double whole(std::size_t v, std::size_t u) const {
    const auto degree = static_cast<double>(rows_[v].size());
    return sage() ? 1 / degree : 1 / std::sqrt((degree + 1) * (outDegrees_[u] + 1));
  }
  bool sage() const { return settings_.model.kind == "graphsage"; }

  const Dataset& set_;
  const RunSettings& settings_;
  slow::Rows rows_;
  DefinedWeights weights_;

 private:
  static int count(const SlowLayers& layers) { return static_cast<int>(layers.V.size()) - 1; }
  const Trainable& weight(int layer, const std::string& name) const {
    return weights_.at("layer" + std::to_string(layer) + "." + name);
  }
  const Trainable& neighbourWeight(int layer) const {
    return weight(layer, sage() ? "weight_neighbour" : "weight");
  }

  /// What a layer reads: H, with elements dropped.
  Rows dropped(const Rows& H, const std::vector<int>& ids, int layer, std::uint64_t step) const {
    if (settings_.model.dropout == 0 || H.empty()) return H;
    const Rows mask = maskOf(H, ids, layer, step);
    Rows output = H;
    for (std::size_t i = 0; i < H.size(); ++i) output[i] = times(mask[i], H[i]);
    return output;
  }
  Rows maskOf(const Rows& like, const std::vector<int>& ids, int layer, std::uint64_t step) const {
    Rows mask = like;
    for (std::size_t i = 0; i < mask.size(); ++i)
      for (std::size_t c = 0; c < mask[i].size(); ++c)
        mask[i][c] = slow::kept(settings_.training.seed, ids[i], step, layer, static_cast<int>(c),
                                settings_.model.dropout);
    return mask;
  }

  double crossEntropy(const Rows& outputs, const std::vector<int>& seeds,
                      const std::vector<double>& seedWeights, Rows& gradient) const {
    double loss = 0;
    gradient = outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      double sum = 0;
      for (const double x : outputs[i]) sum += std::exp(x);
      const auto label = at(set_.labels[at(seeds[i])]);
      loss += seedWeights[i] * (std::log(sum) - outputs[i][label]);
      for (std::size_t c = 0; c < outputs[i].size(); ++c)
        gradient[i][c] = seedWeights[i] * (std::exp(outputs[i][c]) / sum - (c == label ? 1 : 0));
    }
    return loss;
  }

  std::vector<int> outDegrees_;
  Rows features_;
  int steps_ = 0;
};

}  // namespace halo::test
