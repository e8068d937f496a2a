#include "simulator/pipeline/paired_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "datasets/graph/asking.h"
#include "datasets/graph/order.h"
#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"
#include "engine/methods/contract/layer_work.h"

namespace halo::sim {
namespace {

constexpr double kPsPerNs = 1e3, kPsPerUs = 1e6, kFeatureBytes = 4;
constexpr double kMostPs = 9e18;  // that 64 bits count
constexpr int kMostStages = 1024;

std::int64_t ceilDiv(std::int64_t amount, std::int64_t by) { return (amount + by - 1) / by; }
double real(std::int64_t count) { return static_cast<double>(count); }

/// Whole picoseconds; throws InputError, naming `key`, for more than can be counted.
std::int64_t countedPs(double ps, const char* key) {
  if (!(ps <= kMostPs))
    throw InputError(
        {.key = key,
         .message = fmt::format("makes {:.3g} ps with this model and graph; at most {:.0g} can be counted: "
                                "fewer layers or columns, or figures of a real device",
                                ps, kMostPs)});
  return std::llround(ps);
}

/// All of a pipeline's batches one after the other, than which it takes no longer.
void refuseBeyondCounting(const PipelineRequest& request) {
  double ps = 0;
  for (const PipelinePhase& phase : request.phases)
    for (const auto* batches : {&phase.aggregatePs, &phase.updatePs, &phase.toDensePs, &phase.toSparsePs})
      for (const std::int64_t takes : *batches) ps += real(takes);
  countedPs(ps, "pipeline");
}

/// Lays out phases: what is updated goes to the phase that is under way.
class PhaseList {
 public:
  PhaseList(const ModelSettings& model, std::vector<std::int64_t> widths)
      : model_(model), widths_(std::move(widths)) {}

  void forward(const SlicePass& pass) {
    const bool own = layerWork(model_.kind).ownProduct;
    const Update linear{in(pass), out(pass), own ? 2 : 1};
    if (pass.updated) update(linear);
    aggregate(pass);
    if (!pass.updated) update(linear);
    if (layerWork(model_.kind).secondProduct) update({out(pass), out(pass), 1});
  }

  /// The layer of `pass`, which is not aggregated where `returns` is false.
  void backward(const SlicePass& pass, bool returns) {
    const std::int64_t gradients = pass.layer == 0 ? 1 : 2;
    if (layerWork(model_.kind).secondProduct) update({out(pass), out(pass), 2});
    if (layerWork(model_.kind).ownProduct) update({in(pass), out(pass), gradients});
    const Update linear{in(pass), out(pass), gradients};
    if (!pass.updated) update(linear);
    if (returns) aggregate(pass);
    if (pass.updated) update(linear);
  }

  std::vector<PairedPhase> all() && { return std::move(phases_); }

 private:
  std::int64_t in(const SlicePass& pass) const { return widths_[at(pass.layer)]; }
  std::int64_t out(const SlicePass& pass) const { return widths_[at(pass.layer) + 1]; }

  void aggregate(const SlicePass& pass) {
    if (!phases_.empty()) phases_.back().out = pass.width;
    phases_.push_back({pass.layer, pass.direction, pass.width, pass.masked});
  }

  void update(const Update& work) {
    if (phases_.empty()) phases_.emplace_back();
    std::vector<Update>& updates = phases_.back().updates;
    if (!updates.empty() && updates.back().in == work.in && updates.back().out == work.out)
      updates.back().products += work.products;
    else
      updates.push_back(work);
  }

  const ModelSettings& model_;
  std::vector<std::int64_t> widths_;
  std::vector<PairedPhase> phases_;
};

class Paired {
 public:
  Paired(const PairedSettings& settings, SourceGraph& source, const Library& library,
         const Progress& progress)
      : settings_(settings), source_(source), library_(library), progress_(progress) {}

  PairedResult run() {
    result_.sparseDevices = result_.denseDevices = settings_.slices;
    result_.vertices = source_.graph().vertices;
    if (result_.vertices == 0 || settings_.model.layers == 0) return std::move(result_);
    orderAndMeasure();
    timePhases();
    if (settings_.units > 0) divideUnits();
    chooseBatches();
    schedule();
    return std::move(result_);
  }

 private:
  void orderAndMeasure() {
    const AskStop askStop = asking(progress_, "ordering vertices", 0);
    if (settings_.ordered && hasArcs())
      source_.arcs = permuted(source_.arcs, rcmOrder(source_.arcs, askStop), askStop);
    const Index n = result_.vertices;
    const Index band = hasArcs()              ? bandwidth(source_.arcs)
                       : source_.locality < 1 ? n - 1  // some lie anywhere
                                              : static_cast<Index>(std::llround(source_.band * real(n)));
    result_.bandwidth = std::clamp<Index>(band, 0, n - 1);
    result_.propositionStages = propositionStages(n, result_.bandwidth);
  }

  bool hasArcs() const { return source_.tiling != "statistics"; }

  // --- how long phases take ---------------------------------------------------------------------------

  void timePhases() {
    result_.phases = phasesOf(settings_.model, source_.features, source_.classes, settings_.training);
    for (PairedPhase& phase : result_.phases) {
      // the first device has the widest slices
      const SlicePass pass{phase.layer, phase.direction, ceilDiv(phase.width, result_.sparseDevices),
                           phase.masked};
      const auto [entry, isNew] = known_.try_emplace({pass.width, pass.masked}, 0);
      if (isNew && pass.width > 0) entry->second = aggregatePs(pass);
      phase.aggregatePs = entry->second;
      phase.updatePs = updatePs(phase.updates, result_.vertices);
    }
  }

  std::int64_t aggregatePs(const SlicePass& pass) {
    const AcceleratorEntry& entry = *find<AcceleratorEntry>(settings_.sparse);
    const Values figures =
        source_.share < 1 ? entry.scaled(settings_.sparseFigures, source_.share) : settings_.sparseFigures;
    Graph graph = source_.graph();
    graph.askStop = [this] {
      if (progress_) progress_("timing aggregation", 0);
    };
    graph.askStop();
    DeviceResult deviceResult = entry.simulate({figures, library_, graph, {pass}, settings_.level});
    if (result_.factors.size() < deviceResult.factors.size())
      result_.factors = std::move(deviceResult.factors);
    return countedPs(deviceResult.ns * kPsPerNs, "pipeline.sparse");
  }

  /// Rows of the whole graph that so many rows of what was cut stand for, a device.
  std::int64_t rowsEach(std::int64_t rows) const {
    return ceilDiv(std::llround(real(rows) / source_.share), result_.denseDevices);
  }

  std::int64_t updatePs(const std::vector<Update>& updates, std::int64_t rows) const {
    double ps = 0;
    for (const Update& update : updates) ps += updatePs(update, rows);
    return countedPs(ps, settings_.dense.empty() ? "pipeline.dense_gmacs" : "pipeline.dense");
  }

  double updatePs(const Update& update, std::int64_t rows) const {
    if (rows == 0) return 0;
    if (!settings_.dense.empty())
      return real(update.products) *
             real(find<AcceleratorEntry>(settings_.dense)
                      ->updatePs(settings_.denseFigures, rowsEach(rows), update.in, update.out));
    const double macs = real(update.products) * real(rowsEach(rows)) * real(update.in) * real(update.out);
    return std::round(macs / settings_.denseGmacs * kPsPerNs);
  }

  PhaseLoad meanLoad() const {
    PhaseLoad load;
    for (const PairedPhase& phase : result_.phases) {
      load.aggregatePs += real(phase.aggregatePs) / real(std::ssize(result_.phases));
      load.updatePs += real(phase.updatePs) / real(std::ssize(result_.phases));
    }
    load.overheadPs = settings_.overheadUs * kPsPerUs;
    return load;
  }

  /// Every split, timed by the devices' models: an aggregation does not halve with twice the devices where
  /// each streams the whole graph.
  void divideUnits() {
    const auto with = [this](int sparse, int dense) {
      result_.sparseDevices = sparse;
      result_.denseDevices = dense;
      timePhases();
      double ps = 0;
      for (const PairedPhase& phase : result_.phases) ps += real(std::max(phase.aggregatePs, phase.updatePs));
      return ps;
    };
    const UnitSplit split = splitUnits(static_cast<int>(settings_.units), with);
    with(split.sparse, split.dense);
  }

  // --- batches ----------------------------------------------------------------------------------------

  void chooseBatches() {
    const PhaseLoad load = meanLoad();
    result_.balance = load.balance();
    const auto phases = static_cast<int>(result_.phases.size());
    const auto most = static_cast<int>(std::min<Index>(kMostStages, result_.vertices));
    result_.stages = settings_.stages > 0
                         ? settings_.stages
                         : chooseStages(load, phases, result_.vertices, result_.bandwidth, most).stages;
    std::vector<PhaseLoad> loads;
    for (const PairedPhase& phase : result_.phases)
      loads.push_back({real(phase.aggregatePs), real(phase.updatePs), load.overheadPs});
    const Index reach =
        settings_.dependence == PipelineDependence::all ? result_.vertices : result_.bandwidth;
    result_.lawGain = orderingGain(loads, result_.stages, result_.vertices, reach);
  }

  BatchCut cut(const Csr& arcs, int stages, PipelineDependence dependence) const {
    BatchCut batchCut = hasArcs() ? cutIntoBatches(arcs, stages, dependence)
                                  : cutByBand(result_.vertices, source_.nonzeros,
                                              dependence == PipelineDependence::all ? result_.vertices - 1
                                                                                    : result_.bandwidth,
                                              stages);
    for (int j = 0; j < stages; ++j) {  // a vertex refers to itself: Â = A + I
      if (batchCut.batching.rows(j) == 0) continue;
      batchCut.lastNeeded[at(j)] = std::max(batchCut.lastNeeded[at(j)], j);
      batchCut.lastReader[at(j)] = std::max(batchCut.lastReader[at(j)], j);
    }
    return batchCut;
  }

  PipelinePhase timed(const PairedPhase& phase, const BatchCut& batches) const {
    PipelinePhase pipelinePhase;
    const double nonzeros = std::accumulate(batches.nonzeros.begin(), batches.nonzeros.end(), 0.0);
    const double overhead = settings_.overheadUs * kPsPerUs;
    const double startsWith = phase.width > 0 ? overhead : 0, endsWith = phase.updates.empty() ? 0 : overhead;
    for (int j = 0; j < batches.batching.batches; ++j) {
      const Index rows = batches.batching.rows(j);
      const double share =
          nonzeros > 0 ? real(batches.nonzeros[at(j)]) / nonzeros : real(rows) / real(result_.vertices);
      pipelinePhase.aggregatePs.push_back(
          countedPs(real(phase.aggregatePs) * share + startsWith, "pipeline.overhead_us"));
      pipelinePhase.updatePs.push_back(
          countedPs(real(updatePs(phase.updates, rows)) + std::round(endsWith), "pipeline.overhead_us"));
      pipelinePhase.toDensePs.push_back(transferPs(rows, phase.width, result_.sparseDevices));
      pipelinePhase.toSparsePs.push_back(transferPs(rows, phase.out, result_.sparseDevices));
    }
    pipelinePhase.lastNeeded = batches.lastNeeded;
    pipelinePhase.lastReader = batches.lastReader;
    return pipelinePhase;
  }

  /// A device's columns of these rows over its link.
  std::int64_t transferPs(Index rows, std::int64_t width, std::int64_t devices) const {
    if (!settings_.link.emulated() || rows == 0 || width == 0) return 0;
    const double bytes = real(rows) / source_.share * real(ceilDiv(width, devices)) * kFeatureBytes;
    return countedPs(
        bytes * 8 / settings_.link.bandwidthGbit * kPsPerNs + settings_.link.latencyUs * kPsPerUs,
        "pipeline.link");
  }

  PipelineRequest requestOf(int stages, PipelineDependence dependence) const {
    const BatchCut forward = cut(source_.arcs, stages, dependence);
    const auto turned = [&] { return transpose(source_.arcs, asking(progress_, "cutting batches", 0)); };
    const BatchCut backward = hasArcs() && source_.directed ? cut(turned(), stages, dependence) : forward;
    PipelineRequest request;
    for (const PairedPhase& phase : result_.phases)
      request.phases.push_back(timed(phase, phase.direction == Pass::backward ? backward : forward));
    request.link = settings_.link.emulated() ? PipelineLink::duplex : PipelineLink::none;
    refuseBeyondCounting(request);
    return request;
  }

  /// What it is held against has room for all batches, as the laws do.
  void schedule() {
    PipelineRequest request = requestOf(result_.stages, settings_.dependence);
    request.stateBuffers = settings_.stateBuffers;
    request.aggregatedBatches = settings_.aggregatedBatches;
    result_.times = simulatePipeline(request);
    result_.unorderedPs = simulatePipeline(requestOf(result_.stages, PipelineDependence::all)).makespanPs;
    result_.mostGain = mostOrderingGain(request.phases);
    result_.sequentialPs = simulatePipeline(requestOf(1, PipelineDependence::all)).makespanPs;
  }

  const PairedSettings& settings_;
  SourceGraph& source_;
  const Library& library_;
  const Progress& progress_;
  std::map<std::pair<std::int64_t, bool>, std::int64_t> known_;  // aggregations by width and mask
  PairedResult result_;
};

}  // namespace

std::vector<PairedPhase> phasesOf(const ModelSettings& model, std::int64_t features, std::int64_t classes,
                                  bool training) {
  const std::vector<SlicePass> passes = wholePasses(model, features, classes, training);
  const std::vector<std::int64_t> widths = layerWidths(model, features, classes);
  PhaseList phases(model, widths);
  for (const SlicePass& pass : passes)
    if (pass.direction == Pass::forward) phases.forward(pass);
  for (const SlicePass& pass : passes)
    if (pass.direction == Pass::backward) phases.backward(pass, true);
  // the first layer's weights, where no gradient of its input is aggregated
  if (training && !passes.empty() && !passes.front().updated) phases.backward(passes.front(), false);
  return std::move(phases).all();
}

PairedResult simulatePaired(const PairedSettings& settings, SourceGraph& source, const Library& library,
                            const Progress& progress) {
  return Paired(settings, source, library, progress).run();
}

}  // namespace halo::sim
