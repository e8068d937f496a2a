#include "engine/methods/hyscale/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/base/index.h"
#include "engine/methods/contract/layer_kinds.h"
#include "engine/methods/contract/layer_work.h"
#include "engine/methods/hyscale/devices.h"
#include "engine/methods/hyscale/platform_file.h"
#include "engine/methods/hyscale/start_mapping.h"

namespace halo::hyscale {
namespace {

/// Collects what is wrong, by key.
class Problems {
 public:
  void add(const char* key, std::string message) {
    problems_.push_back({.key = key, .message = std::move(message)});
  }
  void add(std::vector<Problem> more) { std::ranges::move(more, std::back_inserter(problems_)); }
  std::vector<Problem> take() { return std::move(problems_); }

 private:
  std::vector<Problem> problems_;
};

std::int64_t defaultBatch(std::int64_t trained, int trainers) {
  constexpr std::int64_t kBatch = 1024;
  return std::clamp<std::int64_t>(trained / trainers, 1, kBatch);
}

/// The node, or why there is none.
std::optional<HybridPlatform> platformFor(const RunSettings& run, Problems& problems) {
  const std::string& name = run.parameters.text("platform");
  try {
    return readPlatform(name);
  } catch (const InputError& error) {
    problems.add(error.problems());
  }
  return std::nullopt;
}

void refuseDevices(const RunSettings& run, Problems& problems) {
  const Values& values = run.parameters;
  const std::string device = values.text("device"), setting = "device = \"" + device + "\"";
  const bool host = device != "modelled";
  if (host && values.text("clock") == "virtual")
    problems.add("run.clock", "'virtual' cannot be used with " + setting + ", whose times are real; real");
  const double dilation = values.real("dilation");
  if (dilation > 0 && dilation < 1)
    problems.add("run.dilation", fmt::format("{} cannot be used; 0, or from 1 to 1000000", dilation));
  std::vector<Problem> drifts;
  const PlatformDrift drift(values.text("drift"), "run.drift", drifts);
  problems.add(std::move(drifts));
  if (host && !drift.empty())
    problems.add("run.drift", "has no effect with " + setting + "; leave it out, or device = \"modelled\"");
  const std::string unread = host ? setting : "clock = \"virtual\"";
  if (dilation >= 1 && (host || values.text("clock") == "virtual"))
    problems.add("run.dilation", fmt::format("has no effect with {}; leave it out", unread));
}

/// Looked at here where the run is here too; another host's worker says it as it starts.
void refuseCards(const RunSettings& run, Problems& problems) {
  const Values& values = run.parameters;
  const std::string& name = values.text("opencl_device");
  if (values.text("device") != "opencl") {
    if (!name.empty()) problems.add("run.opencl_device", "is only for device = \"opencl\"; leave it out");
    return;
  }
  if (run.model.dropsAggregate() && run.model.dropout > 0)
    problems.add("model.dropout_position",
                 "'after-aggregation' has no kernels of OpenCL; before-aggregation, or device = \"host\"");
  if (!run.cluster.hosts.empty()) return;
  if (const std::string why = whyNoCards(name); !why.empty())
    problems.add("run.device", "'opencl' cannot be used here: " + why);
}

void refuseNode(const RunSettings& run, const HybridPlatform& platform, Problems& problems) {
  const std::int64_t cards = run.parameters.integer("cards");
  if (cards > platform.cards)
    problems.add("run.cards",
                 fmt::format("{} cannot be used; platform {} has {}", cards, platform.name, platform.cards));
}

}  // namespace

NodeSettings nodeSettings(const RunSettings& run) {
  const Values& values = run.parameters;
  NodeSettings node;
  node.platform = readPlatform(values.text("platform"));
  if (const std::int64_t cards = values.integer("cards"); cards > 0)
    node.platform.cards = static_cast<int>(cards);
  node.processorsTrain = values.flag("cpu_trains");
  node.manage = values.flag("manage");
  node.prefetch =
      static_cast<Prefetch>(std::ranges::find(kPrefetches, values.text("prefetch")) - kPrefetches.begin());
  node.mapping = values.text("mapping");
  std::vector<Problem> refused;  // by refuseDevices
  node.drift = PlatformDrift(values.text("drift"), "run.drift", refused);
  node.window = values.integer("window");
  node.queueDepth = static_cast<int>(values.integer("queue_depth"));
  node.modelled = values.text("device") == "modelled";
  node.openCl = values.text("device") == "opencl";
  node.openClName = values.text("opencl_device");
  node.virtualClock = values.text("clock") == "virtual";
  node.dilation = values.real("dilation");
  return node;
}

BatchSettings batchesOf(const RunSettings& run, int cards, std::int64_t trained, Index vertices) {
  const std::int64_t trainedCounts[] = {trained};
  BatchSettings settings = batchSettings(run, trainedCounts, vertices);
  const Values& values = run.parameters;
  std::int64_t batch = values.integer("batch");
  if (batch == 0) batch = defaultBatch(trained, cards + 1);
  std::int64_t all = values.integer("global_batch");
  if (all == 0) all = batch * (cards + 1);
  settings.seeds = {run.training.seed,      SeedChoice::global,      batch, all,
                    values.flag("shuffle"), values.flag("drop_last")};
  settings.neighbours.replace = values.flag("replace");
  if (settings.evaluation) settings.evaluation->replace = settings.neighbours.replace;
  settings.plainAverage = values.text("average") == "plain";
  return settings;
}

std::vector<Problem> batchesProblems(const RunSettings& run, int cards, std::int64_t trained,
                                     Index vertices) {
  const std::int64_t batch = run.parameters.integer("batch"), all = run.parameters.integer("global_batch");
  Problems problems;
  if (trained < cards + 1)
    problems.add("run.cards",
                 fmt::format("{} cards and the processors take a training vertex each, and there "
                             "{} {}; fewer cards, or a larger split",
                             cards, trained == 1 ? "is" : "are", trained));
  else if (batch > trained / (cards + 1))
    problems.add("run.batch",
                 fmt::format("{} of each of {} trainers are more than the {} training vertices; at most {}",
                             batch, cards + 1, trained, trained / (cards + 1)));
  if (all > trained)
    problems.add("run.global_batch",
                 fmt::format("{} is more than the {} training vertices; at most {}", all, trained, trained));
  else if (all > 0 && all < cards + 1)
    problems.add("run.global_batch",
                 fmt::format("{} is less than the {} trainers; at least {}", all, cards + 1, cards + 1));
  std::vector<Problem> faults = problems.take();
  if (!faults.empty()) return faults;
  const SeedSettings seeds = batchesOf(run, cards, trained, vertices).seeds;
  const std::int64_t trainedCounts[] = {trained};
  return stepProblems(iterationsOf(seeds, trainedCounts), run.training.epochs,
                      static_cast<int>(run.model.layers), "training.epochs");
}

HybridWork workOf(const RunSettings& run, std::span<const Index> widths, std::int64_t trained) {
  HybridWork work;
  work.widths.assign(widths.begin(), widths.end());
  const LayerWork layer = layerWork(run.model.kind);
  work.concatenates = layer.ownProduct;
  work.twoProducts = layer.secondProduct;
  work.trainVertices = trained;
  work.elementBytes = sizeof(Scalar);
  work.hostTrafficFactor = static_cast<int>(run.parameters.integer("host_traffic_factor"));
  work.sendsTopology = run.parameters.flag("sends_topology");
  return work;
}

std::vector<Problem> refuseRun(const RunSettings& run) {
  const Values& values = run.parameters;
  Problems problems;
  if (run.cluster.workers != 1)
    problems.add("cluster.workers",
                 fmt::format("{} cannot be used; hyscale trains on processors and cards of "
                             "one node, in one worker",
                             run.cluster.workers));
  if (values.text("sampler") != "neighbour")
    problems.add("run.sampler", values.text("sampler") + " cannot be used; hyscale takes neighbour alone");
  if (values.integer("batch") > 0 && values.integer("global_batch") > 0)
    problems.add("run.batch", "has no effect beside global_batch; leave one of them out");
  std::vector<Problem> more;
  readFanouts(values.text("fanouts"), static_cast<int>(run.model.layers), "run.fanouts", more);
  refuseEvaluation(run, more);
  problems.add(std::move(more));
  refuseDevices(run, problems);
  refuseCards(run, problems);
  if (const auto platform = platformFor(run, problems)) refuseNode(run, *platform, problems);
  return problems.take();
}

std::vector<Problem> refuseDataset(const RunSettings& run, const DataShape& data) {
  if (!refuseRun(run).empty() || !data.split) return {};
  const std::vector<Split> split = data.split();
  const std::int64_t trained = std::ranges::count(split, Split::train);
  if (trained == 0) return {};
  const NodeSettings node = nodeSettings(run);
  std::vector<Problem> problems = batchesProblems(run, node.platform.cards, trained, std::ssize(split));
  if (!problems.empty()) return problems;
  const std::int64_t batch =
      batchesOf(run, node.platform.cards, trained, std::ssize(split)).seeds.globalBatch;
  refuseMapping(node, batch, problems);
  return problems;
}

}  // namespace halo::hyscale
