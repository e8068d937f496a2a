#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/base/matrix.h"
#include "engine/methods/contract/iteration.h"
#include "engine/methods/minibatch/batch_settings.h"
#include "engine/methods/minibatch/pull_counts.h"
#include "engine/methods/minibatch/topology.h"
#include "engine/methods/minibatch/training_vertices.h"
#include "engine/sampling/blocks.h"
#include "engine/sampling/keyed_word.h"

namespace halo {

/// What the outputs of a batch count.
struct BatchLoss {
  double weight = 0;                          // of a row of this rank in the loss of the iteration
  std::span<const std::uint8_t> chosen = {};  // rows that are in it; empty: all
  std::span<const double> factors = {};       // by row, what the weight is multiplied with; empty: 1
  double inEpoch = 0;  // what the iteration counts in the epoch's loss; the same on every rank
  bool trains = true;  // false: no rank has a row in the loss, nothing passes and nothing is updated
};

/// Where the batches of a rank come from, and what is made of each. An iteration, all ranks together:
///
///   open(t, key);  draw(l) for l = L … 1;  fetch();      then the layers ask for what they read
///
/// A source may prepare batches to come meanwhile: goOn is called between two kernels of the present batch.
/// Kept from batch to batch: nothing is allocated but for a batch larger than any before.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  /// Of an epoch, the same on every rank.
  virtual Index iterations() const = 0;
  virtual void begin(std::int32_t epoch) = 0;
  virtual void open(Index iteration, const DrawKey& key) = 0;
  virtual void draw(int layer, PullCounts& counts) = 0;
  /// X of V^0.
  virtual void fetch(PullCounts& counts) = 0;
  /// A step towards a batch to come that waits for no rank unless it `waits`: the layer that was drawn on, or
  /// 0 for features. Nothing: there was no such step.
  virtual std::optional<int> goOn(PullCounts& /*counts*/, bool /*waits*/) { return std::nullopt; }

  /// For a run that goes on: sums of the epoch, and what is there of batches to come. Nothing is under way.
  virtual void keep(ByteWriter& /*out*/) const {}
  /// After begin(), before that iteration is opened with that key. Collective, uncounted.
  virtual void resume(ByteReader& /*in*/, Index /*iteration*/, const DrawKey& /*key*/) {}

  virtual BatchLoss loss() const = 0;
  /// V^l by global id, l = 0 … L. Those of V^L belong to this rank.
  virtual std::span<const Vertex> vertices(int level) const = 0;
  /// Vertices whose rows layer l = 1 … L reads: V^(l−1), and others' of which rows are exchanged.
  virtual Index sources(int layer) const { return std::ssize(vertices(layer - 1)); }
  /// What it drew, of a source that draws the neighbours of its seeds; else nullptr.
  virtual const Blocks* blocks() const { return nullptr; }
  virtual const Matrix& features() const = 0;
  /// Bytes of those, and of those that are fetched for batches to come.
  virtual std::size_t featureBytes() const { return features().heldBytes(); }
  /// Drawn for layer l = 1 … L, repeats counted.
  virtual Index arcs(int layer) const = 0;
  /// P̂ of layer l = 1 … L, |V^l| × |V^(l−1)|.
  virtual void weigh(int layer, Csr& out) = 0;

  /// Of everything but the features.
  virtual std::size_t heldBytes() const = 0;
  /// Of the epoch so far, where features are cached; epoch and rank are left to who records it.
  virtual std::optional<CacheRow> cache() const { return std::nullopt; }
  /// See Method::metrics.
  virtual std::map<std::string, double> metrics() const { return {}; }
};

/// What batches are made from. All but `trained` outlive the source.
struct BatchParts {
  WorkerParts& worker;
  const Topology& topology;
  const TrainingVertices& trained;
  const BatchSettings& settings;
};

/// Collective.
using MakeSource = std::unique_ptr<BatchSource> (*)(const BatchParts& parts);

/// Of `settings.sampler`. Throws InputError where this graph leaves nothing to train on.
std::unique_ptr<BatchSource> makeSource(const BatchParts& parts);

}  // namespace halo
