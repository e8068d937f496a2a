#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "datasets/arrays/npz.h"
#include "datasets/graph/csr.h"
#include "engine/base/index.h"
#include "engine/experiment/experiment.h"
#include "engine/model/layer.h"

namespace halo {

/// P of the whole graph for a layer kind, values folded in: what partition/halo/halo.h cuts into shares.
/// `arcs`: row v lists the in-neighbours, without self loops (symmetric adds one each). Degrees are global.
Csr propagationMatrix(const Csr& arcs, Propagation propagation);

/// Widths d_0 … d_L of a model on features of width `in` with `classes` outputs.
std::vector<Index> layerWidths(const ModelSettings& settings, Index in, Index classes);

/// Which order layer l uses. "auto" updates first where that makes the propagated rows narrower. It always
/// does so where the layer attends, so that no row is updated twice. With layer-0 aggregation cached, layer 0
/// aggregates first. "update-last" is no choice of a person's, but what methods may mean by "auto".
Order layerOrder(const ModelSettings& settings, const std::vector<Index>& widths, int layer,
                 bool layer0Cached);

/// The layers with their norms; weights initialised from the seed or read from an .npz. Replicated on every
/// rank.
class Model {
 public:
  Model(const ModelSettings& settings, const std::vector<Index>& widths, std::uint64_t seed,
        bool layer0Cached);

  int layers() const { return static_cast<int>(layers_.size()); }
  Layer& layer(int l) { return *layers_[at(l)]; }
  const std::vector<Index>& widths() const { return widths_; }
  Propagation propagation() const { return layers_.front()->propagation(); }
  bool normalised(int l) const;                               // a norm follows layer l (never the last)
  std::vector<Weight>& norm(int l) { return norms_[at(l)]; }  // "norm.scale", "norm.shift"
  /// Gives the model a row to add to the input of a vertex for each class: "labels.embedding", classes × d_0,
  /// drawn like any matrix. Whoever trains does the adding.
  void embedLabels(std::uint64_t seed);
  Weight* labelEmbedding() { return labels_.empty() ? nullptr : labels_.data(); }
  /// Every weight with its full name "layer{l}.…", in a fixed order; "labels.embedding" comes last.
  const std::vector<std::pair<std::string, Weight*>>& weights() { return named_; }
  Index weightCount();  // elements
  /// Of those, elements of layer 0's weights with a row for each feature; 0 where it has no InputProduct.
  Index inputWeightCount();

  /// An .npz with exactly the arrays of `weights()`, in × out, vectors 1-dimensional; GIN with a learned ε
  /// also has "layer{l}.epsilon" of one element. Throws InputError naming every missing, extra or wrongly
  /// shaped array.
  void load(const std::filesystem::path& npz);
  void loadBytes(const std::string& npz, const std::string& name);
  std::string saveBytes();  // an .npz of float32

 private:
  void nameWeights();
  void take(const std::map<std::string, NpyArray>& arrays, const std::string& file);

  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<std::vector<Weight>> norms_;
  std::vector<Weight> labels_;  // the embedding, if there is one
  std::vector<std::pair<std::string, Weight*>> named_;
  std::vector<Index> widths_;
};

}  // namespace halo
