#include "engine/methods/hyscale/card_trainer.h"

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/kernels/dense/loss.h"
#include "engine/methods/contract/layer_work.h"

namespace halo::hyscale {
namespace {

CardModel cardModel(const WorkerParts& worker) {
  const ModelSettings& model = worker.settings.model;
  const LayerWork work = layerWork(model.kind);
  HALO_CHECK(!work.attends);  // the method refuses it
  return {.form = {.ownProduct = work.ownProduct,
                   .secondProduct = work.secondProduct,
                   .learnEpsilon = model.learnEpsilon},
          .widths = worker.model.widths(),
          .norm = model.norm == "layer",
          .dropout = model.dropout};
}

}  // namespace

CardTrainer::CardTrainer(const WorkerParts& worker, const Topology& topology, const BatchSettings& settings,
                         const OpenClLibrary& library, const OpenClDeviceInfo& info)
    : PartTrainer(worker, topology, settings),
      device_(library, info),
      link_(device_),
      network_(device_, cardModel(worker)) {}

void CardTrainer::transfer(Part& part) {
  const std::int64_t before = link_.traffic().bytes();
  link_.up(part.gathered, part.cardRows);
  transferBytes_ = link_.traffic().bytes() - before;
}

CardUse CardTrainer::cardUse() const {
  const CardTraffic &device = device_.traffic(), &link = link_.traffic();
  return {device_.heldBytes(), device.bytesUp + link.bytesUp, device.bytesDown + link.bytesDown};
}

void CardTrainer::pass(Part& part) {
  const std::int64_t before = device_.traffic().bytes();
  passOnCard(part);
  trainBytes_ = device_.traffic().bytes() - before;
}

void CardTrainer::passOnCard(Part& part) {
  setWeights();
  std::vector<CardBatch::Block> blocks;
  for (int l = 0; l < model().layers(); ++l) {
    const TurnedBlock& matrix = weigh(part, l, /*turned=*/l > 0);
    blocks.push_back({matrix.block().edges, matrix.block().transposed});
  }
  network_.begin({blocks, ids_, {worker_.settings.training.seed, static_cast<std::uint32_t>(step_)}},
                 part.cardRows);
  for (int l = 0; l < model().layers(); ++l) {
    network_.forwardLayer(l);
    workDone(l, Pass::forward);
  }
  network_.takeOutputs(outputs_);
  part.loss = lossGradient(part);
  network_.startBackward(dOutputs_);
  workDone(-1, Pass::none);
  for (int l = model().layers() - 1; l >= 0; --l) {
    network_.backwardLayer(l);
    workDone(l, Pass::backward);
  }
  takeGradients();
}

double CardTrainer::lossGradient(const Part& part) {
  takeTargets(part);
  const Share& share = worker_.share;
  const RowWeights weights(1 / static_cast<double>(part.seeds.size()));
  const std::string& loss = worker_.settings.training.loss;
  const bool sigmoid = loss == "sigmoid" || (loss == "auto" && share.multiLabel);
  const double sum = sigmoid ? sigmoidLoss(outputs_, multiLabels_, chosen_, weights, dOutputs_)
                             : softmaxLoss(outputs_, labels_, chosen_, weights, dOutputs_);
  return sum * weights.vertexWeight;
}

std::vector<Weight*> CardTrainer::weights(int l) {
  std::vector<Weight*> all;
  for (Weight& weight : model().layer(l).weights()) all.push_back(&weight);
  if (model().normalised(l))
    for (Weight& weight : model().norm(l)) all.push_back(&weight);
  return all;
}

void CardTrainer::setWeights() {
  for (int l = 0; l < model().layers(); ++l) {
    std::vector<const Matrix*> values;
    for (const Weight* weight : weights(l)) values.push_back(&weight->value);
    network_.setWeights(l, values);
  }
}

void CardTrainer::takeGradients() {
  for (int l = 0; l < model().layers(); ++l) {
    std::vector<Matrix*> gradients;
    for (Weight* weight : weights(l)) gradients.push_back(&weight->gradient);
    network_.takeGradients(l, gradients);
  }
}

}  // namespace halo::hyscale
