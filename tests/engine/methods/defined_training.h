// Training as resources/design/methods.md has it: the whole graph in one process, element by element,
// in double, with nothing of the engine's kernels, layers and optimizer but the keyed draws. What a method
// does to what passes between vertices, who derives from this says. Aggregate-first, without norm, gcn or
// graphsage.
#pragma once

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "engine/base/index.h"
#include "engine/kernels/dense/activation.h"
#include "tests/engine/methods/trained.h"

namespace halo::test {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

inline Rows zeros(std::size_t rows, std::size_t cols) { return Rows(rows, Row(cols, 0)); }

inline Rows rowsOf(const Matrix& X) {
  Rows rows;
  for (Index i = 0; i < X.rows(); ++i) rows.emplace_back(X.row(i).begin(), X.row(i).end());
  return rows;
}

/// to += factor · from
inline void addTo(Row& to, double factor, const Row& from) {
  for (std::size_t c = 0; c < to.size(); ++c) to[c] += factor * from[c];
}

inline Row times(const Row& a, const Row& b) {
  Row product = a;
  for (std::size_t c = 0; c < a.size(); ++c) product[c] *= b[c];
  return product;
}

/// row · W, row · Wᵀ
inline Row product(const Row& row, const Rows& W) {
  Row out(W.front().size(), 0);
  for (std::size_t k = 0; k < W.size(); ++k) addTo(out, row[k], W[k]);
  return out;
}
inline Row productTransposed(const Row& row, const Rows& W) {
  Row out(W.size(), 0);
  for (std::size_t k = 0; k < W.size(); ++k)
    for (std::size_t c = 0; c < row.size(); ++c) out[k] += row[c] * W[k][c];
  return out;
}

/// An entry P[v, u] of the propagation matrix.
struct Entry {
  std::size_t v = 0, u = 0;
  double value = 0;
};

inline std::vector<Entry> entriesOf(const Csr& P) {
  std::vector<Entry> entries;
  for (Index v = 0; v < P.rows(); ++v)
    for (Index k = P.offsets[at(v)]; k < P.offsets[at(v) + 1]; ++k)
      entries.push_back(
          {at(v), at(P.columns[at(k)]), P.weighted() ? static_cast<double>(P.values[at(k)]) : 1.0});
  return entries;
}

/// A parameter with its gradient and Adam's means.
struct Trainable {
  Rows value, gradient, mean, square;
};
using DefinedWeights = std::map<std::string, Trainable>;  // by name

/// Of layer l whose outputs have the gradient dU: Z is what was propagated to its rows, `own` their own
/// input.
inline void setGradients(DefinedWeights& weights, int l, const Rows& Z, const Rows& own, const Rows& dU) {
  for (const std::string name : {"weight", "weight_neighbour", "weight_self", "bias"}) {
    const auto entry = weights.find("layer" + std::to_string(l) + "." + name);
    if (entry == weights.end()) continue;
    Trainable& w = entry->second;
    w.gradient = zeros(w.value.size(), w.value.front().size());
    for (std::size_t v = 0; v < dU.size(); ++v) {
      const Row input = name == "bias" ? Row{1} : name == "weight_self" ? own[v] : Z[v];
      for (std::size_t k = 0; k < input.size(); ++k) addTo(w.gradient[k], input[k], dU[v]);
    }
  }
}

/// Adam's step number `step`, from 1.
inline void stepAdam(DefinedWeights& weights, int step, double rate) {
  for (auto& [name, w] : weights) {
    if (w.mean.empty()) w.mean = w.square = zeros(w.value.size(), w.value.front().size());
    for (std::size_t k = 0; k < w.value.size(); ++k)
      for (std::size_t c = 0; c < w.value[k].size(); ++c) {
        const double g = w.gradient[k][c];
        w.mean[k][c] = 0.9 * w.mean[k][c] + 0.1 * g;
        w.square[k][c] = 0.999 * w.square[k][c] + 0.001 * g * g;
        const double m = w.mean[k][c] / (1 - std::pow(0.9, step)),
                     s = w.square[k][c] / (1 - std::pow(0.999, step));
        w.value[k][c] -= rate * m / (std::sqrt(s) + 1e-8);
      }
  }
}

class DefinedTraining {
 public:
  /// Begins with the weights that `many` has now; many and set outlive this. `copies`: how often each vertex
  /// is there, copy p of vertex v in row p · n + v.
  DefinedTraining(const Trained& many, const Dataset& set, int copies = 1)
      : settings_(many.settings), layers_(many.settings.model.layers), entries_(entriesOf(many.propagation)) {
    for (auto& [name, weight] : many.model->weights()) weights_[name].value = rowsOf(weight->value);
    for (int p = 0; p < copies; ++p)
      for (Vertex v = 0; v < set.vertices(); ++v) {
        ids_.push_back(v);
        labels_.push_back(set.labels[at(v)]);
        features_.push_back(rowsOf(set.features)[at(v)]);
      }
    for (const Split split : set.split) trains_.push_back(split == Split::train ? 1 : 0);
    const auto all = static_cast<double>(std::ranges::count(trains_, 1));
    lossWeights_.assign(ids_.size(), 0);
    for (std::size_t v = 0; copies == 1 && v < ids_.size(); ++v) lossWeights_[v] = trains_[v] / all;
  }
  virtual ~DefinedTraining() = default;

  /// One epoch, 0-based; the loss before the update.
  double runEpoch(int epoch) {
    epoch_ = epoch;
    beginEpoch();
    std::vector<Rows> H = {features_}, Z, masks;
    for (int l = 0; l < layers_; ++l) {
      masks.push_back(maskOf(l, H[at(l)]));
      Z.push_back(forward(l, H[at(l)], masks[at(l)]));
      H.push_back(zeros(ids_.size(), 0));
      for (std::size_t v = 0; v < ids_.size(); ++v) {
        Row U = product(Z[at(l)][v], neighbourWeight(l).value);
        if (sage()) addTo(U, 1, product(times(masks[at(l)][v], H[at(l)][v]), weight(l, "weight_self").value));
        addTo(U, 1, weight(l, "bias").value[0]);
        for (double& x : U) x = l + 1 < layers_ ? std::max(x, 0.0) : x;
        H[at(l) + 1][v] = U;
      }
    }
    Rows dU;
    const double loss = crossEntropy(H.back(), dU);
    for (int l = static_cast<int>(layers_) - 1; l >= 0; --l) {
      Rows own(dU.size());
      for (std::size_t v = 0; v < dU.size(); ++v) own[v] = times(masks[at(l)][v], H[at(l)][v]);
      setGradients(weights_, l, Z[at(l)], own, dU);
      if (l == 0) break;
      Rows dZ;
      for (const Row& row : dU) dZ.push_back(productTransposed(row, neighbourWeight(l).value));
      Rows dH = backward(l, dZ, masks[at(l)]);
      for (std::size_t v = 0; v < ids_.size(); ++v) {
        if (sage())
          addTo(dH[v], 1, times(masks[at(l)][v], productTransposed(dU[v], weight(l, "weight_self").value)));
        for (std::size_t c = 0; c < dH[v].size(); ++c) dH[v][c] *= H[at(l)][v][c] > 0 ? 1 : 0;
      }
      dU = dH;
    }
    stepAdam(weights_, ++steps_, settings_.training.learningRate);
    return loss;
  }

  /// Largest difference of a weight's gradient and value after the epoch, in units of the array's largest.
  double farthestFrom(const Trained& many) {
    double most = 0;
    for (auto& [name, weight] : many.model->weights()) {
      most = larger(most, difference(weights_.at(name).gradient, weight->gradient));
      most = larger(most, difference(weights_.at(name).value, weight->value));
    }
    return most;
  }

 protected:
  virtual void beginEpoch() {}
  /// Z of what a layer propagates: H, dropped with the masks (rows × width, 0 or 1 / (1 − rate)).
  virtual Rows forward(int l, const Rows& H, const Rows& mask) = 0;
  /// The part of dH that passes through neighbours, masks included.
  virtual Rows backward(int l, const Rows& dZ, const Rows& mask) = 0;

  const RunSettings& settings_;
  std::int64_t layers_;
  std::vector<Entry> entries_;  // as P stores them
  std::vector<Vertex> ids_;     // of each row
  std::vector<int> trains_;     // by vertex
  Row lossWeights_;             // by row: what its cross entropy counts in the loss
  int epoch_ = 0;

 private:
  bool sage() const { return settings_.model.kind == "graphsage"; }
  Trainable& weight(int l, const std::string& name) {
    return weights_.at("layer" + std::to_string(l) + "." + name);
  }
  Trainable& neighbourWeight(int l) { return weight(l, sage() ? "weight_neighbour" : "weight"); }

  Rows maskOf(int l, const Rows& like) const {
    Matrix mask(static_cast<Index>(like.size()), static_cast<Index>(like.front().size()));
    mask.fill(1);
    const DropoutKey key{settings_.training.seed, static_cast<std::uint32_t>(epoch_),
                         static_cast<std::uint32_t>(l)};
    if (settings_.model.dropout > 0) dropout(mask, ids_, key, settings_.model.dropout, mask);
    return rowsOf(mask);
  }

  double crossEntropy(const Rows& outputs, Rows& gradient) const {
    double loss = 0;
    gradient = zeros(outputs.size(), outputs.front().size());
    for (std::size_t v = 0; v < outputs.size(); ++v) {
      double sum = 0;
      for (const double x : outputs[v]) sum += std::exp(x);
      const auto label = at(labels_[v]);
      loss += lossWeights_[v] * (std::log(sum) - outputs[v][label]);
      for (std::size_t c = 0; c < outputs[v].size(); ++c)
        gradient[v][c] = lossWeights_[v] * (std::exp(outputs[v][c]) / sum - (c == label ? 1 : 0));
    }
    return loss;
  }

  static double difference(const Rows& expected, const Matrix& actual) {
    double most = 0, size = 1e-30;
    for (Index k = 0; k < actual.rows(); ++k)
      for (Index c = 0; c < actual.cols(); ++c) {
        most = larger(most, std::abs(static_cast<double>(actual(k, c)) - expected[at(k)][at(c)]));
        size = std::max(size, std::abs(expected[at(k)][at(c)]));
      }
    return most / size;
  }

  std::vector<std::int32_t> labels_;
  Rows features_;
  DefinedWeights weights_;
  int steps_ = 0;
};

/// Sums of squares of an error and of what it is an error of.
struct DefinedError {
  double error = 0, size = 0;
  void add(const Row& used, const Row& fresh) {
    for (std::size_t c = 0; c < fresh.size(); ++c) {
      error += (used[c] - fresh[c]) * (used[c] - fresh[c]);
      size += fresh[c] * fresh[c];
    }
  }
  /// What a probe has to say of it.
  void check(const Staleness& staleness) const {
    CAPTURE(staleness.layer, static_cast<int>(staleness.pass));
    CHECK(staleness.absolute == Approx(std::sqrt(error)).epsilon(1e-9).margin(1e-13));
    CHECK(staleness.relative ==
          Approx(size > 0 ? std::sqrt(error) / std::sqrt(size) : 0).epsilon(1e-9).margin(1e-11));
  }
};

}  // namespace halo::test
