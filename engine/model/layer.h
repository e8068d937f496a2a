#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/declaration.h"
#include "engine/base/matrix.h"
#include "engine/base/registry.h"

namespace halo {

/// Which propagation matrix P a layer kind multiplies with (resources/design/methods.md).
enum class Propagation {
  symmetric,  // GCN: D_in^-1/2 (A + I) D_out^-1/2
  mean,       // GraphSAGE: rows of A divided by the in-degree; rows without neighbours are 0
  ownMean,    // GraphSAGE whose mean includes the vertex: rows of A + I divided by their length
  sum,        // GIN: A
  attention,  // GAT: the pattern of A + I; its coefficients are made of the rows themselves
};

/// Whether a layer multiplies by P or by its weights first (resources/design/methods.md, The layer).
/// updateLast: P first in both directions ("HtAG"). Backward then needs no Z, so nobody has to keep it.
enum class Order { aggregateFirst, updateFirst, updateLast };
/// As model.order writes it.
constexpr const char* text(Order order) {
  return order == Order::aggregateFirst ? "aggregate-first"
         : order == Order::updateFirst  ? "update-first"
                                        : "update-last";
}

/// One trained array with its gradient. Vectors are 1 × n.
struct Weight {
  std::string name;  // "weight_self"; the file says "layer0.weight_self"
  Matrix value, gradient;
  bool isVector = false;  // 1-dimensional in a file; a matrix may have one row too
};

/// How a layer whose coefficients depend on both ends of an edge makes them (kernels/sparse/attention.h):
/// score = leaky(⟨source, y_u⟩ + ⟨target, y_v⟩) in each head. Whoever propagates for such a layer attends
/// instead of multiplying with a matrix, and overwrites the gradients of these weights.
struct Attention {
  Weight* source = nullptr;  // heads × width of a head
  Weight* target = nullptr;
  /// Aggregate-first: rows travel as the layer's input, and are multiplied with this where they arrive.
  Weight* transform = nullptr;
  Scalar slope = 0;  // of leaky below zero

  Index heads() const { return source->value.rows(); }
};

/// The product that a layer begins with, apart from the rest of it:
///
///   forward:   T = product(H, Z)           U = finishProduct(T)
///   backward:  dT = backwardProduct(dU)    productGradients(H, Z, dT)
///
/// T and dT are m × out. Slices of the input's columns, with the same slices of the weights' rows, make
/// products that add up to the whole product. Biases enter only then, in finishProduct.
class InputProduct {
 public:
  virtual ~InputProduct() = default;
  virtual void product(const Matrix& H, const Matrix& Z, Matrix& T) = 0;
  virtual void finishProduct(const Matrix& T, Matrix& U) = 0;
  /// Overwrites the gradients of all weights but those of the next two.
  virtual void backwardProduct(const Matrix& dU, Matrix& dT) = 0;
  /// Adds to the gradients of the weights that `product` multiplies with.
  virtual void productGradients(const Matrix& H, const Matrix& Z, const Matrix& dT) = 0;
  /// Of these weights those with a row for each column of the input.
  virtual std::vector<Weight*> rowWeights() = 0;
  /// And the other, which every slice has a part of the gradient of (GIN's ε); or nullptr.
  virtual Weight* factor() { return nullptr; }
};

/// One convolution without norm, activation and dropout. The trainer drives the phases. Whoever owns the
/// graph propagates, locally or over the ranks, so that a layer never sees neighbours. It does so between
/// `prepare` and `finish`, and between the two backward phases.
///
///   H (n × in)    Y (n × propagatedWidth)   Z (m × propagatedWidth)    dZ (m × returnedWidth)
///   dY (n × returnedWidth)    U (m × out)
///   forward:   Y = prepare(H);        Z = P Y;      U = finish(H, Z)
///   backward:  dZ, dH = backwardFinish(H, Z, dU);   dY = Pᵀ dZ;   dH += backwardPrepare(H, dY)
///
/// Aggregate-first: Y is H itself, dZ = dU Wᵀ. Update-first: Y = H W, dZ = dU. Update-last: Y is H itself,
/// dZ = dU. Gradients of weights are overwritten, one epoch one backward. The m vertices of Z are the first m
/// of the n of H. They are all n, unless a rank also computes what others own, and H has their rows too.
class Layer {
 public:
  Layer(Index in, Index out, Order order) : in_(in), out_(out), order_(order) {}
  virtual ~Layer() = default;

  Index in() const { return in_; }
  Index out() const { return out_; }
  Order order() const { return order_; }
  virtual Propagation propagation() const = 0;
  /// Whether W is met before P forward, and Wᵀ before Pᵀ backward.
  bool updatesBeforeForward() const { return order_ == Order::updateFirst; }
  bool updatesBeforeBackward() const { return order_ == Order::aggregateFirst; }
  Index propagatedWidth() const { return updatesBeforeForward() ? propagatedWhenUpdated() : in_; }
  Index returnedWidth() const { return updatesBeforeBackward() ? in_ : propagatedWhenUpdated(); }

  /// What to propagate; H itself unless the update comes before.
  virtual const Matrix& prepare(const Matrix& H) = 0;
  virtual void finish(const Matrix& H, const Matrix& Z, Matrix& U) = 0;
  /// Overwrites dZ, or leaves it alone where nobody reads it (aggregate-first and !needInput: nothing to
  /// propagate back). Into dH (m × in) goes the part that does not pass through the neighbours, zero-filled
  /// if there is none. It is skipped if !needInput.
  virtual void backwardFinish(const Matrix& H, const Matrix& Z, const Matrix& dU, bool needInput, Matrix& dZ,
                              Matrix& dH) = 0;
  /// dH (n × in)
  virtual void backwardPrepare(const Matrix& H, const Matrix& dY, bool needInput, Matrix& dH) = 0;
  /// Whether a backward propagation is needed although the layer's input needs no gradient (dW needs dY).
  bool backwardNeedsPropagation() const { return !updatesBeforeBackward(); }

  /// Whether a phase reads the elements of H, but for Y being H itself.
  virtual bool readsInput() const { return true; }

  /// Of the rows that it keeps of its own from pass to pass.
  virtual std::size_t heldBytes() const = 0;

  /// Of layers of Propagation::attention; `Z` is then the attended rows, heads side by side. One that
  /// aggregates first needs the backward pass for its weights in layer 0 too, though nothing travels.
  virtual std::optional<Attention> attention() { return std::nullopt; }

  /// Of layers that begin with a product and aggregate first; else nullptr.
  virtual InputProduct* inputProduct() { return nullptr; }

  std::vector<Weight>& weights() { return weights_; }
  const std::vector<Weight>& weights() const { return weights_; }

 protected:
  virtual Index propagatedWhenUpdated() const { return out_; }
  std::vector<Weight> weights_;

 private:
  Index in_, out_;
  Order order_;
};

struct LayerRequest {
  Index in = 0, out = 0;  // GIN: the inner width of the MLP is `out` too
  Order order = Order::aggregateFirst;
  std::uint64_t seed = 1;
  int number = 0;  // of the layer: weights are drawn by (seed, initialise, number)
  bool learnEpsilon = false;
  Index heads = 1;    // GAT
  bool last = false;  // of the model
};

/// One layer kind, registered by its own file.
struct LayerEntry {
  Declaration declaration;
  Propagation propagation = Propagation::symmetric;
  std::unique_ptr<Layer> (*make)(const LayerRequest& request) = nullptr;
  // what simulators count besides the one product in × out
  bool ownProduct = false;     // of the row itself, in × out, by weights of its own
  bool secondProduct = false;  // of what comes out, out × out
};

/// The kind of that name. Throws InputError naming those there are.
const LayerEntry& layerKind(const std::string& name);

/// Whether P has the vertex itself.
constexpr bool includesItself(Propagation propagation) {
  return propagation != Propagation::mean && propagation != Propagation::sum;
}
/// Whether P has values that are not all 1.
constexpr bool isWeighted(Propagation propagation) {
  return propagation != Propagation::sum && propagation != Propagation::attention;
}

/// Glorot uniform in ±sqrt(6 / (in + out)), element i from philox(seed, initialise, i, number, salt): the
/// same on all ranks.
void initialise(Matrix& W, Index fanIn, Index fanOut, std::uint64_t seed, int layer, int salt);

/// A weight with a gradient of zeros: a matrix drawn as `initialise` says, or a vector of equal elements.
Weight glorot(const std::string& name, Index in, Index out, const LayerRequest& request, int salt = 0);
Weight filled(const std::string& name, Index size, Scalar value);

}  // namespace halo
