// minibatch against its definition in plain loops, against full-graph training, and against itself on one
// rank.
#include "engine/base/index.h"
#include "engine/kernels/threads/work.h"
#include "engine/methods/minibatch/batch_settings.h"
#include "engine/methods/minibatch/pull_counts.h"
#include "tests/engine/methods/minibatch/slow_batches.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kOneEpoch = sizeof(Scalar) == 8 ? 1e-10 : 1e-5;
constexpr double kManyEpochs = sizeof(Scalar) == 8 ? 1e-8 : 1e-3;
constexpr double kCancelled = sizeof(Scalar) == 8 ? 1e-3 : 1e-2;  // as in identity_mpi_test.cpp

const std::string kMethod = "minibatch";

/// Every key with another value than its default once, batches that end short, one and three layers.
std::vector<SlowPlan> plans() {
  const SlowPlan plain{.fanouts = {2, 3}, .batch = 3};
  std::vector<SlowPlan> all(13, plain);
  all[1].replace = true;
  all[2].block = true;
  all[3].global = true;
  all[4].dropLast = true;
  all[5].shuffle = false;
  all[6].fanouts = {slow::kAll, 2};
  all[7].fanouts = {4};
  all[8].fanouts = {1, 2, 2};
  all[9].globalBatch = 13;
  all[10] = {
      .fanouts = {3, 3}, .replace = true, .block = true, .global = true, .batch = 5, .globalBatch = 11};
  all[11].plain = true;
  all[12] = {.fanouts = {2, 2}, .global = true, .plain = true, .batch = 4};
  return all;
}

/// Whether these training vertices allow it.
bool possible(const SlowPlan& plan, const Dataset& set, const Owners& owners) {
  const auto all = std::ranges::count(set.split, Split::train);
  const int ranks = worldSize();
  if ((plan.globalBatch > 0 ? plan.globalBatch : plan.batch) > all) return false;
  return !slowSeeds(plan, set, owners, ranks, 1, 0).empty();
}

/// use(set, plan, owners), of all that are possible.
template <class Use>
int eachPlan(const Use& use) {
  int count = 0;
  for (const Dataset& set : hardGraphs()) {
    const Owners owners = scatteredOwners(set, worldSize());
    for (const SlowPlan& plan : plans()) {
      if (!possible(plan, set, owners)) continue;
      CAPTURE(set.name, plan.fanoutText(), plan.replace, plan.block, plan.global, plan.dropLast, plan.shuffle,
              plan.plain, plan.batch, plan.globalBatch);
      use(set, plan, owners);
      ++count;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("mini-batches train as plain loops over the same draws do", "[minibatch]") {
  for (const std::string kind : {"gcn", "graphsage"})
    for (const double dropout : {0.0, 0.5}) {
      const int count = eachPlan([&](const Dataset& set, const SlowPlan& plan, const Owners& owners) {
        CAPTURE(kind, dropout);
        Trained many(MPI_COMM_WORLD, set, plan.settings(kMethod, kind, dropout), owners);
        SlowBatches slowly(plan, many, set);
        for (int epoch = 0; epoch < 4; ++epoch) {
          CAPTURE(epoch);
          const double expected = slowly.runEpoch(epoch);
          CHECK(many.method->runEpoch(epoch) ==
                Approx(expected).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
        }
        CHECK(slowly.farthestFrom(many) < kManyEpochs);
      });
      CHECK(count > 40);
    }
}

TEST_CASE("what mini-batches send is the closed form of what plain loops find to be remote",
          "[minibatch][volume]") {
  eachPlan([](const Dataset& set, const SlowPlan& plan, const Owners& owners) {
    Trained many(MPI_COMM_WORLD, set, plan.settings(kMethod, "graphsage", 0.5), owners);
    for (int epoch = 0; epoch < 3; ++epoch) {
      many.method->runEpoch(epoch);
      many.method->evaluate();
      CHECK(many.method->decided() == slowPulls(plan, set, owners, worldSize(), 1, epoch));
      CHECK(measuredOf(many) == predictedOf(many, epoch == 0));
    }
  });
}

namespace {

/// Largest difference of a gradient, in units of the array's largest, or of kCancelled. Collective. What Adam
/// makes of a gradient in its first step is its sign, which rounding decides where terms cancel.
double farthestGradient(const Trained& single, Trained& many) {
  const auto& expected = single.model->weights();
  const auto& actual = many.model->weights();
  double most = 0;
  for (std::size_t w = 0; w < expected.size(); ++w) {
    const auto a = expected[w].second->gradient.values(), b = actual[w].second->gradient.values();
    double difference = 0, size = kCancelled;
    for (std::size_t i = 0; i < a.size(); ++i) {
      difference = larger(difference, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
      size = std::max(size, std::abs(static_cast<double>(a[i])));
    }
    most = larger(most, difference / size);
  }
  return largestAnywhere(many.comm, most);
}

Owners ofOne(const Dataset& set) { return Owners(at(set.vertices()), 0); }

RunSettings kindOf(RunSettings run, const std::string& kind) {
  run.model.kind = kind;
  run.model.norm = kind == "graphsage" ? "none" : "layer";
  if (kind != "gat") return run;
  run.model.order = "auto";
  run.model.heads = 3;
  return run;
}

}  // namespace

TEST_CASE("every neighbour of all training vertices at once is full-graph training", "[minibatch]") {
  for (const Dataset& set : hardGraphs())
    for (const std::string kind : {"gcn", "graphsage", "gin", "gat"})
      for (const std::string position : {"before-aggregation", "after-aggregation"}) {
        if (kind == "gat" && position == "after-aggregation") continue;
        CAPTURE(set.name, kind, position);
        const SlowPlan plan{.fanouts = {slow::kAll, slow::kAll, slow::kAll},
                            .global = true,
                            .batch = 1,
                            .globalBatch = static_cast<int>(std::ranges::count(set.split, Split::train))};
        RunSettings run = kindOf(plan.settings(kMethod, kind, 0.5), kind);
        run.model.dropoutPosition = position;
        RunSettings alone = kindOf(settingsFor("single", kind, 3, 6, 0.5), kind);
        alone.model.order = run.model.order;
        alone.model.dropoutPosition = position;
        Trained single(MPI_COMM_SELF, set, alone, ofOne(set));
        Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
        for (int epoch = 0; epoch < 5; ++epoch) {
          CAPTURE(epoch);
          const double expected = single.method->runEpoch(epoch);
          CHECK(many.method->runEpoch(epoch) ==
                Approx(expected).epsilon(epoch == 0 ? kOneEpoch : kManyEpochs).margin(1e-12));
          if (epoch == 0) CHECK(farthestGradient(single, many) < kOneEpoch);
        }
        const EpochRow expected = single.method->evaluate(), actual = many.method->evaluate();
        if (sizeof(Scalar) == 8) CHECK(actual.train == expected.train);
      }
}

TEST_CASE("the plain mean of workers' means is another loss where shares differ", "[minibatch]") {
  const Dataset set = hardGraphs().front();
  const Owners owners = scatteredOwners(set, worldSize());
  const auto lossOf = [&](bool plain, bool global) {
    const SlowPlan plan{.fanouts = {2, 2}, .global = global, .plain = plain, .batch = 4};
    Trained many(MPI_COMM_WORLD, set, plan.settings(kMethod, "gcn", 0), owners);
    return many.method->runEpoch(0);
  };
  for (const bool global : {false, true}) {
    const double difference = std::abs(lossOf(true, global) - lossOf(false, global));
    if (worldSize() == 1)
      CHECK(difference < 1e-12);
    else
      CHECK(difference > 1e-6);
  }
}

TEST_CASE("a global batch trains alike on any number of ranks and threads", "[minibatch]") {
  const int before = kernelThreads();
  for (const std::string kind : {"gcn", "graphsage", "gin", "gat"})
    for (const bool replace : {false, true}) {
      CAPTURE(kind, replace);
      const Dataset set = hardGraphs().front();
      const SlowPlan plan{
          .fanouts = {2, 3}, .replace = replace, .global = true, .batch = 1, .globalBatch = 9};
      RunSettings run = kindOf(plan.settings(kMethod, kind, 0.5), kind);
      Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      run.cluster.workers = 1;
      Trained single(MPI_COMM_SELF, set, run, ofOne(set));
      for (int epoch = 0; epoch < 20; ++epoch) {
        setKernelThreads(1);
        const double expected = single.method->runEpoch(epoch);
        setKernelThreads(1 + epoch % 2);
        CHECK(many.method->runEpoch(epoch) == Approx(expected).epsilon(kManyEpochs).margin(1e-9));
      }
      CHECK(single.method->metrics().at("sampled_arcs_per_epoch") > 0);
    }
  setKernelThreads(before);
}

TEST_CASE("scores of mini-batches are of the weights after the epoch's last update", "[minibatch]") {
  const Dataset set = datasetOf("large", 600, randomArcs(600, 2400, 5), false);
  for (const std::string kind : {"graphsage", "gat"}) {
    const SlowPlan plan{.fanouts = {2, 2}, .batch = 40};
    RunSettings run = kindOf(plan.settings(kMethod, kind, 0), kind);
    run.training.learningRate = 0.3;
    Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
    many.method->runEpoch(0);
    RunSettings still = kindOf(settingsFor("single", kind, 2, 6), kind);
    still.training.learningRate = 0;
    Trained single(MPI_COMM_SELF, set, still, ofOne(set));
    for (std::size_t w = 0; w < single.model->weights().size(); ++w)
      single.model->weights()[w].second->value = many.model->weights()[w].second->value;
    single.method->runEpoch(0);
    const EpochRow expected = single.method->evaluate(), actual = many.method->evaluate();
    const double ties = sizeof(Scalar) == 8 ? 1e-12 : 0.02;
    CHECK(*actual.train == Approx(*expected.train).margin(ties));
    CHECK(*actual.test == Approx(*expected.test).margin(ties));
  }
}

namespace {

/// Largest difference of an output of this rank, in units of its largest.
template <class Expected>
double farthestOutput(const Trained& many, const Expected& expected) {
  const Matrix& logits = *many.method->logits();
  double difference = 0, size = 1e-30;
  for (Index row = 0; row < logits.rows(); ++row)
    for (Index c = 0; c < logits.cols(); ++c) {
      const double reference = expected(row, c);
      difference = larger(difference, std::abs(static_cast<double>(logits(row, c)) - reference));
      size = std::max(size, std::abs(reference));
    }
  return difference / size;
}

}  // namespace

TEST_CASE("scores of draws that take every neighbour are those of the full graph", "[minibatch]") {
  for (const Dataset& set : hardGraphs())
    for (const std::string kind : {"gcn", "graphsage", "gin", "gat"}) {
      CAPTURE(set.name, kind);
      const SlowPlan plan{.fanouts = {2, 2, 2}, .global = true, .batch = 1};
      RunSettings run = kindOf(plan.settings(kMethod, kind, 0.5), kind);
      const Owners owners = scatteredOwners(set, worldSize());
      Trained full(MPI_COMM_WORLD, set, run, owners);
      run = with(run, "eval_fanouts", std::string("all,all,all"));
      Trained drawn(MPI_COMM_WORLD, set, with(run, "evaluation", std::string("sampled")), owners);
      for (Trained* each : {&full, &drawn}) {
        each->method->runEpoch(0);
        each->method->evaluate();
      }
      const Matrix& expected = *full.method->logits();
      CHECK(farthestOutput(drawn, [&](Index row, Index c) { return static_cast<double>(expected(row, c)); }) <
            kManyEpochs);
    }
}

TEST_CASE("sampled scores are of a batch of all vertices, drawn for the epoch", "[minibatch]") {
  for (const std::string kind : {"gcn", "graphsage"})
    for (const std::vector<int>& fanouts : {std::vector{2, 3}, {4, 1}})
      eachPlan([&](const Dataset& set, const SlowPlan& plan, const Owners& owners) {
        if (plan.fanouts.size() != 2) return;
        CAPTURE(kind, fanouts);
        RunSettings run = with(plan.settings(kMethod, kind, 0.5), "evaluation", std::string("sampled"));
        SlowPlan evaluated = plan;
        evaluated.fanouts = fanouts;
        if (fanouts != plan.fanouts) run = with(run, "eval_fanouts", evaluated.fanoutText());
        Trained many(MPI_COMM_WORLD, set, run, owners);
        SlowBatches slowly(plan, many, set);
        for (int epoch = 0; epoch < 2; ++epoch) {
          slowly.runEpoch(epoch);
          many.method->runEpoch(epoch);
          many.method->evaluate();
          const Rows expected = slowly.outputs(epoch, fanouts);
          CHECK(farthestOutput(many, [&](Index row, Index c) {
                  return expected[at(many.share.graph.owned[at(row)])][at(c)];
                }) < kManyEpochs);
        }
      });
}

TEST_CASE("the ring of the design sends 160 bytes in 12 messages, and 208 of gradients",
          "[minibatch][volume]") {
  if (worldSize() != 2) return;
  std::vector<Arc> arcs;
  for (Vertex v = 0; v < 8; ++v) arcs.push_back({v, static_cast<Vertex>((v + 1) % 8)});
  Dataset set = datasetOf("ring", symmetrised(buildCsr(8, arcs, /*keepSelfLoops=*/false)), false, 3, 2);
  for (std::size_t v = 0; v < 8; ++v) set.split[v] = v % 4 < 2 ? Split::train : Split::test;
  const SlowPlan plan{.fanouts = {slow::kAll, slow::kAll}, .batch = 2};
  RunSettings run = plan.settings(kMethod, "gcn", 0);
  run.model.hidden = 4;
  Trained many(MPI_COMM_WORLD, set, run, {0, 0, 0, 0, 1, 1, 1, 1});
  many.method->runEpoch(0);
  const Flows flows = measuredOf(many);
  std::int64_t messages = 0, bytes = 0, gradients = 0;
  for (const auto& [key, flow] : flows) {
    if (std::get<0>(key) < 0) {
      gradients += flow.second;
      continue;
    }
    messages += flow.first;
    bytes += flow.second;
  }
  constexpr std::int64_t kWider = sizeof(Scalar) / 4;  // the page counts in float
  CHECK(many.comm.sum(messages) == 12);
  CHECK(many.comm.sum(bytes) == 112 + 48 * kWider);
  CHECK(many.comm.sum(gradients) == 208 * kWider);
}

namespace {

std::string refusalOf(const RunSettings& run, const Dataset& set) {
  const MethodEntry& entry = *find<MethodEntry>(run.method);
  std::vector<Problem> problems = refusals(entry, run);
  const std::vector<Index> widths = layerWidths(run.model, set.features.cols(), set.classes);
  for (const Problem& problem : entry.refuseData(run, {widths, [&] { return set.split; }}))
    problems.push_back(problem);
  std::string all;
  for (const Problem& problem : problems) all += problem.key + ": " + problem.message + "\n";
  return all;
}

}  // namespace

TEST_CASE("a batch that nobody wrote leaves no worker out that has training vertices", "[minibatch]") {
  const RunSettings run = with(settingsFor(kMethod, "gcn", 2, 6), "drop_last", true);
  const std::vector<std::int64_t> shares = {33, 40, 0, 32};
  CHECK(batchSettings(run, shares, 200).seeds.batch == 32);
  CHECK(batchSettings(with(run, "drop_last", false), shares, 200).seeds.batch == 105);
  CHECK(batchSettings(with(run, "seeds", std::string("global")), shares, 200).seeds.batch == 105 / 4);
  CHECK(batchSettings(run, std::vector<std::int64_t>{3000, 5000}, 9000).seeds.batch == 1024);
}

TEST_CASE("batches that cannot be are refused by key", "[minibatch]") {
  const Dataset set = hardGraphs().front();  // 30 train
  RunSettings run = settingsFor(kMethod, "gcn", 3, 6);
  run.cluster.workers = 2;
  CHECK(refusalOf(run, set).empty());  // a default is cut
  CHECK(refusalOf(with(run, "batch", std::int64_t{1024}), set) ==
        "run.batch: 1024 is more than the 30 training vertices; at most 30\n");
  CHECK(
      refusalOf(with(run, "fanouts", std::string("25,10")), set) ==
      "run.fanouts: '25,10' has 2 numbers, and the model 3 layers; one each, from the inputs to the seeds\n");
  CHECK(refusalOf(with(run, "batch", std::int64_t{31}), set) ==
        "run.batch: 31 is more than the 30 training vertices; at most 30\n");
  CHECK(refusalOf(with(run, "global_batch", std::int64_t{31}), set) ==
        "run.global_batch: 31 is more than the 30 training vertices; at most 30\n");
  CHECK(refusalOf(with(with(run, "batch", std::int64_t{5}), "global_batch", std::int64_t{10}), set) ==
        "run.batch: has no effect beside global_batch; leave one of them out\n");
  CHECK(refusalOf(with(run, "eval_fanouts", std::string("5,5,5")), set) ==
        "run.eval_fanouts: has no effect with evaluation = \"full\"; evaluation = \"sampled\" draws to "
        "evaluate\n");
  run = with(run, "evaluation", std::string("sampled"));
  CHECK(refusalOf(with(run, "eval_fanouts", std::string("5,0")), set) ==
        "run.eval_fanouts: '0' of '5,0' cannot be used; 1 to 1024, or all\n"
        "run.eval_fanouts: '5,0' has 2 numbers, and the model 3 layers; one each, from the inputs to the "
        "seeds\n");
  RunSettings none = with(with(run, "batch", std::int64_t{20}), "seeds", std::string("global"));
  CHECK(
      refusalOf(with(none, "drop_last", true), set) ==
      "run.drop_last: no iteration is left: the global batch of 40 is more than the 30 training vertices; a "
      "smaller batch, or drop_last = false\n");
  run.training.epochs = 2'000'000'000;
  CHECK(refusalOf(with(run, "batch", std::int64_t{1}), set).starts_with("training.epochs: "));
}
