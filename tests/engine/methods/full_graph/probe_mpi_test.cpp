// Methods that claim fresh rows are probed, not believed: what they propagated is propagated once more.
#include "engine/methods/full_graph/halo_pass.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

/// Says that it is exact, and propagates the rows, or the gradients, of the epoch before.
class LatePropagator final : public HaloPropagator {
 public:
  LatePropagator(WorkerParts& parts, const Values& values, bool lateRows, bool lateGradients)
      : HaloPropagator(parts, values), lateRows_(lateRows), lateGradients_(lateGradients) {}

  void beginEpoch(std::int32_t) override { late_ = true; }
  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    HaloPropagator::forward(layer, late_ && lateRows_ ? before(rows_, layer, Y) : Y, Z);
  }
  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    HaloPropagator::backward(layer, late_ && lateGradients_ ? before(gradients_, layer, dZ) : dZ, dY);
    if (layer == 1) late_ = false;  // the epoch is over
  }

 private:
  using Kept = std::map<int, Matrix>;
  /// The rows given at the last call for this layer, or these at the first.
  const Matrix& before(Kept& history, int layer, const Matrix& rows) {
    earlier_ = rows;
    if (history.count(layer) == 0) history[layer] = rows;
    std::swap(history[layer], earlier_);
    return earlier_;
  }

  bool lateRows_, lateGradients_, late_ = false;
  Kept rows_, gradients_;
  Matrix earlier_;
};

/// The largest in the second epoch, over layers and ranks: forward, backward.
std::pair<double, double> probedIn(Trained& t, Method& method) {
  std::pair<double, double> most;
  for (std::int32_t epoch = 0; epoch < 2; ++epoch) {
    method.prepareProbe();
    method.runEpoch(epoch);
    most = {};
    for (const Staleness& row : method.probeStaleness()) {
      double& largest = row.pass == Pass::forward ? most.first : most.second;
      largest = larger(largest, row.relative);
    }
  }
  return {largestAnywhere(t.comm, most.first), largestAnywhere(t.comm, most.second)};
}

}  // namespace

TEST_CASE("a synchronous method that used older rows or gradients is found out", "[probe]") {
  const Dataset set = hardGraphs().front();
  const Owners owners = scatteredOwners(set, worldSize());
  RunSettings run = settingsFor("vanilla", "graphsage", 3, 6, 0.5);
  run.model.order = "aggregate-first";
  for (const auto& [rows, gradients] : {std::pair{false, false}, {true, false}, {false, true}}) {
    CAPTURE(rows, gradients);
    Trained t(MPI_COMM_WORLD, set, run, owners);
    FullGraph method(*t.parts, std::make_unique<LatePropagator>(*t.parts, run.parameters, rows, gradients),
                     /*layer0Cached=*/false);
    const auto [forward, backward] = probedIn(t, method);
    CHECK((forward > 1e-3) == rows);
    CHECK((backward > 1e-3) == gradients);
    CHECK((rows || forward == 0));
    CHECK((gradients || backward == 0));
  }
}

TEST_CASE("what exact methods used is what propagating again gives, in every layer", "[probe]") {
  const Dataset set = hardGraphs().front();
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    if (worldSize() > 1 && !entry.distributed) continue;
    for (const std::string kind : {"graphsage", "gin", "gat"}) {
      for (const std::string order : {"auto", "update-first"}) {
        for (const std::string position : {"before-aggregation", "after-aggregation"}) {
          RunSettings run = settingsFor(std::string(name), kind, 3, 8, 0.5);
          run.cluster.workers = worldSize();
          run.model.order = order;
          run.model.dropoutPosition = position;
          if (!refusals(entry, run).empty()) continue;
          if (!entry.exact && name != "bns" && name != "adaqp" && name != "supergcn") continue;
          CAPTURE(name, kind, order, position);
          Trained t(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
          for (std::int32_t epoch = 0; epoch < 3; ++epoch) {
            t.method->prepareProbe();
            t.method->runEpoch(epoch);
            const std::vector<Staleness> rows = t.method->probeStaleness();
            CHECK(rows.size() >= 3);
            for (const Staleness& row : rows) {
              CHECK(row.absolute == 0);
              CHECK(row.relative == 0);
              CHECK(row.age == 0);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("a probe changes nothing of the training", "[probe]") {
  const Dataset set = hardGraphs().front();
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    if (worldSize() > 1 && !entry.distributed) continue;
    for (const std::string kind : {"graphsage", "gat"}) {
      RunSettings run = settingsFor(std::string(name), kind, 3, 8, 0.5);
      run.cluster.workers = worldSize();
      if (run.parameters.contains("accumulation"))
        run = with(run, "accumulation", std::string("fixed"));  // not as rows arrive
      if (!refusals(entry, run).empty()) continue;
      CAPTURE(name, kind);
      std::vector<double> losses[2];
      for (const bool probed : {false, true}) {
        Trained t(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
        for (std::int32_t epoch = 0; epoch < 4; ++epoch) {
          if (probed) t.method->prepareProbe();
          losses[probed].push_back(t.method->runEpoch(epoch));
          if (probed) t.method->probeStaleness();
        }
      }
      CHECK(losses[0] == losses[1]);
    }
  }
}
