// Mini-batches as resources/design/methods.md has them, in plain loops in one process: who takes which seeds,
// whom that makes ask whom for what, and the training that comes of it, in double. Shares no sampling,
// exchange or kernel with the engine. gcn or graphsage, aggregate-first, ReLU.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "tests/engine/methods/minibatch/slow_training.h"

namespace halo::test {

/// What a run asks for, as the experiment file would.
struct SlowPlan {
  std::vector<int> fanouts;
  bool replace = false, block = false, global = false, shuffle = true, dropLast = false, plain = false;
  int batch = 0;        // of one rank
  int globalBatch = 0;  // 0: batch times ranks

  std::string fanoutText() const {
    std::string text;
    for (const int fanout : fanouts)
      text += (text.empty() ? "" : ",") + (fanout == slow::kAll ? "all" : std::to_string(fanout));
    return text;
  }
  RunSettings settings(const std::string& method, const std::string& kind, double dropout) const {
    RunSettings run = settingsFor(method, kind, std::ssize(fanouts), 6, dropout);
    run.model.order = "aggregate-first";
    run.cluster.workers = worldSize();
    run = with(run, "batch", std::int64_t{globalBatch > 0 ? 0 : batch});
    run = with(run, "global_batch", std::int64_t{globalBatch});
    run = with(run, "fanouts", fanoutText());
    run = with(run, "replace", replace);
    run = with(run, "edge_weights", std::string(block ? "block" : "global"));
    run = with(run, "seeds", std::string(global ? "global" : "own"));
    run = with(run, "shuffle", shuffle);
    run = with(run, "average", std::string(plain ? "plain" : "weighted"));
    return with(run, "drop_last", dropLast);
  }
};

/// Seeds of every iteration and rank in an epoch.
using SlowSeeds = std::vector<std::vector<std::vector<int>>>;

inline SlowSeeds slowSeeds(const SlowPlan& plan, const Dataset& set, const Owners& owners, int ranks,
                           std::uint64_t seed, int epoch) {
  const int all = plan.globalBatch > 0 ? plan.globalBatch : plan.batch * ranks;
  const auto ordered = [&](const std::vector<int>& vertices) {
    return plan.shuffle ? slow::seedOrder(vertices, seed, static_cast<std::uint32_t>(epoch)) : vertices;
  };
  // cuts[i]: the batches that rank i cuts its order into, or that all cut one order into
  std::vector<std::vector<std::vector<int>>> cuts(at(plan.global ? 1 : ranks));
  std::size_t iterations = 0;
  for (int i = 0; i < static_cast<int>(cuts.size()); ++i) {
    std::vector<int> vertices;
    for (int v = 0; v < static_cast<int>(owners.size()); ++v)
      if (set.split[at(v)] == Split::train && (plan.global || owners[at(v)] == i)) vertices.push_back(v);
    const int share = plan.globalBatch > 0 ? all / ranks + (i < all % ranks ? 1 : 0) : plan.batch;
    const std::size_t size = at(plan.global ? all : share);
    for (const int v : ordered(vertices)) {
      if (cuts[at(i)].empty() || cuts[at(i)].back().size() == size) cuts[at(i)].emplace_back();
      cuts[at(i)].back().push_back(v);
    }
    if (plan.dropLast && !cuts[at(i)].empty() && cuts[at(i)].back().size() < size) cuts[at(i)].pop_back();
    iterations = std::max(iterations, cuts[at(i)].size());
  }
  SlowSeeds seeds(iterations, std::vector<std::vector<int>>(at(ranks)));
  for (std::size_t t = 0; t < iterations; ++t)
    for (std::size_t i = 0; i < cuts.size(); ++i)
      if (t < cuts[i].size())
        for (const int v : cuts[i][t]) seeds[t][plan.global ? at(owners[at(v)]) : i].push_back(v);
  return seeds;
}

/// Who asks whom in an epoch, as Method::decided has it.
inline std::vector<RowTable> slowPulls(const SlowPlan& plan, const Dataset& set, const Owners& owners,
                                       int ranks, std::uint64_t seed, int epoch) {
  const auto size = at(ranks);
  const int layers = static_cast<int>(plan.fanouts.size());
  std::vector<RowTable> tables(2 + 4 * (at(layers) - 1), RowTable(size, std::vector<std::int64_t>(size, 0)));
  const slow::Rows rows = slowRows(set.arcs);
  const SlowSeeds seeds = slowSeeds(plan, set, owners, ranks, seed, epoch);
  for (std::size_t t = 0; t < seeds.size(); ++t)
    for (std::size_t i = 0; i < size; ++i) {
      const slow::Key key{seed, at(epoch) * seeds.size() + t};
      const slow::Batch batch = slow::batch(rows, seeds[t][i], key, plan.fanouts, plan.replace);
      for (int l = 0; l < layers; ++l) {
        std::vector<std::int64_t> vertices(size, 0), arcs(size, 0);
        for (std::size_t target = 0; target < batch.V[at(l)].size(); ++target) {
          const auto owner = at(owners[at(batch.V[at(l)][target])]);
          if (owner == i) continue;
          ++vertices[owner];
          if (l > 0) arcs[owner] += std::ssize(batch.E[at(l)][target]);
        }
        const std::size_t first = l == 0 ? 0 : 4 * at(l) - 2;
        for (std::size_t j = 0; j < size; ++j) {
          tables[first][i][j] += vertices[j];
          tables[first + 1][i][j] += vertices[j] > 0;
          if (l == 0) continue;
          tables[first + 2][i][j] += arcs[j];
          tables[first + 3][i][j] += arcs[j] > 0;
        }
      }
    }
  tables.push_back({{std::ssize(seeds)}});
  return tables;
}

/// One process that trains on the global batches.
class SlowBatches : public SlowTraining {
 public:
  /// Begins with the weights that `many` has now; all outlive this.
  SlowBatches(const SlowPlan& plan, const Trained& many, const Dataset& set)
      : SlowTraining(many, set), plan_(plan), owners_(many.owners), ranks_(many.comm.size()) {}

  /// The loss of the epoch: of each update before it, by seeds.
  double runEpoch(int epoch) {
    const std::uint64_t seed = settings_.training.seed;
    const SlowSeeds seeds = slowSeeds(plan_, set_, owners_, ranks_, seed, epoch);
    double sum = 0;
    std::size_t all = 0;
    for (std::size_t t = 0; t < seeds.size(); ++t) {
      std::vector<int> joined;
      for (const auto& share : seeds[t]) joined.insert(joined.end(), share.begin(), share.end());
      const double loss = update(drawn(joined, {seed, at(epoch) * seeds.size() + t}, plan_.fanouts),
                                 weightsOf(seeds[t]), at(epoch) * seeds.size() + t);
      sum += loss * static_cast<double>(joined.size());
      all += joined.size();
    }
    return all == 0 ? 0 : sum / static_cast<double>(all);
  }

  /// The same in three stages at once: in step s batch s is multiplied with layer 0's input weights, batch
  /// s − 1 passes all else and back, and the weights step by batch s − 2; all with the weights of then.
  double runEpochInStages(int epoch) {
    const std::uint64_t seed = settings_.training.seed;
    const SlowSeeds seeds = slowSeeds(plan_, set_, owners_, ranks_, seed, epoch);
    DefinedWeights multiplied,
        lastGradients;  // weights of the first stage a step ago; gradients of the second
    double sum = 0;
    std::size_t all = 0;
    for (std::size_t s = 0; s < seeds.size() + 2; ++s) {
      const DefinedWeights present = weights_;
      DefinedWeights gradients;
      if (s >= 1 && s <= seeds.size()) {
        std::vector<int> joined;
        for (const auto& share : seeds[s - 1]) joined.insert(joined.end(), share.begin(), share.end());
        for (auto& [name, weight] : weights_)
          if (name.starts_with("layer0.weight")) weight.value = multiplied.at(name).value;
        const std::uint64_t step = at(epoch) * seeds.size() + s - 1;
        sum += makeGradients(drawn(joined, {seed, step}, plan_.fanouts), weightsOf(seeds[s - 1]), step) *
               static_cast<double>(joined.size());
        all += joined.size();
        gradients = weights_;
        weights_ = present;
      }
      if (s >= 2) {
        for (auto& [name, weight] : weights_) weight.gradient = lastGradients.at(name).gradient;
        stepWeights();
      }
      multiplied = present;
      lastGradients = gradients;
    }
    return all == 0 ? 0 : sum / static_cast<double>(all);
  }

  /// Of all vertices, with the weights as they are and an evaluation's draws.
  Rows outputs(int epoch, const std::vector<int>& fanouts) const {
    std::vector<int> all(rows_.size());
    std::iota(all.begin(), all.end(), 0);
    constexpr std::uint32_t kEvaluate = 18;
    return forward(drawn(all, {settings_.training.seed, at(epoch), kEvaluate}, fanouts), at(epoch),
                   /*training=*/false)
        .A.back();
  }

 private:
  SlowLayers drawn(const std::vector<int>& seeds, const slow::Key& key,
                   const std::vector<int>& fanouts) const {
    const slow::Batch batch = slow::batch(rows_, seeds, key, fanouts, plan_.replace);
    SlowLayers layers{batch.V, std::vector<std::vector<Entry>>(batch.V.size())};
    for (std::size_t l = 1; l < batch.V.size(); ++l) layers.P[l] = entries(batch, l);
    return layers;
  }

  /// P̂ of a block.
  std::vector<Entry> entries(const slow::Batch& batch, std::size_t l) const {
    std::vector<Entry> all;
    for (std::size_t i = 0; i < batch.V[l].size(); ++i) {
      const auto v = at(batch.V[l][i]);
      const auto drawn = static_cast<double>(batch.E[l][i].size()),
                 degree = static_cast<double>(rows_[v].size());
      if (!sage()) all.push_back({i, i, plan_.block ? 1 / (drawn + 1) : whole(v, v)});
      for (const int number : batch.E[l][i]) {
        const double within = sage() ? 1 / drawn : 1 / (drawn + 1);
        const auto u = at(batch.V[l - 1][at(number)]);
        all.push_back({i, at(number), plan_.block ? within : degree / drawn * whole(v, u)});
      }
    }
    return all;
  }

  /// What each seed counts in the loss of its batch, rank after rank.
  std::vector<double> weightsOf(const std::vector<std::vector<int>>& shares) const {
    double all = 0, busy = 0;
    for (const auto& share : shares) {
      all += static_cast<double>(share.size());
      busy += share.empty() ? 0 : 1;
    }
    std::vector<double> weights;
    for (const auto& share : shares)
      weights.insert(weights.end(), share.size(),
                     plan_.plain ? 1 / busy / static_cast<double>(share.size()) : 1 / all);
    return weights;
  }

  const SlowPlan& plan_;
  const Owners& owners_;
  int ranks_;
};

}  // namespace halo::test
