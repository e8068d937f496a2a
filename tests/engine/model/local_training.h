#pragma once

#include <vector>

#include "engine/kernels/dense/activation.h"
#include "engine/kernels/dense/dense.h"
#include "engine/kernels/sparse/attention.h"
#include "engine/model/model.h"

namespace halo {

/// Y = A X by three plain loops: the slow twin of every propagation.
inline void propagate(const Csr& A, const Matrix& X, Matrix& Y) {
  Y.setZero(A.rows(), X.cols());
  for (Index i = 0; i < A.rows(); ++i)
    for (Index e = A.offsets[static_cast<std::size_t>(i)]; e < A.offsets[static_cast<std::size_t>(i) + 1];
         ++e) {
      const auto at = static_cast<std::size_t>(e);
      for (Index c = 0; c < X.cols(); ++c) Y(i, c) += (A.weighted() ? A.values[at] : 1) * X(A.columns[at], c);
    }
}

/// The slow twin of every attention: all edges at once, plain loops.
class LocalAttention {
 public:
  LocalAttention(const Attention& attention, const Matrix& rows) : attention_(attention), rows_(rows) {
    values_ = rows;
    if (attention.transform != nullptr)
      multiplyReference(rows, false, attention.transform->value, false, values_);
    scores(*attention.source, source_);
    scores(*attention.target, target_);
  }
  void forward(const Csr& A, Matrix& Z) const {
    attendReference(A, values_, {source_, target_, attention_.slope}, Z);
  }
  /// dY of the rows given, and the gradients of the layer's weights.
  void backward(const Csr& A, const Matrix& dZ, Matrix& dY) {
    Matrix dValues, dSource, dTarget;
    attendBackwardReference(A, values_, {source_, target_, attention_.slope}, dZ, dValues, dSource, dTarget);
    scoresBackward(*attention_.source, dSource, dValues);
    scoresBackward(*attention_.target, dTarget, dValues);
    dY = dValues;
    if (attention_.transform == nullptr) return;
    multiplyReference(rows_, true, dValues, false, attention_.transform->gradient);
    multiplyReference(dValues, false, attention_.transform->value, true, dY);
  }

 private:
  void scores(const Weight& a, Matrix& S) const {
    S.setZero(values_.rows(), a.value.rows());
    for (Index v = 0; v < S.rows(); ++v)
      for (Index i = 0; i < a.value.size(); ++i)
        S(v, i / a.value.cols()) += values_(v, i) * a.value.data()[i];
  }
  void scoresBackward(Weight& a, const Matrix& dS, Matrix& dValues) const {
    a.gradient.fill(0);
    for (Index v = 0; v < dS.rows(); ++v)
      for (Index i = 0; i < a.value.size(); ++i) {
        dValues(v, i) += dS(v, i / a.value.cols()) * a.value.data()[i];
        a.gradient.data()[i] += dS(v, i / a.value.cols()) * values_(v, i);
      }
  }

  const Attention& attention_;
  const Matrix& rows_;
  Matrix values_, source_, target_;
};

/// Drives a model over one whole graph in the order the phases are documented: the least a trainer must do.
class LocalTraining {
 public:
  LocalTraining(Model& model, const Csr& arcs)
      : model_(model), P_(propagationMatrix(arcs, model.propagation())), transposed_(transpose(P_)) {
    const auto count = static_cast<std::size_t>(model.layers());
    for (auto* each : {&inputs_, &aggregated_, &convolved_, &normSaved_}) each->resize(count);
  }

  /// Logits.
  const Matrix& forward(const Matrix& X) {
    inputs_[0] = X;
    for (int l = 0; l < model_.layers(); ++l) {
      const auto i = static_cast<std::size_t>(l);
      Layer& layer = model_.layer(l);
      const Matrix& Y = layer.prepare(inputs_[i]);
      if (const auto attention = layer.attention())
        LocalAttention(*attention, Y).forward(P_, aggregated_[i]);
      else
        propagate(P_, Y, aggregated_[i]);
      layer.finish(inputs_[i], aggregated_[i], convolved_[i]);
      if (l + 1 == model_.layers()) break;
      Matrix& next = inputs_[i + 1];
      if (model_.normalised(l)) {
        auto& norm = model_.norm(l);
        layerNorm(convolved_[i], norm[0].value.values(), norm[1].value.values(), next, normSaved_[i]);
      } else {
        next = convolved_[i];
      }
      relu(next, next);
    }
    return convolved_.back();
  }

  /// Gradients of all weights, from that of the logits.
  void backward(Matrix dU) {
    Matrix dZ, dY, dH;
    for (int l = model_.layers() - 1; l >= 0; --l) {
      const auto i = static_cast<std::size_t>(l);
      Layer& layer = model_.layer(l);
      const bool needInput = l > 0;
      layer.backwardFinish(inputs_[i], aggregated_[i], dU, needInput, dZ, dH);
      if (const auto attention = layer.attention()) {
        LocalAttention(*attention, layer.prepare(inputs_[i])).backward(P_, dZ, dY);
        layer.backwardPrepare(inputs_[i], dY, needInput, dH);
      } else if (needInput || layer.backwardNeedsPropagation()) {
        propagate(transposed_, dZ, dY);
        layer.backwardPrepare(inputs_[i], dY, needInput, dH);
      }
      if (!needInput) break;
      reluBackward(inputs_[i], dH);
      if (model_.normalised(l - 1)) {
        auto& norm = model_.norm(l - 1);
        layerNormBackward(convolved_[i - 1], normSaved_[i - 1], norm[0].value.values(), dH, dH,
                          norm[0].gradient.values(), norm[1].gradient.values());
      }
      dU = dH;
    }
  }

 private:
  Model& model_;
  Csr P_, transposed_;
  std::vector<Matrix> inputs_, aggregated_, convolved_, normSaved_;  // of each layer
};

}  // namespace halo
