// [[simulate]] platform: mini-batch training on one node of processors and accelerator cards (HyScale
// III).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "datasets/catalogue.h"
#include "datasets/load.h"
#include "engine/base/index.h"
#include "engine/hybrid/mean_batches.h"
#include "engine/hybrid/node_metrics.h"
#include "engine/hybrid/saturation.h"
#include "engine/methods/contract/layer_work.h"
#include "engine/record/rows/iteration_metrics.h"
#include "simulator/contract/simulation_kind.h"
#include "simulator/hybrid/hybrid_node.h"
#include "simulator/hybrid/normalised.h"
#include "simulator/kinds/kind_parts.h"
#include "simulator/kinds/platform_keys.h"
#include "simulator/kinds/platform_rows.h"

namespace halo::sim {
namespace {

constexpr std::string_view kSections[] = {"dataset", "model"};

std::vector<FigureKey> figures(const std::filesystem::path& resources) {
  return {{"platform", "platform", "platform", "platform", resources / "platforms", {platformDeclaration()}}};
}

bool depends(const SimulateSettings&, const std::string& key) {
  return key == "model.layers" || key == "model.hidden" || key == "model.kind" ||
         (key.starts_with("dataset.") && key != "dataset.labels" && key != "dataset.normalize_features" &&
          key != "dataset.map_features");
}

/// What is simulated, with what it is drawn from.
struct Setting {
  HybridPlatform platform;
  HybridWork work;
  BatchSizes sizes;
  std::int64_t batch = 0;
  double scale = 1;  // vertices of the whole graph over those that are sampled
};

/// Generated sets stand for a graph 1 / scale times as large.
double scaleOf(const DatasetRequest& request, const Dataset& dataset) {
  const CatalogueEntry* entry = catalogued(request.name);
  if (entry == nullptr || request.scale >= 1 || dataset.vertices() == 0) return 1;
  return static_cast<double>(entry->vertices) / static_cast<double>(dataset.vertices());
}

HybridWork workOf(const SimulateSettings& settings, const Dataset& dataset, double scale) {
  const Values& own = settings.own;
  const auto integerOr = [&](const char* key, std::int64_t otherwise) {
    return own.integer(key) > 0 ? own.integer(key) : otherwise;
  };
  HybridWork work;
  work.widths = {integerOr("features", dataset.features.cols())};
  for (std::int64_t layer = 1; layer < settings.run.model.layers; ++layer)
    work.widths.push_back(settings.run.model.hidden);
  work.widths.push_back(integerOr("classes", dataset.classes));
  work.concatenates = layerWork(settings.run.model.kind).ownProduct;
  work.twoProducts = layerWork(settings.run.model.kind).secondProduct;
  work.trainVertices =
      integerOr("train_vertices", std::llround(static_cast<double>(dataset.count(Split::train)) * scale));
  work.hostTrafficFactor = static_cast<int>(own.integer("host_traffic_factor"));
  work.sendsTopology = own.flag("sends_topology");
  return work;
}

/// HP-GNN's for 1024 seeds, in proportion to the seeds.
BatchSizes printedSizes() {
  BatchSize perSeed{{102'483, 9'000, 1'024}, {137'420, 8'505}};
  for (std::vector<double>* counts : {&perSeed.vertices, &perSeed.edges})
    for (double& count : *counts) count /= 1024;
  return BatchSizes(perSeed);
}

/// Sizes around those that trainers get, to be drawn between.
BatchSizes sizesOf(const SimulateSettings& settings, const Csr& arcs, double scale) {
  if (settings.own.text("sizes") == "hp-gnn") return printedSizes();
  SampleRequest request;
  request.fanouts = fanoutsOf(settings);
  const std::int64_t seeds = settings.own.integer("seeds");
  for (const std::int64_t size : {seeds / 4, seeds, 3 * seeds})
    if (size >= 1) request.batchSizes.push_back(size);
  request.draws = static_cast<int>(settings.own.integer("draws"));
  request.scale = scale;
  request.seed = settings.run.dataset.seed;
  return BatchSizes(arcs, request);
}

/// The mapping that the simulation starts from.
HybridMapping startOf(const SimulateSettings& settings, const Setting& setting) {
  const std::string& word = settings.own.text("mapping");
  const MappingRequest request{setting.platform, setting.work, setting.sizes, setting.batch,
                               settings.own.flag("cpu_trains")};
  if (word == "model") return modelMapping(request);
  if (word == "best") return bestMapping(request, prefetchOf(settings));
  if (word == "managed") return managedMeans(request, Prefetch::one, modelMapping(request)).mapping();
  std::vector<Problem> none;  // it was read before
  return readMapping(word, setting.batch, setting.platform, "", none);
}

/// Of what prefetching could hide, what it does: all but the longest stage.
double hiddenShare(const HybridTimes& times, double seconds) {
  const double sum = times.iteration(Prefetch::none), longest = times.iteration(Prefetch::two);
  return sum > longest ? (sum - seconds) / (sum - longest) : 0;
}

/// Changes that the manager tried.
std::int64_t triedOf(const HybridResult& result) {
  return std::ranges::count_if(result.decisions, [](const ManagerDecision& decision) {
    return decision.change.action != MappingAction::start && decision.change.action != MappingAction::rest;
  });
}

std::map<std::string, double> metricsOf(const Setting& setting, const HybridResult& result) {
  const auto iterations = static_cast<double>(result.iterations.size());
  const HybridTimes& steady = result.steady;
  return {
      {"simulated_seconds", result.epochSeconds},
      {"epoch_seconds", result.epochSeconds},
      {"iteration_seconds", result.steadySeconds},
      {"predicted_iteration_seconds", result.predictedSeconds},
      {"seeds_per_second",
       result.steadySeconds > 0 ? static_cast<double>(setting.batch) / result.steadySeconds : 0},
      {"mteps", result.steadyMteps},
      {"normalised_seconds", normalisedSeconds(result.epochSeconds, setting.platform.peakTflops())},
      {"cpu_share", static_cast<double>(result.mapping.cpuSeeds) / static_cast<double>(setting.batch)},
      {"host_bytes_per_iteration", result.hostBytes / iterations},
      {"pcie_bytes_per_iteration", result.pcieBytes / iterations},
      {"sample_seconds", steady.sample()},
      {"load_seconds", steady.load},
      {"transfer_seconds", steady.transfer},
      {"propagate_seconds", steady.propagate()},
      {"host_memory_seconds", steady.hostMemory},
      {"decisions", static_cast<double>(triedOf(result))},
      {"windows_to_rest", static_cast<double>(result.windowsToRest)},
      {"prediction_ratio", result.steadySeconds > 0 ? result.predictedSeconds / result.steadySeconds : 0},
      {"prefetch_hidden_share", hiddenShare(steady, result.steadySeconds)},
  };
}

constexpr std::size_t kMostShown = 2000;  // iterations

std::map<std::string, std::string> foundParameters(const SimulateSettings& settings, const Setting& setting,
                                                   const HybridResult& result) {
  const HybridMapping& mapping = result.mapping;
  const BatchSize mean = setting.sizes.mean(static_cast<double>(setting.batch));
  const bool plain = settings.own.text("average") == "plain";
  std::map<std::string, std::string> all = {
      {"result.level", std::string(result.level)},
      {"result.batch", std::to_string(setting.batch)},
      {"result.iterations_of_an_epoch",
       std::to_string((setting.work.trainVertices + setting.batch - 1) / setting.batch)},
      {"result.shown_iterations", std::to_string(std::min(result.iterations.size(), kMostShown))},
      {"result.longest_stage", std::string(result.steady.longest())},
      {"result.cpu_seeds", std::to_string(mapping.cpuSeeds)},
      {"result.gradient_weights",
       fmt::format("{:.6g}", fmt::join(gradientWeights(mapping, setting.platform.cards, plain), ", "))},
      {"result.sample_threads", std::to_string(mapping.sampleThreads)},
      {"result.load_threads", std::to_string(mapping.loadThreads)},
      {"result.train_threads", std::to_string(mapping.trainThreads)},
      {"result.graph_scale", toText(Value(setting.scale))},
      {"result.saturating_trainers",
       toText(Value(saturatingTrainers(setting.platform.hostMemoryGbps(), setting.platform.pcieGbps,
                                       setting.work.hostTrafficFactor)))},
  };
  for (std::size_t l = 0; l < mean.vertices.size(); ++l)
    all[fmt::format("result.mean_vertices_{}", l)] = toText(Value(mean.vertices[l]));
  for (std::size_t l = 0; l < mean.edges.size(); ++l)
    all[fmt::format("result.mean_edges_{}", l + 1)] = toText(Value(mean.edges[l]));
  return all;
}

/// A row a stage; the barrier of an iteration is where the longest ends.
std::vector<SimulatedLane> lanesOf(const Setting& setting, Prefetch prefetch, const HybridResult& result) {
  constexpr Name kNames[] = {Name::sample, Name::sample, Name::gather,   Name::send,
                             Name::update, Name::update, Name::allReduce};
  constexpr Kind kKinds[] = {Kind::compute, Kind::compute, Kind::compute,    Kind::communication,
                             Kind::compute, Kind::compute, Kind::synchronise};
  std::vector<SimulatedLane> lanes(kHybridStages.size());
  for (std::size_t s = 0; s < lanes.size(); ++s)
    lanes[s].worker.role = setting.platform.name + ": " + std::string(kHybridStages[s]);
  double begin = 0;
  const auto ns = [](double seconds) { return std::llround(seconds * 1e9); };
  for (std::size_t i = 0; i < result.iterations.size() && i < kMostShown; ++i) {
    const HybridIteration& iteration = result.iterations[i];
    const HybridTimes& t = iteration.times;
    const auto lengths = stageLengths(t), begins = stageBegins(t, prefetch);
    for (std::size_t s = 0; s < lanes.size(); ++s) {
      Span span;
      span.beginNs = ns(begin + begins[s]);
      span.durationNs = ns(begin + begins[s] + lengths[s]) - span.beginNs;
      span.name = kNames[s];
      span.kind = kKinds[s];
      if (span.durationNs > 0) lanes[s].spans.push_back(span);
    }
    begin += iteration.seconds;
  }
  std::erase_if(lanes, [](const SimulatedLane& lane) { return lane.spans.empty(); });
  return lanes;
}

std::string iterationsOf(const HybridResult& result) {
  std::string text =
      "iteration,seconds,sample_cpu,sample_card,load,transfer,train_cpu,train_card,synchronise,host_memory,"
      "cpu_seeds,sample_threads,load_threads,train_threads,decision\n";
  std::map<std::int64_t, std::string> decided;
  for (std::size_t i = 0; i < result.decisions.size(); ++i) {
    const ManagerDecision& decision = result.decisions[i];
    decided[result.decidedAfter[i]] =
        fmt::format("{} {}", halo::text(decision.change.action), halo::text(decision.outcome));
  }
  for (std::size_t i = 0; i < result.iterations.size(); ++i) {
    const HybridIteration& iteration = result.iterations[i];
    const HybridTimes& t = iteration.times;
    const auto decision = decided.find(static_cast<std::int64_t>(i));
    text += fmt::format("{},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{},{},{},{},{}\n",
                        i, iteration.seconds, t.sampleCpu, t.sampleCard, t.load, t.transfer, t.trainCpu,
                        t.trainCard, t.sync, t.hostMemory, iteration.mapping.cpuSeeds,
                        iteration.mapping.sampleThreads, iteration.mapping.loadThreads,
                        iteration.mapping.trainThreads, decision == decided.end() ? "" : decision->second);
  }
  return text;
}

std::vector<Problem> refuseCountsOf(const SimulateSettings&, const SimulationContext&,
                                    const DatasetCounts& counts) {
  return checkEdges(counts, "sample");
}

SimulationOutcome run(const SimulateSettings& settings, const SimulationContext&, const Progress& progress) {
  DatasetRequest request = settings.run.dataset;
  request.mapFeatures = false;  // of training
  const Dataset dataset = loadDataset(request, progress);
  if (dataset.arcs.nonzeros() == 0)
    throw InputError(Problem{
        .key = "dataset", .message = "has no edges, so that there is nothing to sample; a graph with edges"});
  const double scale = scaleOf(settings.run.dataset, dataset);
  if (auto problem = tooManySeeds(settings, std::round(static_cast<double>(dataset.vertices()) * scale)))
    throw InputError(std::move(*problem));
  if (progress) progress("sampling mini-batches", 0);
  Setting setting{platformOf(settings), workOf(settings, dataset, scale),
                  sizesOf(settings, dataset.arcs, scale), batchOf(settings), scale};
  const HybridMapping start = startOf(settings, setting);
  if (progress) progress("simulating iterations", 0.5);
  const HybridResult result =
      simulateHybrid({setting.platform, setting.work, setting.sizes, start, prefetchOf(settings),
                      settings.own.flag("manage"), static_cast<int>(settings.own.integer("iterations")),
                      static_cast<int>(settings.own.integer("window")), settings.run.dataset.seed});
  SimulationOutcome outcome;
  outcome.marks = dataset.marks;
  outcome.metrics = metricsOf(setting, result);
  outcome.metrics.merge(
      predictionErrors(result.predicted, result.predictedSeconds, result.steady, result.steadySeconds));
  constexpr int kMostCards = 64;
  const MappingRequest byModel{setting.platform, setting.work, setting.sizes, setting.batch,
                               settings.own.flag("cpu_trains")};
  const std::int64_t seedsEach = settings.own.integer("seeds");
  if (const auto cards = saturatingCards(byModel, seedsEach, kMostCards))
    outcome.metrics["saturating_cards"] = *cards;
  outcome.metrics["card_scaling"] = scalingOverOneCard(byModel, seedsEach);
  outcome.parameters = foundParameters(settings, setting, result);
  outcome.lanes = lanesOf(setting, prefetchOf(settings), result);
  addRows({setting.platform, setting.work, setting.sizes, setting.batch, prefetchOf(settings), result,
           kMostShown},
          outcome);
  outcome.artifacts.push_back({"iterations", "text/csv", iterationsOf(result)});
  return outcome;
}

std::vector<Metric> recorded() {
  using Unit = Metric::Unit;
  std::vector<Metric> metrics = {
      {"simulated_seconds", "simulated: time", Unit::seconds,
       "time of an epoch: its iterations, each as long as the median once they are steady"},
      iterationSecondsMetric("time of an iteration, median once iterations are steady"),
      {"predicted_iteration_seconds", "  by the performance model", Unit::seconds,
       "time of an iteration by the performance model"},
      {"seeds_per_second", "seeds trained a second", Unit::plain,
       "seeds of an iteration ÷ `iteration_seconds`"},
      mtepsMetric("millions of sampled edges a second, once iterations are steady"),
      {"normalised_seconds", "epoch times the platform's peak, s TFLOPS", Unit::plain,
       "`simulated_seconds` × peak of the platform in TFLOPS, of `socket_tflops` and `card_tflops`"},
      cpuShareMetric(),
      {"host_bytes_per_iteration", "host memory traffic, an iteration", Unit::bytes,
       "traffic of the host's memory, mean of the iterations"},
      {"pcie_bytes_per_iteration", "over PCIe, an iteration", Unit::bytes,
       "traffic over PCIe, mean of the iterations"},
      {"sample_seconds", "sampling, an iteration", Unit::seconds,
       "time of sampling, median once iterations are steady"},
      {"load_seconds", "loading, an iteration", Unit::seconds,
       "time of loading features, median once iterations are steady"},
      {"transfer_seconds", "transfer, an iteration", Unit::seconds,
       "time of transfers to the cards, median once iterations are steady"},
      {"propagate_seconds", "propagation, an iteration", Unit::seconds,
       "time of both passes and the sum of gradients, median once iterations are steady"},
      {"host_memory_seconds", "host memory at full bandwidth, an iteration", Unit::seconds,
       "traffic of the host's memory ÷ its bandwidth, median once iterations are steady"},
      decisionsMetric(),
      windowsToRestMetric(),
      {"prediction_ratio", "performance model over the simulation", Unit::plain,
       "`predicted_iteration_seconds` ÷ `iteration_seconds`: one model against another"},
      {"saturating_cards", "cards from which loading binds, by the model", Unit::plain,
       "least number of cards with which the performance model has loading longer than transfer and "
       "propagation; none up to 64: left out"},
      {"card_scaling", "seeds a second over those on one card, by the model", Unit::plain,
       "seeds a second on the platform's cards ÷ those on one card, by the performance model with sampling "
       "left out"},
  };
  for (Metric& error :
       predictionErrorMetrics("predicted ÷ simulated", "the performance model against the simulation"))
    metrics.push_back(std::move(error));
  metrics.push_back(prefetchHiddenShareMetric());
  return metrics;
}

const Registered<SimulationEntry> self{
    {.declaration = {"platform", "mini-batches on one node of processors and accelerator cards",
                     "HyScale IV, V", kPlatformParameters},
     .sections = kSections,
     .figures = figures,
     .depends = depends,
     .check = checkPlatformKeys,
     .refuseCounts = refuseCountsOf,
     .run = run,
     .metrics = recorded()}};

}  // namespace
}  // namespace halo::sim
