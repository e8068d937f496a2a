#include "engine/methods/minibatch/set_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "engine/base/index.h"
#include "engine/sampling/limits.h"

namespace halo {
namespace {

Problem nothingDrawn(const RunSettings& run) {
  const std::string& name = run.parameters.text("sampler");
  return {.key = "run.sampler",
          .message = fmt::format(
              "{} draws no training vertex of this graph: {}; another sampler", name,
              name == "saint-edge" ? "none has an arc" : "none is a neighbour of another vertex")};
}

}  // namespace

SetLoss::SetLoss(const BatchParts& parts, const SquareSampler& sampler, std::span<const std::uint8_t> trains)
    : sampler_(sampler), trains_(trains), countsMean_(parts.settings.sampler == Sampler::uniform) {
  const RunSettings& run = parts.worker.settings;
  const std::vector<Vertex>& train = parts.trained.vertices;
  neverDrawn_ = halo::neverDrawn(sampler, train);
  trained_ = std::ssize(train) - neverDrawn_;
  if (!train.empty() && trained_ == 0) throw InputError(nothingDrawn(run));
  const Index all = countsMean_ ? parts.topology.graph().vertices() : trained_;
  iterations_ = train.empty() ? 0 : iterationsToMeet(all, sampler.meanVertices());
  if (auto problems =
          stepProblems(iterations_, run.training.epochs, parts.worker.model.layers(), "training.epochs");
      !problems.empty())
    throw InputError(std::move(problems));
  if (neverDrawn_ > 0 && parts.worker.comm.rank() == 0)
    std::fprintf(stderr,
                 "run.sampler = %s: %lld of the %lld training vertices are never drawn, and are in no loss\n",
                 run.parameters.text("sampler").c_str(), static_cast<long long>(neverDrawn_),
                 static_cast<long long>(train.size()));
}

void SetLoss::take(std::span<const Vertex> members, std::span<const Vertex> own) {
  inLoss_ = std::ranges::count_if(members, [&](Vertex v) { return trains_[at(v)] != 0; });
  chosen_.clear();
  factors_.clear();
  for (const Vertex v : own) {
    const bool trains = trains_[at(v)] != 0;
    chosen_.push_back(trains ? 1 : 0);
    if (!countsMean_) factors_.push_back(trains ? 1 / sampler_.inclusion(v) : 0);
  }
}

BatchLoss SetLoss::loss() const {
  const auto trains = static_cast<double>(inLoss_);
  BatchLoss loss{.chosen = chosen_, .factors = factors_, .trains = inLoss_ > 0};
  loss.weight = 1 / (countsMean_ ? trains : static_cast<double>(trained_));
  loss.inEpoch = countsMean_ ? trains : 1;
  return loss;
}

}  // namespace halo
