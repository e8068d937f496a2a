// Mini-batches as resources/design/methods.md has them, in plain loops in one process: who takes which seeds,
// whom that makes ask whom for what, and the training that comes of it, in double. Shares no sampling,
// exchange or kernel with the engine but the keyed masks of dropout. gcn or graphsage, aggregate-first, ReLU.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "tests/engine/methods/defined_training.h"
#include "tests/engine/sampling/slow_sampling.h"

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

inline slow::Rows slowRows(const Csr& A) {
  slow::Rows rows;
  for (Index v = 0; v < A.rows(); ++v) rows.emplace_back(A.row(v).begin(), A.row(v).end());
  return rows;
}

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
class SlowBatches {
 public:
  /// Begins with the weights that `many` has now; all outlive this.
  SlowBatches(const SlowPlan& plan, const Trained& many, const Dataset& set)
      : plan_(plan),
        set_(set),
        owners_(many.owners),
        ranks_(many.comm.size()),
        settings_(many.settings),
        rows_(slowRows(set.arcs)),
        outDegrees_(rows_.size(), 0),
        features_(rowsOf(set.features)) {
    for (const auto& row : rows_)
      for (const int u : row) ++outDegrees_[at(u)];
    for (auto& [name, weight] : many.model->weights()) weights_[name].value = rowsOf(weight->value);
  }

  /// The loss of the epoch: of each update before it, by seeds.
  double runEpoch(int epoch) {
    const std::uint64_t seed = settings_.training.seed;
    const SlowSeeds seeds = slowSeeds(plan_, set_, owners_, ranks_, seed, epoch);
    double sum = 0;
    std::size_t all = 0;
    for (std::size_t t = 0; t < seeds.size(); ++t) {
      std::vector<int> joined;
      for (const auto& share : seeds[t]) joined.insert(joined.end(), share.begin(), share.end());
      const double loss = update(joined, weightsOf(seeds[t]), at(epoch) * seeds.size() + t);
      sum += loss * static_cast<double>(joined.size());
      all += joined.size();
    }
    return all == 0 ? 0 : sum / static_cast<double>(all);
  }

  /// Of all vertices, with the weights as they are and an evaluation's draws.
  Rows outputs(int epoch, const std::vector<int>& fanouts) const {
    std::vector<int> all(rows_.size());
    std::iota(all.begin(), all.end(), 0);
    constexpr std::uint32_t kEvaluate = 18;
    return forward(all, {settings_.training.seed, at(epoch), kEvaluate}, fanouts, /*training=*/false)
        .A.back();
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

 private:
  /// P̂ of a block: its row's target, its source, and the value.
  std::vector<Entry> entries(const slow::Batch& batch, int l) const {
    std::vector<Entry> all;
    for (std::size_t i = 0; i < batch.V[at(l)].size(); ++i) {
      const auto v = at(batch.V[at(l)][i]);
      const auto drawn = static_cast<double>(batch.E[at(l)][i].size()),
                 degree = static_cast<double>(rows_[v].size());
      if (!sage())
        all.push_back({i, i, plan_.block ? 1 / (drawn + 1) : 1 / std::sqrt((degree + 1) * (out(v) + 1))});
      for (const int number : batch.E[at(l)][i]) {
        const auto u = at(batch.V[at(l) - 1][at(number)]);
        const double whole = sage() ? 1 / degree : 1 / std::sqrt((degree + 1) * (out(u) + 1));
        const double within = sage() ? 1 / drawn : 1 / (drawn + 1);
        all.push_back({i, at(number), plan_.block ? within : degree / drawn * whole});
      }
    }
    return all;
  }
  double out(std::size_t v) const { return outDegrees_[v]; }
  bool sage() const { return settings_.model.kind == "graphsage"; }
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
    Rows kept = H;
    for (std::size_t i = 0; i < H.size(); ++i) kept[i] = times(mask[i], H[i]);
    return kept;
  }
  Rows maskOf(const Rows& like, const std::vector<int>& ids, int layer, std::uint64_t step) const {
    Matrix mask(std::ssize(like), std::ssize(like.front()));
    mask.fill(1);
    if (settings_.model.dropout > 0)
      dropout(mask, ids,
              {settings_.training.seed, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(layer)},
              settings_.model.dropout, mask);
    return rowsOf(mask);
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

  /// What a pass keeps of its layers: what enters them before dropout (the outputs last) and after it, and
  /// what is aggregated of that.
  struct Passed {
    slow::Batch batch;
    std::vector<Rows> A, H, Z;
  };

  Passed forward(const std::vector<int>& seeds, const slow::Key& key, const std::vector<int>& fanouts,
                 bool training) const {
    Passed passed;
    passed.batch = slow::batch(rows_, seeds, key, fanouts, plan_.replace);
    auto& [batch, A, H, Z] = passed;
    const int layers = static_cast<int>(fanouts.size());
    A.resize(1);
    for (const int v : batch.V[0]) A[0].push_back(features_[at(v)]);
    for (int l = 0; l < layers; ++l) {
      H.push_back(training ? dropped(A[at(l)], batch.V[at(l)], l, key.step) : A[at(l)]);
      const std::size_t targets = batch.V[at(l) + 1].size();
      Z.push_back(zeros(targets, H[at(l)].empty() ? 0 : H[at(l)].front().size()));
      for (const Entry& e : entries(batch, l + 1)) addTo(Z[at(l)][e.v], e.value, H[at(l)][e.u]);
      A.emplace_back();
      for (std::size_t v = 0; v < targets; ++v) {
        Row U = product(Z[at(l)][v], neighbourWeight(l).value);
        if (sage()) addTo(U, 1, product(H[at(l)][v], weight(l, "weight_self").value));
        addTo(U, 1, weight(l, "bias").value[0]);
        for (double& x : U) x = l + 1 < layers ? std::max(x, 0.0) : x;
        A[at(l) + 1].push_back(U);
      }
    }
    return passed;
  }

  /// Trains on these seeds; their loss before.
  double update(const std::vector<int>& seeds, const std::vector<double>& seedWeights, std::uint64_t step) {
    const Passed passed = forward(seeds, {settings_.training.seed, step}, plan_.fanouts, /*training=*/true);
    const auto& [batch, A, H, Z] = passed;
    Rows dU;
    const double loss = crossEntropy(A.back(), seeds, seedWeights, dU);
    for (int l = static_cast<int>(plan_.fanouts.size()) - 1; l >= 0; --l) {
      setGradients(weights_, l, Z[at(l)], H[at(l)], dU);
      if (l == 0) break;
      Rows dH(A[at(l)].size(), Row(A[at(l)].empty() ? 0 : A[at(l)].front().size(), 0));
      for (const Entry& e : entries(batch, l + 1))
        addTo(dH[e.u], e.value, productTransposed(dU[e.v], neighbourWeight(l).value));
      for (std::size_t v = 0; v < dU.size() && sage(); ++v)
        addTo(dH[v], 1, productTransposed(dU[v], weight(l, "weight_self").value));
      const Rows mask = dH.empty() ? Rows() : maskOf(dH, batch.V[at(l)], l, step);
      for (std::size_t v = 0; v < dH.size(); ++v) {
        dH[v] = times(mask[v], dH[v]);
        for (std::size_t c = 0; c < dH[v].size(); ++c) dH[v][c] *= A[at(l)][v][c] > 0 ? 1 : 0;
      }
      dU = dH;
    }
    stepAdam(weights_, ++steps_, settings_.training.learningRate);
    return loss;
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

  const SlowPlan& plan_;
  const Dataset& set_;
  const Owners& owners_;
  int ranks_;
  const RunSettings& settings_;
  slow::Rows rows_;
  std::vector<int> outDegrees_;
  Rows features_;
  DefinedWeights weights_;
  int steps_ = 0;
};

}  // namespace halo::test
