#include "engine/methods/full_graph/label_input.h"

#include <algorithm>

#include "engine/base/index.h"
#include "engine/base/philox.h"

namespace halo {
namespace {

Weight& embeddingOf(Model& model) {
  HALO_CHECK(model.labelEmbedding() != nullptr);
  return *model.labelEmbedding();
}

/// As all ranks draw it: whose label is shown in the epochs of this draw.
bool showsLabel(std::uint64_t seed, Vertex v, std::uint32_t draw, double share) {
  return unit(philox(seed, Purpose::labelSplit, static_cast<std::uint64_t>(v), draw)[0]) < share;
}

/// The labels of the own training vertices (own × classes).
Csr trainingLabels(const Share& share) {
  Csr labels;
  labels.cols = share.classes;
  for (std::size_t i = 0; i < share.train.size(); ++i) {
    const auto holds = [&](std::int32_t c) {
      return share.multiLabel ? share.multiLabels(static_cast<Index>(i), c) > Scalar{0.5}
                              : share.labels[i] == c;
    };
    for (std::int32_t c = 0; share.train[i] != 0 && c < share.classes; ++c)
      if (holds(c)) labels.columns.push_back(c);
    labels.offsets.push_back(static_cast<Index>(labels.columns.size()));
  }
  labels.values.assign(labels.columns.size(), Scalar{1});
  return labels;
}

}  // namespace

LabelInput::LabelInput(WorkerParts& parts, double share, std::int32_t drawEvery)
    : parts_(parts),
      embedding_(embeddingOf(parts.model)),
      share_(share),
      drawEvery_(drawEvery),
      labels_(trainingLabels(parts.share)),
      holders_(transpose(labels_)),
      learned_(parts.share.train.size()),
      shown_(parts.share.train.size()) {
  HALO_CHECK(share >= 0 && share < 1);
  const double learned = static_cast<double>(parts.share.trainVertices) * (1 - share);
  lossWeight_ = learned > 0 ? 1 / learned : 0;
}

std::vector<Problem> refuseShownLabels(const RunSettings& run, const std::vector<Split>& split) {
  const auto trainVertices = std::ranges::count(split, Split::train);
  const double share = std::get<double>(run.parameters.at("label_propagation"));
  if (share == 0 || trainVertices == 0) return {};
  const std::int64_t redraw = std::get<std::int64_t>(run.parameters.at("label_redraw"));
  const std::int64_t epochs = run.training.epochs, interval = redraw > 0 ? redraw : epochs;
  const std::int64_t draws = (epochs + interval - 1) / interval;
  const auto refused = [&](const std::string& why) -> std::vector<Problem> {
    return {
        {.key = "run.label_propagation", .message = toText(Value(share)) + " shows the labels of " + why}};
  };
  if (static_cast<double>(draws) * static_cast<double>(trainVertices) * (1 - share) < 1)
    return refused("so many of the " + std::to_string(trainVertices) + " training vertices that in " +
                   std::to_string(epochs) +
                   " epochs less than one is to be expected to learn from; take less");
  const auto learnsIn = [&](std::int64_t draw) {
    for (std::size_t v = 0; v < split.size(); ++v)
      if (split[v] == Split::train &&
          !showsLabel(run.training.seed, static_cast<Vertex>(v), static_cast<std::uint32_t>(draw), share))
        return true;
    return false;
  };
  for (std::int64_t draw = 0; draw < draws; ++draw)
    if (learnsIn(draw)) return {};
  return refused("all " + std::to_string(trainVertices) + " training vertices in all " +
                 std::to_string(epochs) + " epochs as training.seed = " + std::to_string(run.training.seed) +
                 " draws them, and leaves none to learn from; take less, or another seed");
}

bool LabelInput::shows(Vertex v, std::int32_t epoch) const {
  return showsLabel(parts_.settings.training.seed, v,
                    drawEvery_ > 0 ? static_cast<std::uint32_t>(epoch / drawEvery_) : 0, share_);
}

void LabelInput::show(std::int32_t epoch, bool training) {
  const Timed timed(parts_.tracer, Kind::compute, Name::activation);
  const Share& share = parts_.share;
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    const bool trains = share.train[i] != 0;
    shown_[i] = trains && (!training || shows(share.graph.owned[i], epoch)) ? 1 : 0;
    learned_[i] = trains && shown_[i] == 0 ? 1 : 0;
    for (Index e = labels_.offsets[i]; e < labels_.offsets[i + 1]; ++e) labels_.values[at(e)] = shown_[i];
  }
  rows_.resize(share.features.rows(), share.features.cols());
  std::ranges::copy(share.features.values(), rows_.data());
  spmm(labels_, embedding_.value, rows_, Write::add);
}

void LabelInput::backward(const Matrix& dRows) {
  const Timed timed(parts_.tracer, Kind::compute, Name::activation);
  for (std::size_t e = 0; e < holders_.columns.size(); ++e)
    holders_.values[e] = shown_[at(holders_.columns[e])];
  spmm(holders_, dRows, embedding_.gradient);
}

}  // namespace halo
