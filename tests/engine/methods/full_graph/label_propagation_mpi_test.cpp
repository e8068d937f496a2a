// Masked label propagation (SuperGCN 2) against its twin: `single` on a data set whose features have the
// labels' embeddings added beforehand and whose training vertices are those that the loss is of. Whose label
// is shown is worked out here anew.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/index.h"
#include "tests/engine/methods/full_graph/shown_labels.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kShare = 0.62;
// float: weights that Adam has moved, sums of gin and division by small deviations cost another digit
constexpr double kOneEpoch = sizeof(Scalar) == 8 ? 1e-10 : 1e-4;
constexpr double kTwentyEpochs = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;

// More than four ranks, which few machines have cores for, train one of them.
std::vector<std::string> kinds() {
  if (worldSize() > 4) return {"graphsage"};
  return {"gcn", "graphsage", "gin", "gat"};
}

bool holds(const Dataset& set, Index v, std::int32_t c) {
  return set.multiLabel() ? set.multiLabels(v, c) == 1 : set.labels[at(v)] == c;
}

/// The data set that the twin trains on: in `epoch` or, with −1, as it is evaluated.
Dataset withLabelsShown(const Dataset& set, const Matrix& embedding, int epoch, const RunSettings& run) {
  Dataset twin = set;
  for (Index v = 0; v < set.vertices(); ++v) {
    const bool trains = set.split[at(v)] == Split::train;
    if (epoch >= 0 ? !shown(set, v, run.training.seed, static_cast<std::uint32_t>(epoch), kShare) : !trains)
      continue;
    for (std::int32_t c = 0; c < set.classes; ++c)
      if (holds(set, v, c))
        for (Index k = 0; k < set.features.cols(); ++k) twin.features(v, k) += embedding(c, k);
    if (epoch >= 0) twin.split[at(v)] = Split::none;
  }
  return twin;
}

/// `single` after one epoch from the given weights, the embedding apart.
struct Twin {
  Trained single;
  double loss = 0, factor = 0;

  Twin(const Dataset& set, const std::vector<Matrix>& weights, int epoch, RunSettings run)
      : single(MPI_COMM_SELF, withLabelsShown(set, weights.back(), epoch, run), alone(std::move(run)),
               Owners(at(set.vertices()), 0)) {
    auto own = single.model->weights();
    for (std::size_t w = 0; w < own.size(); ++w) own[w].second->value = weights[w];
    loss = single.method->runEpoch(std::max(epoch, 0));
    // single's loss is the mean over those it learns from
    factor = static_cast<double>(single.share.trainVertices) /
             (static_cast<double>(set.count(Split::train)) * (1 - kShare));
  }
  static RunSettings alone(RunSettings run) {
    run.method = "single";
    run.cluster.workers = 1;
    run.parameters = fallbacks(find<MethodEntry>("single")->declaration.parameters);
    return run;
  }
};

std::vector<Matrix> valuesOf(Model& model) {
  std::vector<Matrix> values;
  for (const auto& [name, weight] : model.weights()) values.push_back(weight->value);
  return values;
}

/// What differences are measured by.
double largest(std::span<const Scalar> values) {
  CHECK(std::ranges::all_of(values, [](Scalar v) { return std::isfinite(v); }));
  double most = 0;
  for (const Scalar v : values) most = std::max(most, std::abs(static_cast<double>(v)));
  return most;
}

/// The largest difference of the own rows of logits, over the largest of all.
double apart(const Trained& many, const Matrix& logits) {
  double worst = 0;
  for (std::size_t i = 0; i < many.share.graph.owned.size(); ++i)
    for (Index c = 0; c < logits.cols(); ++c)
      worst = larger(worst, std::abs(static_cast<double>((*many.method->logits())(static_cast<Index>(i), c) -
                                                         logits(many.share.graph.owned[i], c))));
  return worst / std::max(largest(logits.values()), 1e-30);
}

Dataset severalLabels(Dataset set) {
  set.multiLabels.setZero(set.vertices(), set.classes);
  for (Index v = 0; v < set.vertices(); ++v)
    for (std::int32_t c = 0; c < set.classes; ++c)
      set.multiLabels(v, c) = (v + c) % 3 == 0 || set.labels[at(v)] == c ? 1 : 0;
  set.labels.clear();
  return set;
}

std::vector<Dataset> labelledGraphs() {
  std::vector<Dataset> sets = hardGraphs();
  sets.push_back(severalLabels(sets[1]));
  return sets;
}

/// Relative to single's gradients, scaled; the embedding's, which single does not have, is not compared.
void checkGradients(Model& model, Twin& twin) {
  const auto expected = twin.single.model->weights();
  const auto actual = model.weights();
  CHECK(actual.size() == expected.size() + 1);
  for (std::size_t w = 0; w < expected.size(); ++w) {
    CAPTURE(expected[w].first);
    const auto a = expected[w].second->gradient.values(), b = actual[w].second->gradient.values();
    double difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      difference =
          larger(difference, std::abs(static_cast<double>(a[i]) * twin.factor - static_cast<double>(b[i])));
    CHECK(difference <= kOneEpoch * std::max(largest(a) * twin.factor, 1e-2));
  }
}

}  // namespace

TEST_CASE("labels shown are what one worker trains on whose features have them added", "[labels][identity]") {
  for (const Dataset& set : labelledGraphs()) {
    for (const std::string& kind : kinds()) {
      for (const std::string order : {"aggregate-first", "update-first"}) {
        RunSettings run = labelSettings(kind, 0.5);
        run.model.order = order;
        CAPTURE(set.name, set.multiLabel(), kind, order);
        if (!refusals(*find<MethodEntry>("supergcn"), run).empty()) continue;
        Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
        for (int epoch = 0; epoch < 3; ++epoch) {
          CAPTURE(epoch);
          Twin twin(set, valuesOf(*many.model), epoch, run);
          CHECK(many.method->runEpoch(epoch) == Approx(twin.loss * twin.factor).epsilon(kOneEpoch));
          CHECK(apart(many, *twin.single.method->logits()) <= kOneEpoch);
          checkGradients(*many.model, twin);
        }
        RunSettings evaluated = run;
        evaluated.model.dropout = 0;
        Twin twin(set, valuesOf(*many.model), -1, evaluated);
        many.method->evaluate();
        CHECK(apart(many, *twin.single.method->logits()) <= kOneEpoch);
      }
    }
  }
}

TEST_CASE("the label embedding's gradient is that of finite differences", "[labels][gradient]") {
  if (sizeof(Scalar) == 4) return;  // differences of floats say nothing
  for (const Dataset& set : {hardGraphs()[0], severalLabels(hardGraphs()[1])}) {
    for (const std::string& kind : kinds()) {
      const RunSettings run = labelSettings(kind, 0.5);
      Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      many.method->runEpoch(0);
      std::vector<Matrix> weights = valuesOf(*many.model);
      many.method->runEpoch(1);
      const Matrix& gradient = many.model->labelEmbedding()->gradient;
      Matrix& embedding = weights.back();
      CHECK(largest(gradient.values()) > 1e-3);
      constexpr double kStep = 1e-6;
      const auto lossWith = [&](std::size_t i, double value) {
        const Scalar before = std::exchange(embedding.values()[i], static_cast<Scalar>(value));
        const Twin twin(set, weights, 1, run);
        embedding.values()[i] = before;
        return twin.loss * twin.factor;
      };
      for (std::size_t i = 0; i < embedding.values().size(); ++i) {
        CAPTURE(set.multiLabel(), kind, i);
        const double value = static_cast<double>(embedding.values()[i]);
        const double slope = (lossWith(i, value + kStep) - lossWith(i, value - kStep)) / (2 * kStep);
        CHECK(static_cast<double>(gradient.values()[i]) == Approx(slope).epsilon(1e-5).margin(1e-8));
      }
    }
  }
}

TEST_CASE("twenty epochs with labels shown are the same for any number of ranks", "[labels][identity]") {
  const Dataset set = hardGraphs()[1];
  for (const std::string aggregation : {"pre", "post", "hybrid"}) {
    for (const std::int64_t redraw : {1, 0}) {
      CAPTURE(aggregation, redraw);
      const RunSettings run = with(with(labelSettings("graphsage", 0.5), "aggregation", Value(aggregation)),
                                   "label_redraw", Value(redraw));
      Trained single(MPI_COMM_SELF, set, run, Owners(at(set.vertices()), 0));
      Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      for (int epoch = 0; epoch < 20; ++epoch) {
        const double expected = single.method->runEpoch(epoch);
        CHECK(many.method->runEpoch(epoch) == Approx(expected).epsilon(kTwentyEpochs));
        const EpochRow a = single.method->evaluate(), b = many.method->evaluate();
        if (sizeof(Scalar) == 8) CHECK((a.train == b.train && a.valid == b.valid && a.test == b.test));
      }
    }
  }
}

TEST_CASE("no vertex that the loss is of has seen its label, and nobody one of another split", "[labels]") {
  const Dataset set = hardGraphs()[1];
  const RunSettings run = labelSettings("graphsage", 0);
  const Owners owners = scatteredOwners(set, worldSize());
  const auto logitsAfter = [&](const Dataset& data, int epochs) {
    Trained many(MPI_COMM_WORLD, data, run, owners);
    for (int epoch = 0; epoch < epochs; ++epoch) many.method->runEpoch(epoch);
    many.method->evaluate();
    return std::vector<Scalar>(many.method->logits()->values().begin(),
                               many.method->logits()->values().end());
  };
  const auto trainingLogits = [&](const Dataset& data) {
    Trained many(MPI_COMM_WORLD, data, run, owners);
    many.method->runEpoch(0);
    return std::vector<Scalar>(many.method->logits()->values().begin(),
                               many.method->logits()->values().end());
  };
  // every label of a kind of vertex that `predicate` picks is another one
  const auto relabelled = [&](const auto& predicate) {
    Dataset other = set;
    for (Index v = 0; v < set.vertices(); ++v)
      if (predicate(v)) other.labels[at(v)] = (set.labels[at(v)] + 1) % 3;
    return other;
  };
  const auto trains = [&](Index v) { return set.split[at(v)] == Split::train; };
  const auto isShown = [&](Index v) { return shown(set, v, run.training.seed, 0, kShare); };
  CHECK(logitsAfter(relabelled([&](Index v) { return !trains(v); }), 3) == logitsAfter(set, 3));
  CHECK(trainingLogits(relabelled([&](Index v) { return trains(v) && !isShown(v); })) == trainingLogits(set));

  Trained many(MPI_COMM_WORLD, set, run, owners);
  Trained other(MPI_COMM_WORLD, relabelled(isShown), run, owners);
  const auto crossEntropy = [&](const Trained& t) {
    double sum = 0;
    for (std::size_t i = 0; i < t.share.graph.owned.size(); ++i) {
      const Vertex v = t.share.graph.owned[i];
      if (!trains(v) || isShown(v)) continue;
      const auto u = t.method->logits()->row(static_cast<Index>(i));
      double exponents = 0;
      for (const Scalar x : u) exponents += std::exp(static_cast<double>(x));
      sum += std::log(exponents) - static_cast<double>(u[at(t.share.labels[i])]);
    }
    return sum;
  };
  for (Trained* t : {&many, &other}) {
    const double loss = t->method->runEpoch(0), sum = t->comm.sum(crossEntropy(*t));
    CHECK(loss == Approx(sum / (static_cast<double>(set.count(Split::train)) * (1 - kShare))));
  }
  // what was shown did reach the outputs
  const bool same = std::ranges::equal(many.method->logits()->values(), other.method->logits()->values());
  CHECK(many.comm.anywhere(!same));
}

TEST_CASE("layer 0 sends gradients back once labels are shown, to the byte", "[labels][volume]") {
  for (const Dataset& set : hardGraphs()) {
    for (const std::string& kind : kinds()) {
      for (const std::string bits : {"32", "8", "mixed"}) {
        for (const std::string order : {"aggregate-first", "update-first"}) {
          CAPTURE(set.name, kind, bits, order);
          RunSettings run = with(labelSettings(kind, 0.5), "bits", Value(bits));
          run.model.order = order;
          if (!refusals(*find<MethodEntry>("supergcn"), run).empty()) continue;
          Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
          for (int epoch = 0; epoch < 2; ++epoch) {
            many.method->prepareProbe();
            many.method->runEpoch(epoch);
            many.method->probeStaleness();
            many.method->evaluate();
            CHECK(measuredOf(many) == predictedOf(many, epoch == 0));
          }
          CHECK(many.model->weights().back().first == "labels.embedding");
        }
      }
    }
  }
}

TEST_CASE("with labels shown an epoch moves 2 R (d_0 + ... + d_{L-1}) elements", "[labels][volume]") {
  const Dataset set = hardGraphs()[1];
  RunSettings run = labelSettings("graphsage", 0);
  run.model.order = "aggregate-first";
  Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  many.method->runEpoch(0);
  std::int64_t bytes = 0, rows = 0;
  for (const auto& [key, flow] : measuredOf(many))
    if (std::get<0>(key) >= 0) bytes += flow.second;
  const auto table = rowsSent(*many.entry, {many.propagation, many.owners, many.comm.size(), many.settings,
                                            many.model->widths(), nullptr})
                         .front();
  for (const auto& from : table)
    for (const std::int64_t count : from) rows += count;
  CHECK(many.comm.sum(static_cast<double>(bytes)) ==
        static_cast<double>(rows * 2 * (5 + 6 + 6) * static_cast<std::int64_t>(sizeof(Scalar))));
}

TEST_CASE("whose label is shown changes when it is time, and not before", "[labels]") {
  const Dataset set = hardGraphs()[1];
  const auto lossesWith = [&](std::int64_t redraw) {
    RunSettings run = with(labelSettings("graphsage", 0), "label_redraw", Value(redraw));
    run.training.learningRate = 0;  // what is left to change is whose label is shown
    Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
    std::vector<double> losses;
    for (int epoch = 0; epoch < 6; ++epoch) losses.push_back(many.method->runEpoch(epoch));
    return losses;
  };
  const std::vector<double> each = lossesWith(1), pairs = lossesWith(2), never = lossesWith(0);
  for (std::size_t e = 0; e < 6; ++e) {
    CHECK(pairs[e] == each[e / 2]);
    CHECK(never[e] == each[0]);
    if (e > 0) CHECK(each[e] != each[e - 1]);
  }
}

TEST_CASE("without labels shown the model has no embedding", "[labels]") {
  const Dataset set = hardGraphs()[0];
  Trained many(MPI_COMM_WORLD, set, labelSettings("gcn", 0, 0), scatteredOwners(set, worldSize()));
  CHECK(many.model->labelEmbedding() == nullptr);
  for (const auto& [name, weight] : many.model->weights()) CHECK(name.find("labels") == std::string::npos);
}
