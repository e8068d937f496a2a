// Training on vertex sets and on sources that a layer draws together, as resources/design/methods.md has it,
// in plain loops. Shares no sampling with the engine.
#pragma once

#include <map>
#include <set>

#include "tests/engine/methods/minibatch/slow_training.h"

namespace halo::test {

/// What a run asks for.
struct SlowSetPlan {
  std::string sampler;
  bool block = false;
  int budget = 6, roots = 3, depth = 2;
  double coverage = 5;
  int batch = 5;  // of layer alone

  /// Of minibatch.
  RunSettings settings(const std::string& kind, double dropout, int layers = 2) const {
    RunSettings run = settingsFor("minibatch", kind, layers, 6, dropout);
    run.model.order = "aggregate-first";
    run = with(run, "sampler", sampler);
    run = with(run, "edge_weights", std::string(block ? "block" : "global"));
    if (sampler == "layer") run = with(run, "batch", std::int64_t{batch});
    if (sampler != "saint-walk") return with(run, "budget", std::int64_t{budget});
    run = with(with(run, "roots", std::int64_t{roots}), "depth", std::int64_t{depth});
    return with(run, "coverage", coverage);
  }
};

class SlowSets : public SlowTraining {
 public:
  SlowSets(const SlowSetPlan& plan, const Trained& many, const Dataset& set)
      : SlowTraining(many, set), plan_(plan) {
    for (int v = 0; v < n(); ++v)
      if (set.split[at(v)] == Split::train) train_.push_back(v);
    if (plan.sampler == "saint-node") weighVertices();
    if (plan.sampler == "saint-edge") weighPairs();
    if (plan.sampler == "saint-walk") preSample();
  }

  int iterations() const {
    if (plan_.sampler == "layer") return (static_cast<int>(train_.size()) + plan_.batch - 1) / plan_.batch;
    if (plan_.sampler == "uniform") return (n() + plan_.budget - 1) / plan_.budget;
    double mean = meanMet_;
    for (int v = 0; v < n() && plan_.sampler != "saint-walk"; ++v) mean += inclusion(v);
    return static_cast<int>(std::ceil(drawnTrain() / mean - 1e-9));
  }
  /// V' of an update.
  std::set<int> membersOf(std::uint64_t step) const { return draw(step); }
  /// Training vertices that some set can have.
  double drawnTrain() const {
    double count = 0;
    for (const int v : train_) count += inclusion(v) > 0 ? 1 : 0;
    return count;
  }

  double runEpoch(int epoch) {
    double sum = 0, counted = 0;
    for (int t = 0; t < iterations(); ++t) {
      const std::uint64_t step = stepOf(epoch, t);
      const auto [loss, counts] = plan_.sampler == "layer" ? layerStep(epoch, t, step) : setStep(step);
      sum += loss * counts;
      counted += counts;
    }
    return counted > 0 ? sum / counted : 0;
  }

  /// What is passed in every iteration of an epoch; of a set without training vertices nothing.
  std::vector<SlowLayers> passedIn(int epoch) const {
    std::vector<SlowLayers> passed;
    for (int t = 0; t < iterations(); ++t) {
      const std::uint64_t step = stepOf(epoch, t);
      SlowLayers layers = plan_.sampler == "layer" ? layersOf(epoch, t, step) : setOf(step);
      if (trainedIn(layers.V.back()) > 0) passed.push_back(std::move(layers));
    }
    return passed;
  }

 private:
  int n() const { return static_cast<int>(rows_.size()); }
  std::uint64_t stepOf(int epoch, int t) const {
    return static_cast<std::uint64_t>(epoch) * static_cast<std::uint64_t>(iterations()) +
           static_cast<std::uint64_t>(t);
  }
  double P(int v, int u) const { return whole(at(v), at(u)); }
  slow::Key key(std::uint64_t step, std::uint32_t purpose) const {
    return {settings_.training.seed, step, purpose};
  }

  std::pair<double, double> setStep(std::uint64_t step) {
    const SlowLayers layers = setOf(step);
    const double trained = trainedIn(layers.V.back());
    const bool uniform = plan_.sampler == "uniform";
    if (trained == 0) return {0, uniform ? 0 : 1};
    std::vector<double> weights;
    for (const int v : layers.V.back()) {
      const bool trains = set_.split[at(v)] == Split::train;
      weights.push_back(!trains ? 0 : uniform ? 1 / trained : 1 / inclusion(v) / drawnTrain());
    }
    return {update(layers, weights, step), uniform ? trained : 1};
  }

  double trainedIn(const std::vector<int>& vertices) const {
    return static_cast<double>(
        std::ranges::count_if(vertices, [&](int v) { return set_.split[at(v)] == Split::train; }));
  }

  SlowLayers setOf(std::uint64_t step) const {
    const std::set<int> members = draw(step);
    SlowLayers layers;
    layers.V.assign(at(settings_.model.layers) + 1, {members.begin(), members.end()});
    layers.P.assign(layers.V.size(), entriesWithin(members));
    return layers;
  }

  std::set<int> draw(std::uint64_t step) const {
    const std::uint64_t seed = settings_.training.seed;
    if (plan_.sampler == "uniform") return slow::uniform(n(), plan_.budget, seed, step);
    if (plan_.sampler == "saint-walk")
      return slow::walks(rows_, train_, plan_.roots, plan_.depth, key(step, 15));
    std::set<int> members;
    for (int i = 0; i < plan_.budget; ++i) {
      const std::uint64_t drawn = slow::word(key(step, 14), step, static_cast<std::uint32_t>(i), 0);
      if (plan_.sampler == "saint-node") {
        members.insert(slow::byWeight(shares_, drawn));
        continue;
      }
      const auto& [a, b] = pairs_[at(slow::byWeight(shares_, drawn))];
      members.insert({a, b});
    }
    return members;
  }

  std::vector<Entry> entriesWithin(const std::set<int>& members) const {
    const std::vector<int> all(members.begin(), members.end());
    std::map<int, std::size_t> number;
    for (std::size_t i = 0; i < all.size(); ++i) number[all[i]] = i;
    std::map<int, double> in, out;
    for (const auto& [v, u] : slow::within(rows_, members)) {
      ++in[v];
      ++out[u];
    }
    const auto within = [&](int v, int u) {
      return sage() ? 1 / in[v] : 1 / std::sqrt((in[v] + 1) * (out[u] + 1));
    };
    std::vector<Entry> entries;
    for (const int v : all)
      if (!sage()) entries.push_back({number[v], number[v], plan_.block ? within(v, v) : P(v, v)});
    for (const auto& [v, u] : slow::within(rows_, members))
      entries.push_back({number[v], number[u], plan_.block ? within(v, u) : P(v, u) / alpha(v, u)});
    return entries;
  }

  /// λ_v
  double inclusion(int v) const {
    if (plan_.sampler == "uniform") return static_cast<double>(plan_.budget) / n();
    if (plan_.sampler == "saint-walk") return reached_[at(v)] ? std::max(met_[at(v)], 1.0) / sets_ : 0;
    return 1 - std::pow(1 - once_[at(v)], plan_.budget);
  }
  /// α_uv = λ_uv / λ_v
  double alpha(int v, int u) const {
    if (plan_.sampler == "uniform") return (plan_.budget - 1.0) / (n() - 1.0);
    if (plan_.sampler == "saint-walk") {
      const auto place = metBoth_.find({v, u});
      return std::max(place == metBoth_.end() ? 0.0 : place->second, 1.0) / std::max(met_[at(v)], 1.0);
    }
    const double p = once_[at(v)], q = once_[at(u)];
    double both = 0;
    for (std::size_t e = 0; e < pairs_.size(); ++e)
      if (pairs_[e] == std::pair(std::min(u, v), std::max(u, v))) both += shares_[e];
    const double m = plan_.budget;
    return (1 - std::pow(1 - p, m) - std::pow(1 - q, m) + std::pow(std::max(0.0, 1 - p - q + both), m)) /
           inclusion(v);
  }

  void weighVertices() {
    shares_.assign(rows_.size(), 0);
    for (int v = 0; v < n(); ++v)
      for (const int u : slow::others(rows_, v)) shares_[at(u)] += P(v, u) * P(v, u);
    norm(shares_);
    once_ = shares_;
  }

  /// Pairs in the order of the arcs that stand for them: from the lower vertex, or the only ones.
  void weighPairs() {
    const auto has = [&](int v, int u) {
      const std::vector<int> row = slow::others(rows_, v);
      return std::count(row.begin(), row.end(), u) > 0;
    };
    for (int v = 0; v < n(); ++v)
      for (const int u : slow::others(rows_, v)) {
        if (u > v && has(u, v)) continue;
        pairs_.push_back({std::min(u, v), std::max(u, v)});
        shares_.push_back(P(v, u) + (has(u, v) ? P(u, v) : 0));
      }
    norm(shares_);
    once_.assign(rows_.size(), 0);
    for (std::size_t e = 0; e < pairs_.size(); ++e) {
      once_[at(pairs_[e].first)] += shares_[e];
      once_[at(pairs_[e].second)] += shares_[e];
    }
  }
  static void norm(std::vector<double>& shares) {
    double all = 0;
    for (const double share : shares) all += share;
    for (double& share : shares) share /= all > 0 ? all : 1;
  }

  void preSample() {
    met_.assign(rows_.size(), 0);
    reached_.assign(rows_.size(), false);
    double all = 0;
    for (; all < plan_.coverage * n(); ++sets_) {
      const auto members =
          slow::walks(rows_, train_, plan_.roots, plan_.depth, key(static_cast<std::uint64_t>(sets_), 16));
      for (const int v : members) ++met_[at(v)];
      for (const auto& arc : slow::within(rows_, members)) ++metBoth_[arc];
      all += static_cast<double>(members.size());
    }
    meanMet_ = all / sets_;
    std::set<int> reached(train_.begin(), train_.end());
    for (int step = 0; step < plan_.depth; ++step)
      for (const int v : std::set<int>(reached))
        for (const int u : slow::others(rows_, v)) reached.insert(u);
    for (const int v : reached) reached_[at(v)] = true;
  }

  std::pair<double, double> layerStep(int epoch, int t, std::uint64_t step) {
    const SlowLayers layers = layersOf(epoch, t, step);
    const auto count = static_cast<double>(layers.V.back().size());
    return {update(layers, std::vector<double>(layers.V.back().size(), 1 / count), step), count};
  }

  SlowLayers layersOf(int epoch, int t, std::uint64_t step) const {
    const std::vector<int> ordered =
        slow::seedOrder(train_, settings_.training.seed, static_cast<std::uint32_t>(epoch));
    const auto begin = ordered.begin() + t * plan_.batch;
    const auto end = std::min(begin + plan_.batch, ordered.end());
    const int L = static_cast<int>(settings_.model.layers);
    SlowLayers layers;
    layers.V.resize(at(L) + 1);
    layers.P.resize(at(L) + 1);
    layers.V.back().assign(begin, end);
    for (int l = L; l >= 1; --l) {
      const std::uint64_t stream = step * static_cast<std::uint64_t>(L) + static_cast<std::uint64_t>(L - l);
      layers.P[at(l)] = drawLayer(layers.V[at(l)], key(step, 14), stream, layers.V[at(l) - 1]);
    }
    return layers;
  }

  std::vector<Entry> drawLayer(const std::vector<int>& targets, const slow::Key& drawKey,
                               std::uint64_t stream, std::vector<int>& sources) const {
    std::map<int, double> q, times;
    for (const int v : targets) {
      if (!sage()) q[v] += P(v, v) * P(v, v);
      for (const int u : slow::others(rows_, v)) q[u] += P(v, u) * P(v, u);
    }
    std::vector<int> candidates;
    std::vector<double> shares;
    for (const auto& [u, share] : q) {
      candidates.push_back(u);
      shares.push_back(share);
    }
    norm(shares);
    for (int i = 0; i < plan_.budget && !q.empty(); ++i)
      ++times[candidates[at(
          slow::byWeight(shares, slow::word(drawKey, stream, static_cast<std::uint32_t>(i), 0)))]];
    std::map<int, double> factor;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (times[candidates[i]] > 0) factor[candidates[i]] = times[candidates[i]] / plan_.budget / shares[i];
    sources = targets;
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const int v = targets[i];
      std::vector<int> drawn;
      for (const int u : slow::others(rows_, v))
        if (factor.count(u) > 0) drawn.push_back(u);
      const auto arcs = static_cast<double>(drawn.size());
      const double within = sage() ? 1 / arcs : 1 / (arcs + 1);
      const auto own = factor.find(v);
      const double drawnItself = own == factor.end() ? 0 : own->second;
      if (!sage()) entries.push_back({i, i, plan_.block ? within : P(v, v) * drawnItself});
      for (const int u : drawn) {
        auto place = std::find(sources.begin(), sources.end(), u);
        if (place == sources.end()) place = sources.insert(sources.end(), u);
        entries.push_back({i, at(place - sources.begin()), plan_.block ? within : P(v, u) * factor[u]});
      }
    }
    return entries;
  }

  const SlowSetPlan& plan_;
  std::vector<int> train_;
  std::vector<double> shares_, once_;       // of what is drawn; that a draw has a vertex
  std::vector<std::pair<int, int>> pairs_;  // lower first
  std::vector<double> met_;
  std::map<std::pair<int, int>, double> metBoth_;  // (target, source)
  std::vector<bool> reached_;
  double sets_ = 0, meanMet_ = 0;
};

}  // namespace halo::test
