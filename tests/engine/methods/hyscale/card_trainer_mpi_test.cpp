// hyscale on devices of OpenCL beside the same on the host and beside minibatch on one worker.
#include "engine/methods/hyscale/card_trainer.h"

#include <algorithm>

#include "engine/methods/hyscale/devices.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kTolerance = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr int kEpochs = 4;

const Dataset& large() {
  static const Dataset set = datasetOf("large", 300, randomArcs(300, 1500, 5), true);
  return set;
}

RunSettings runOf(const std::string& device, const std::string& kind, double dropout) {
  RunSettings run = settingsFor("hyscale", kind, 2, 7, dropout);
  run.parameters["fanouts"] = std::string("4,3");
  run.parameters["global_batch"] = std::int64_t{16};
  run.parameters["cards"] = std::int64_t{2};
  run.parameters["clock"] = std::string("real");
  run.parameters["device"] = device;
  return run;
}

std::vector<double> lossesOf(const RunSettings& run, const Dataset& set) {
  Trained single(MPI_COMM_SELF, set, run, scatteredOwners(set, 1));
  std::vector<double> losses;
  for (int epoch = 0; epoch < kEpochs; ++epoch) losses.push_back(single.method->runEpoch(epoch));
  return losses;
}

/// Leaves nothing to test where there is no device.
bool noCards() {
  if (worldSize() > 1) return true;
  const std::string why = hyscale::whyNoCards("");
  if (!why.empty()) WARN("SKIPPED: " << why);
  return !why.empty();
}

/// Of all batches, by stage.
class Bytes final : public IterationListener {
 public:
  void onIteration(const Iteration& iteration) override {
    for (const StageRow& row : iteration.stages) {
      if (row.stage == BatchStage::transfer) transferred += row.bytes;
      if (row.stage == BatchStage::propagate) trained += row.bytes;
      if (row.stage == BatchStage::synchronise) synchronised += row.bytes;
    }
  }
  std::int64_t transferred = 0, trained = 0, synchronised = 0;
};

void requireSameLosses(const RunSettings& run, const std::vector<double>& expected, const Dataset& set) {
  const std::vector<double> losses = lossesOf(run, set);
  for (std::size_t epoch = 0; epoch < losses.size(); ++epoch)
    REQUIRE(losses[epoch] == Approx(expected[epoch]).epsilon(kTolerance).margin(kTolerance));
}

}  // namespace

TEST_CASE("cards of OpenCL train as threads of the host do", "[hyscale][opencl]") {
  if (noCards()) return;
  for (const std::string kind : {"gcn", "graphsage", "gin"})
    for (const double dropout : {0.0, 0.5})
      for (const std::string norm : {"none", "layer"})
        for (const std::string prefetch : {"none", "two"}) {
          CAPTURE(kind, dropout, norm, prefetch);
          RunSettings host = runOf("host", kind, dropout);
          host.model.norm = norm;
          host.parameters["prefetch"] = prefetch;
          requireSameLosses(with(host, "device", std::string("opencl")), lossesOf(host, large()), large());
        }
}

TEST_CASE("cards of OpenCL alone train as minibatch on one worker does", "[hyscale][opencl]") {
  if (noCards()) return;
  RunSettings batches = settingsFor("minibatch", "graphsage", 2, 7, 0.5);
  batches.parameters["fanouts"] = std::string("4,3");
  batches.parameters["global_batch"] = std::int64_t{16};
  for (const Dataset& set : hardGraphs()) {
    if (std::ranges::count(set.split, Split::train) < 16) continue;
    CAPTURE(set.name);
    requireSameLosses(with(runOf("opencl", "graphsage", 0.5), "cpu_trains", false), lossesOf(batches, set),
                      set);
  }
}

TEST_CASE("what cards of OpenCL compute is counted as the host's", "[hyscale][opencl]") {
  if (noCards()) return;
  const auto flop = [](const std::string& device, const std::string& kind) {
    Trained single(MPI_COMM_SELF, large(), runOf(device, kind, 0), scatteredOwners(large(), 1));
    single.method->runEpoch(0);
    return flopOf(single);
  };
  for (const std::string kind : {"gcn", "graphsage", "gin"}) {
    CAPTURE(kind);
    CHECK(flop("opencl", kind) == flop("host", kind));
  }
}

TEST_CASE("cards of OpenCL are recorded as such, with their memory and what goes over the bus",
          "[hyscale][opencl]") {
  if (noCards()) return;
  RunSettings run = with(runOf("opencl", "gcn", 0), "cpu_trains", false);
  run.training.epochs = kEpochs;
  Bytes bytes;
  Trained single(MPI_COMM_SELF, large(), run, scatteredOwners(large(), 1));
  single.parts->listener = &bytes;
  std::int64_t rows = 0;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    single.method->runEpoch(epoch);
    rows += single.method->batchSums().blocks.front().sources;
  }
  for (const ActorRow& actor : single.method->actors()) {
    CAPTURE(actor.name);
    CHECK((actor.device == ActorDevice::opencl) == actor.name.starts_with("card"));
    CHECK((actor.device == ActorDevice::host) == !actor.name.starts_with("card"));
  }
  const std::map<std::string, double> figures = single.method->metrics();
  CHECK(figures.at("card_memory_bytes") > 0);
  CHECK((figures.at("card_bytes_up_per_epoch") + figures.at("card_bytes_down_per_epoch")) * kEpochs ==
        Approx(static_cast<double>(bytes.transferred + bytes.trained)));
  CHECK(bytes.transferred == rows * large().features.cols() * static_cast<std::int64_t>(sizeof(Scalar)));
  CHECK(bytes.trained > 0);
  CHECK(bytes.synchronised == 0);
}

TEST_CASE("what cards of OpenCL cannot do is refused by key", "[hyscale][opencl]") {
  if (worldSize() > 1) return;
  const MethodEntry& entry = *find<MethodEntry>("hyscale");
  const auto refusalOf = [&](const RunSettings& run) {
    std::string all;
    for (const Problem& problem : refusals(entry, run)) all += problem.key + ": " + problem.message + "\n";
    return all;
  };
  RunSettings run = runOf("opencl", "gcn", 0.5);
  CHECK(refusalOf(with(run, "opencl_device", std::string("no such card")))
            .starts_with("run.device: 'opencl' cannot be used here: OpenCL: "));
  CHECK(refusalOf(with(with(run, "device", std::string("host")), "opencl_device", std::string("x"))) ==
        "run.opencl_device: is only for device = \"opencl\"; leave it out\n");
  CHECK(
      refusalOf(with(run, "clock", std::string("virtual")))
          .starts_with("run.clock: 'virtual' cannot be used with device = \"opencl\", whose times are real"));
  run.model.dropoutPosition = "after-aggregation";
  CHECK(
      refusalOf(run).starts_with("model.dropout_position: 'after-aggregation' has no kernels of OpenCL; "
                                 "before-aggregation, or device = \"host\"\n"));
}
