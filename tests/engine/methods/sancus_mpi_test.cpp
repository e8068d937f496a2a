// The invariants of Sancus. Interval 1 and threshold 0 stand among the identity tests.
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "engine/base/index.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kSame = sizeof(Scalar) == 8 ? 1e-9 : 1e-4;
constexpr int kLayers = 3;

RunSettings settingsOf(const std::string& method, const std::string& kind = "gcn", double dropout = 0.5) {
  RunSettings run = settingsFor(method, kind, kLayers, 7, dropout);
  run.model.order = "aggregate-first";
  run.training.learningRate = 0.02;
  return run;
}

RunSettings sancus(const std::string& policy, std::int64_t interval, double threshold = 0.1) {
  RunSettings run = settingsOf("sancus");
  run.parameters.insert_or_assign("policy", Value(policy));
  run.parameters.insert_or_assign("interval", Value(interval));
  run.parameters.insert_or_assign("threshold", Value(threshold));
  return run;
}

/// One worker that holds every rank's view of every row and multiplies by the whole matrix once a rank: the
/// definition, and slow.
class DefinedPropagator final : public Propagator {
 public:
  DefinedPropagator(const Trained& trained, Owners owners, int parts, const Values& values)
      : trained_(trained),
        transposed_(transpose(trained.propagation)),
        owners_(std::move(owners)),
        parts_(parts),
        values_(values),
        known_(2 * kLayers),
        taken_(2 * kLayers, std::vector<std::int64_t>(at(parts), kNever)) {}

  void beginEpoch(std::int32_t epoch) override { epoch_ = epoch; }
  void enter(int, const LayerInput& input) override { input_ = input; }
  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    if (!input_.training) return spmmReference(trained_.propagation, Y, Z);
    pass(2 * at(layer), trained_.propagation, *input_.raw, input_.rate, Z);
  }
  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    if (!values_.flag("skip_backward")) return spmmReference(transposed_, dZ, dY);
    pass(2 * at(layer) + 1, transposed_, dZ, 0, dY);
  }
  bool exact() const override { return false; }

 private:
  static constexpr std::int64_t kNever = -1'000'000;

  bool due(std::size_t index, int part, const Matrix& X) const {
    const std::int64_t lastEpoch = taken_[index][at(part)], interval = values_.integer("interval");
    if (lastEpoch == kNever || (values_.text("policy") == "fixed" && epoch_ % interval == 0)) return true;
    if (values_.text("policy") == "age") return epoch_ - lastEpoch >= interval;
    if (values_.text("policy") == "fixed") return false;
    double moved = 0, size = 0;
    for (Index v = 0; v < X.rows(); ++v)
      for (Index c = 0; owners_[at(v)] == part && c < X.cols(); ++c) {
        const double old = static_cast<double>(known_[index](v, c));
        moved += std::pow(static_cast<double>(X(v, c)) - old, 2);
        size += old * old;
      }
    return std::sqrt(moved) >= values_.real("threshold") * std::sqrt(size);
  }

  void pass(std::size_t index, const Csr& A, const Matrix& X, double rate, Matrix& Y) {
    Matrix& view = known_[index];
    if (view.empty()) view.setZero(X.rows(), X.cols());
    for (int part = 0; part < parts_; ++part) {
      if (!due(index, part, X)) continue;
      const bool first = taken_[index][at(part)] == kNever;
      taken_[index][at(part)] =
          epoch_ -
          (first && values_.text("policy") == "age" ? part * values_.integer("interval") / parts_ : 0);
      copyRows(X, part, view);
    }
    Y.setZero(X.rows(), X.cols());
    for (int part = 0; part < parts_; ++part) {
      Matrix input = view, product;
      copyRows(X, part, input);
      if (rate > 0) dropout(input, trained_.share.graph.owned, input_.key, rate, input);
      spmmReference(A, input, product);
      copyRows(product, part, Y);
    }
  }
  void copyRows(const Matrix& from, int part, Matrix& to) const {
    for (Index v = 0; v < from.rows(); ++v)
      if (owners_[at(v)] == part) std::ranges::copy(from.row(v), to.row(v).begin());
  }

  const Trained& trained_;
  Csr transposed_;
  Owners owners_;
  int parts_;
  Values values_;
  std::vector<Matrix> known_;                     // by layer and direction: what everybody else has
  std::vector<std::vector<std::int64_t>> taken_;  // and since when, by part
  LayerInput input_;
  std::int32_t epoch_ = 0;
};

/// What the ranks of one epoch sent: by layer, pass and source, messages and bytes of blocks.
struct Sent {
  std::int64_t messages = 0, bytes = 0;
};
Sent blocksIn(const Flows& flows) {
  Sent sent;
  for (const auto& [key, flow] : flows) {
    if (std::get<2>(key) < 0) continue;
    sent.messages += flow.first;
    sent.bytes += flow.second;
  }
  return sent;
}

std::int64_t usedParts(const Trained& many) {
  std::int64_t own = many.share.graph.owned.empty() ? 0 : 1;
  return const_cast<Communicator&>(many.comm).sum(own);
}

}  // namespace

TEST_CASE("sancus follows one worker that keeps every rank's copies by definition", "[sancus]") {
  const std::vector<std::pair<std::string, double>> policies = {
      {"fixed", 0}, {"age", 0}, {"variation", 0.07}, {"variation", 0.2}, {"variation", 0.4}};
  for (const auto& [policy, threshold] : policies) {
    for (const std::string kind : {"gcn", "graphsage", "gin"}) {
      for (const bool backward : {false, true}) {
        const Dataset set = hardGraphs()[0];  // directed
        const Owners owners = scatteredOwners(set, worldSize());
        CAPTURE(policy, threshold, kind, backward);
        RunSettings run = with(sancus(policy, 3, threshold), "skip_backward", Value(backward));
        run.model.kind = kind;
        Trained single(MPI_COMM_SELF, set, settingsOf("single", kind), Owners(owners.size(), 0));
        single.method = std::make_unique<FullGraph>(
            *single.parts, std::make_unique<DefinedPropagator>(single, owners, worldSize(), run.parameters),
            false);
        Trained many(MPI_COMM_WORLD, set, run, owners);
        for (int epoch = 0; epoch < 10; ++epoch) {
          CAPTURE(epoch);
          const double expected = single.method->runEpoch(epoch);
          many.method->prepareProbe();
          CHECK(many.method->runEpoch(epoch) == Approx(expected).epsilon(kSame));
          many.method->probeStaleness();
          const EpochRow a = single.method->evaluate(), b = many.method->evaluate();
          if (sizeof(Scalar) == 8) CHECK(a.test == b.test);
        }
      }
    }
  }
}

TEST_CASE("skipping sends what the closed form says, decisions included", "[sancus][volume]") {
  for (const Dataset& set : hardGraphs()) {
    for (const std::string policy : {"fixed", "age", "variation"}) {
      for (const bool backward : {false, true}) {
        for (const bool cached : {false, true}) {
          RunSettings run = with(sancus(policy, 3), "skip_backward", Value(backward));
          run = with(run, "layer0_cache", Value(cached));
          CAPTURE(set.name, policy, backward, cached);
          Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
          for (int epoch = 0; epoch < 7; ++epoch) {
            CAPTURE(epoch);
            many.method->prepareProbe();
            many.method->runEpoch(epoch);
            many.method->probeStaleness();
            many.method->evaluate();
            CHECK(measuredOf(many) == predictedIn(many, epoch));
          }
        }
      }
    }
  }
}

TEST_CASE("broadcasts done and skipped add up, and volume is the full one less the share skipped",
          "[sancus][volume]") {
  for (const std::string policy : {"fixed", "age", "variation"}) {
    for (const bool backward : {false, true}) {
      const Dataset set = hardGraphs()[1];
      CAPTURE(policy, backward);
      RunSettings run = with(sancus(policy, 4, 0.2), "skip_backward", Value(backward));
      Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      // threshold 0 sends every block: the volume with nothing skipped
      Trained full(MPI_COMM_WORLD, set, sancus("variation", 1, 0), many.owners);
      constexpr int kEpochs = 9, kPasses = 2 * kLayers - 1;
      std::int64_t messages = 0, bytes = 0, allBytes = 0;
      for (int epoch = 0; epoch < kEpochs; ++epoch) {
        many.method->prepareProbe();
        many.method->runEpoch(epoch);
        many.method->probeStaleness();  // neither counted nor taken for a use
        many.method->evaluate();
        const Flows measured = measuredOf(many), most = predictedIn(full, epoch);
        for (const auto& [key, flow] : measured) {
          if (std::get<2>(key) < 0) continue;
          // the whole block to all or to none: of each broadcast every other rank gets the same
          CHECK(most.at(key) == flow);
          for (int peer = 0; peer < worldSize(); ++peer)
            if (peer != many.comm.rank())
              CHECK(measured.count({std::get<0>(key), std::get<1>(key), peer}) == 1);
        }
        messages += blocksIn(measured).messages;
        bytes += blocksIn(measured).bytes;
        allBytes += blocksIn(most).bytes;
      }
      auto metrics = many.method->metrics();
      if (worldSize() == 1) {
        CHECK(metrics.empty());
        continue;
      }
      CHECK(metrics["broadcasts"] + metrics["skipped_broadcasts"] ==
            static_cast<double>(kEpochs * kPasses * usedParts(many)));
      CHECK(metrics["skipped_broadcasts"] > 0);
      CHECK(metrics["broadcasts"] * (worldSize() - 1) == static_cast<double>(many.comm.sum(messages)));
      const double all = static_cast<double>(many.comm.sum(allBytes));
      CHECK(std::llround(all * (1 - metrics["skipped_share"])) == many.comm.sum(bytes));
      if (policy != "variation" && backward && worldSize() == 2)  // 6 of 9 epochs; at an age: 2 owners apart
        CHECK(metrics["skipped_broadcasts"] == (policy == "fixed" ? 2 * 6 : 6 + 6) * kPasses);
    }
  }
}

TEST_CASE("staleness is zero where a block was just sent, and positive where a copy served", "[sancus]") {
  const Dataset set = hardGraphs()[1];
  const Owners owners = scatteredOwners(set, worldSize());
  for (const bool backward : {false, true}) {
    Trained always(MPI_COMM_WORLD, set, with(sancus("fixed", 1), "skip_backward", Value(backward)), owners);
    Trained seldom(MPI_COMM_WORLD, set, with(sancus("fixed", 3), "skip_backward", Value(backward)), owners);
    for (int epoch = 0; epoch < 7; ++epoch) {
      CAPTURE(backward, epoch);
      always.method->prepareProbe();
      always.method->runEpoch(epoch);
      for (const Staleness& row : always.method->probeStaleness()) CHECK(row.absolute == 0);
      seldom.method->prepareProbe();
      seldom.method->runEpoch(epoch);
      const auto rows = seldom.method->probeStaleness();
      if (worldSize() > 1) CHECK(rows.size() == 2 * kLayers - 1);
      for (const Staleness& row : rows) {
        CAPTURE(row.layer, row.pass, row.absolute);
        const bool constant = row.pass == Pass::forward && row.layer == 0;  // the features never change
        const bool fresh = epoch % 3 == 0 || constant || (row.pass == Pass::backward && !backward);
        if (worldSize() == 1 || seldom.share.graph.haloIds.empty() || fresh)
          CHECK(row.absolute == 0);
        else
          CHECK(row.relative > 0);
      }
    }
  }
}

namespace {

/// When every owner's block came last, of one layer and direction. By the policy, or as it was decided.
class Arrivals {
 public:
  Arrivals(std::string policy, std::int64_t interval)
      : policy_(std::move(policy)), interval_(interval), last_(at(worldSize())) {}

  void note(std::int64_t epoch, const RowTable& decided) {
    for (std::size_t owner = 0; owner < last_.size(); ++owner)
      if (sends(epoch, owner, decided)) last_[owner] = epoch;
  }
  /// Over the halo rows of this rank; none where it has none.
  std::optional<double> meanAge(const Trained& t, std::int64_t epoch) const {
    const std::vector<Vertex>& halo = t.share.graph.haloIds;
    std::int64_t ages = 0;
    for (const Vertex v : halo) ages += epoch - last_[at(t.owners[at(v)])];
    if (halo.empty()) return std::nullopt;
    return static_cast<double>(ages) / static_cast<double>(halo.size());
  }

 private:
  bool sends(std::int64_t epoch, std::size_t owner, const RowTable& decided) const {
    if (policy_ == "variation") return decided[owner][0] > 0;
    const std::int64_t head =
        policy_ == "age" ? static_cast<std::int64_t>(owner) * interval_ / worldSize() : 0;
    return (epoch + head) % interval_ == 0;
  }

  std::string policy_;
  std::int64_t interval_;
  std::vector<std::int64_t> last_;  // the first epoch sends all
};

}  // namespace

TEST_CASE("the age of what sancus used is that of its copies, in the mean over the halo rows", "[sancus]") {
  constexpr std::int64_t kInterval = 3;
  const Dataset set = hardGraphs()[1];
  for (const std::string policy : {"fixed", "age", "variation"})
    for (const bool backward : {false, true}) {
      const RunSettings run = with(sancus(policy, kInterval), "skip_backward", Value(backward));
      Trained t(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      std::vector<Arrivals> arrivals(2 * kLayers, Arrivals(policy, kInterval));
      for (std::int32_t epoch = 0; epoch < 8; ++epoch) {
        t.method->prepareProbe();
        t.method->runEpoch(epoch);
        std::vector<RowTable> decided = t.method->decided();
        decided.resize(arrivals.size());  // of the other policies there are none
        for (std::size_t i = 0; i < arrivals.size() && worldSize() > 1; ++i)
          arrivals[i].note(epoch, decided[i]);
        for (const Staleness& row : t.method->probeStaleness()) {
          CAPTURE(policy, backward, epoch, row.layer, row.pass);
          const bool back = row.pass == Pass::backward;
          if (worldSize() == 1 || (back && !backward)) {
            CHECK(row.age == 0);
            continue;
          }
          const auto expected = arrivals[2 * at(row.layer) + back].meanAge(t, epoch);
          REQUIRE(row.age.has_value() == expected.has_value());
          if (expected) CHECK(*row.age == Approx(*expected));
        }
      }
    }
}

TEST_CASE("once the weights are frozen sancus becomes exact", "[sancus]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set, worldSize());
  for (const std::string policy : {"fixed", "age"}) {
    constexpr int kInterval = 3, kTrained = 5;
    RunSettings run = sancus(policy, kInterval);
    run.model.dropout = 0;
    Trained many(MPI_COMM_WORLD, set, run, owners);
    for (int epoch = 0; epoch < kTrained; ++epoch) many.method->runEpoch(epoch);
    RunSettings frozen = settingsOf("vanilla", "gcn", 0);
    frozen.training.learningRate = 0;
    *many.optimizer = Optimizer(frozen.training);
    Trained exact(MPI_COMM_WORLD, set, frozen, owners);
    const auto from = many.model->weights(), to = exact.model->weights();
    for (std::size_t w = 0; w < from.size(); ++w)
      std::ranges::copy(from[w].second->value.values(), to[w].second->value.data());
    const double expected = exact.method->runEpoch(0);
    double worst = 0;
    for (int epoch = kTrained; epoch < kTrained + 2 * kLayers * kInterval + 1; ++epoch) {
      const double loss = many.method->runEpoch(epoch);
      CAPTURE(policy, epoch);
      if (epoch == kTrained) worst = std::abs(loss - expected);
      if (epoch >= kTrained + kLayers * kInterval) CHECK(loss == Approx(expected).epsilon(kSame));
    }
    if (worldSize() > 1) CHECK(worst > 1e-5);
    for (std::size_t w = 0; w < from.size(); ++w)
      for (std::size_t i = 0; i < from[w].second->gradient.values().size(); ++i)
        CHECK(from[w].second->gradient.values()[i] ==
              Approx(to[w].second->gradient.values()[i]).epsilon(1e-3).margin(kSame));
  }
}

TEST_CASE("sancus refuses attention and layers that update first, and says why", "[sancus]") {
  RunSettings run = sancus("fixed", 4);
  const MethodEntry& entry = *find<MethodEntry>("sancus");
  CHECK(refusals(entry, run).empty());
  run.model.kind = "gat";
  run.model.order = "update-first";
  const auto problems = refusals(entry, run);
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].key == "model.order");
  CHECK(problems[1].key == "model.kind");
  CHECK(problems[1].message.find("sancus") != std::string::npos);
}
