#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/declaration.h"
#include "engine/base/matrix.h"
#include "engine/base/problem.h"
#include "engine/base/registry.h"
#include "engine/experiment/experiment.h"
#include "engine/partition/contract/partitioner.h"
#include "engine/partition/vertex_cut/arc_parts.h"
#include "engine/record/rows/metric.h"
#include "engine/record/rows/rows.h"

namespace halo {

struct WorkerParts;  // methods/worker/worker_parts.h: graph share, model, communicator, tracer, settings

/// Work of this rank in one pass of one layer; layer −1: loss and optimizer.
struct WorkRow {
  int layer = -1;
  Pass pass = Pass::none;
  std::int64_t flop = 0;
  std::int64_t cpuNs = 0;  // of the driving thread, inside compute spans
  // of `flop` what aggregations are, and what they move by the closed forms of engine/kernels/threads/work.h
  std::int64_t aggregationFlop = 0, aggregationLeastBytes = 0, aggregationMostBytes = 0;
};

/// How far the neighbours' rows that one pass of one layer used are from what they were at that moment:
/// Frobenius norms over this rank's halo (forward) or boundary (backward) rows, absolute and over the fresh
/// values' norm (0 where both are 0).
struct Staleness {
  int layer = 0;
  Pass pass = Pass::forward;
  double absolute = 0, relative = 0;
};

/// What a method's memory is for: the input features; activations, dropped and normalised ones included;
/// aggregated rows kept for the backward pass; gradients of rows; rows on their way to and from other ranks;
/// older copies of rows that are used again. What is held: a buffer that several layers use counts as the
/// widest of them needs it.
enum class MemoryOf : std::uint8_t { features, activations, aggregated, gradients, exchange, history, count };
inline constexpr std::array<std::string_view, 6> kMemoryCategories = {
    "features", "activations", "aggregated", "gradients", "exchange", "history"};
static_assert(kMemoryCategories.size() == static_cast<std::size_t>(MemoryOf::count));
/// Bytes by MemoryOf.
using Memory = std::array<std::int64_t, kMemoryCategories.size()>;

/// What a rank has of the graph, as recorded of each worker: own vertices whose rows others get, others'
/// vertices whose rows it gets, and the entries of the propagation matrix that it sums over in one pass.
struct Holdings {
  std::int64_t boundary = 0, remote = 0, nonzeros = 0;
};

/// rows[i][j]: rows that part i sends to part j.
using RowTable = std::vector<std::vector<std::int64_t>>;

/// One training method on one rank.
class Method {
 public:
  virtual ~Method() = default;
  /// Forward, backward, update; returns the global loss before the update. Collective.
  virtual double runEpoch(std::int32_t epoch) = 0;
  /// Scores of the forward pass that runEpoch just did when dropout is 0, else of an extra pass. Collective.
  virtual EpochRow evaluate() = 0;
  /// In place of evaluate: keeps the weights that it would go by, for evaluateKept, and neither sends nor
  /// waits.
  virtual void keepForEvaluation() = 0;
  /// Scores of the epochs that were kept since it was last called, in order. Collective.
  virtual std::vector<EpochRow> evaluateKept() = 0;
  /// Before an epoch that will be probed: makes room for what the probe needs of it, so that the epoch itself
  /// neither copies nor allocates for it.
  virtual void prepareProbe() {}
  /// Of the epoch that runEpoch just did, by an exchange of its own that is neither timed nor counted; to be
  /// called before evaluate, and after prepareProbe and no other epoch. Gives back what was kept. Collective.
  virtual std::vector<Staleness> probeStaleness() = 0;
  /// Bytes this rank keeps, by what for (kMemoryCategories).
  virtual Memory memory() const = 0;
  /// Of all categories together.
  std::int64_t memoryBytes() const {
    const Memory all = memory();
    return std::accumulate(all.begin(), all.end(), std::int64_t{0});
  }
  /// Where it is not the halo of the share that the rank got.
  virtual std::optional<Holdings> holdings() const { return std::nullopt; }
  /// The last forward pass's outputs of the own rows (own × classes), or nullptr.
  virtual const Matrix* logits() const { return nullptr; }
  /// Figures of its own over all epochs so far, by the name they are recorded under (MethodEntry::figures);
  /// the same on every rank.
  virtual std::map<std::string, double> metrics() const { return {}; }
  /// Rows that travelled in the epoch that runEpoch just did, where the method decided that while it trained:
  /// tables as its own `predict` reads them (VolumeRequest::decided), the same on every rank. Empty: nothing
  /// was decided that could not be known before.
  virtual std::vector<RowTable> decided() const { return {}; }
  /// Waits for what is still under way. Collective: to be called before the method goes, wherever all ranks
  /// end together.
  virtual void finish() {}
  /// What this rank does in the training.
  virtual std::string_view role() const { return "trainer"; }
  /// FLOP since the last call, by layer and pass.
  std::vector<WorkRow> takeWork() {
    std::vector<WorkRow> taken = work_;
    work_.clear();  // what it holds stays: the next epoch shall not allocate
    return taken;
  }

 protected:
  std::vector<WorkRow> work_;
};

/// What rows are counted from, before a run, by who knows the whole graph.
struct CountRequest {
  const Csr& propagation;
  const Owners& owners;
  int parts = 1;
  const RunSettings& run;
  std::span<const Index> widths;       // d_0 … d_L
  const ArcPlacement* arcs = nullptr;  // of a method that cuts vertices
  std::span<const Vertex> order = {};  // of a method that works on vertices in an order of its own
};

/// What a volume predictor sees: the partition in numbers, no data (methods.md A11).
struct VolumeRequest {
  int parts = 1;
  std::vector<std::int64_t> widths;      // d_0 … d_L
  std::vector<std::int64_t> propagated;  // width that travels forward in layer l
  std::vector<std::int64_t> returned;    // width that travels backward in layer l
  std::vector<bool> backward;            // whether layer l propagates backward
  RowTable rows;                         // what travels forward: the first of the tables
  std::vector<RowTable> tables;          // rowsSent
  std::vector<RowTable> decided;         // what an epoch that was trained decided (Method::decided)
  std::int64_t weights = 0;              // elements, all-reduced once an epoch
  std::int64_t elementBytes = 4;
  bool attends = false;     // layers' coefficients are made of the rows that travel (gat)
  std::int64_t heads = 1;   // that these rows consist of, side by side; 1 where layers do not attend
  bool firstEpoch = false;  // one-time traffic (layer-0 cache) falls here
  std::int64_t epoch = 0;   // for what does not send the same in every epoch
  Values parameters;
};

/// One predicted flow; integer arithmetic only.
struct PredictedVolume {
  int layer = 0;
  Pass pass = Pass::none;
  int source = 0, target = 0;
  std::int64_t messages = 0, bytes = 0;
  bool operator==(const PredictedVolume&) const = default;
};

/// What the memory of one rank is predicted from, by the partition in numbers.
struct MemoryRequest {
  std::int64_t rows = 0;      // own
  std::int64_t vertices = 0;  // of all ranks, or of the rank's group where it has slices of them
  /// Rows of the messages that come before a forward aggregation, and that leave; of these, from and to the
  /// one rank that most are from and to.
  std::int64_t received = 0, sent = 0, largestReceived = 0, largestSent = 0;
  std::int64_t halo = 0;          // others' rows that own ones aggregate
  std::int64_t largestBlock = 0;  // own rows of the other rank that has most
  int ranks = 1;
  std::int64_t slice = 0, slices = 1;  // of the columns
  std::int64_t input = 0;              // d_0
  bool readsInput = false;             // whether layer 0 reads the input rows besides what it aggregates
  /// By layer, width that travels in an epoch after the first; 0 where nothing does.
  std::vector<std::int64_t> forward, backward;
  bool drops = false;  // dropout above 0
  Values parameters;
};

/// What a method that places vertices itself goes by.
struct PlacementRequest {
  const Csr& arcs;
  int parts = 1;
  const Values& parameters;
  std::function<Owners(int parts)> partition;  // what the run's partitioner gives
  std::vector<Vertex> order = {};              // in which the method works on vertices, if it has one
};

/// How ranks exchange in one pass of one layer.
enum class ExchangeOrder : std::uint8_t {
  halo,        // rows come before the forward aggregation; gradients leave after the backward one
  relayed,     // the same in two stages, its countRows as relayedRows (relay_plan.h) gives them
  rounds,      // one part's rows after the other: in round r from rank + r, those of round r + 1 on their way
  sums,        // partial sums leave after the aggregation, and totals come back: two rounds
  transposed,  // columns are aggregated, between two all-to-alls (of the first layer forward: before one)
  broadcasts,  // whole blocks come before every aggregation, one rank's after the other
};
/// What is aggregated while halo rows travel.
enum class Meanwhile : std::uint8_t {
  nothing,
  central,  // own rows without remote neighbours; backward all of what is at hand
  own,      // of own rows what is at hand
};

/// In which order an epoch of a method works and exchanges: for who lays it out in steps without running it
/// (simulator/cluster).
struct MethodStyle {
  ExchangeOrder order = ExchangeOrder::halo;
  Meanwhile meanwhile = Meanwhile::nothing;
  int depth = 0;       // epochs that messages may travel
  bool codes = false;  // rows travel as codes
  int groups = 1;      // transposed: of ranks that share a row block; the others of a group have its slices
  /// What two ranks exchange depends on nothing but the number of halo rows between them.
  bool pairsAlone = false;
  bool wholeBlocks = false;  // broadcasts: every pass sends every rank's rows to all others
  /// Why its work cannot be laid out in steps; empty if it can.
  std::string unknown = {};
};

/// One epoch, after the first few, and how many of a period send what it sends.
struct EpochTurn {
  std::int64_t epoch = 1, count = 1;
};
/// The epochs that a method goes through again and again: for who shows what an epoch is without training
/// all (simulator/cluster).
struct EpochCycle {
  std::vector<EpochTurn> turns = std::vector<EpochTurn>(1);
  /// What its `predict` takes for what depends on values, which is the most that may be sent; empty: nothing
  /// does.
  std::string bound = {};
  std::int64_t epochs() const;  // of a period
};

/// What is known of a data set before it is trained on.
struct DataShape {
  std::span<const Index> widths;                   // d_0 … d_L
  std::function<std::vector<Split>()> split = {};  // by vertex; nobody to ask, or empty: not known
};

struct MethodEntry;
/// Who owns which vertex: as the method places them, or else as the partitioner does; and in which order they
/// are worked on, empty if the method has none.
struct Placement {
  Owners owners;
  std::vector<Vertex> order;
};
Placement placeVertices(const MethodEntry& method, PlacementRequest request);
/// The model as the method trains it: its order "auto" is what the method means by it, aggregate-first where
/// it, or dropout after aggregation, is defined for such layers only. Throws InputError for "update-first"
/// then.
ModelSettings modelFor(const MethodEntry& method, ModelSettings model);
/// Whether the model's coefficients are made of the rows (Propagation::attention).
bool attends(const ModelSettings& model);

/// What who counts the work of a layer kind has to know of it; one product in × out they all have.
struct LayerWork {
  bool attends = false;         // coefficients are made of the rows
  bool includesItself = false;  // P has the vertex itself
  bool weighted = false;        // P has values that are not all 1
  bool ownProduct = false;      // of the row itself, in × out, by weights of its own
  bool secondProduct = false;   // of what comes out, out × out
};
/// Throws InputError where there is no such kind, naming those there are.
LayerWork layerWork(const std::string& kind);
/// Why the method cannot do this run, by the key that is wrong; empty if it can.
std::vector<Problem> refusals(const MethodEntry& method, const RunSettings& run);
/// What a rank keeps besides what all full-graph methods do: as the method's own file says
/// (MethodEntry::memory), or else the buffers of a halo exchange.
Memory predictedMemory(const MethodEntry& method, const MemoryRequest& request);
/// Whether Z(0) = P X is computed once: always with this method, or because "layer0_cache" says so.
bool cachesLayer0(const MethodEntry& method, const Values& parameters);
/// As the method's own file says; or else all epochs after the first are alike.
EpochCycle cycleOf(const MethodEntry& method, const RunSettings& run, int ranks);
/// Whether the model gets an embedding of labels: "label_propagation" is above 0.
bool embedsLabels(const Values& parameters);

/// One method, registered by its own file.
struct MethodEntry {
  Declaration declaration;
  bool distributed = true;         // false: exactly one worker
  std::int64_t fewestWorkers = 1;  // that it can be run on; so many where cluster.workers is not given
  bool probed = true;              // its staleness is measured, not left out
  std::unique_ptr<Method> (*make)(WorkerParts& parts, const Values& values) = nullptr;
  std::vector<PredictedVolume> (*predict)(const VolumeRequest& request) = nullptr;
  /// Bytes that a rank keeps besides what all full-graph methods do (RowSteps and the input rows), after some
  /// epochs and an evaluation; a category may be negative where there is less. Not said: the buffers of a
  /// halo exchange. For who predicts memory without running (simulator/cluster).
  Memory (*memory)(const MemoryRequest& request) = nullptr;
  /// Of the run's parameters, on so many ranks.
  MethodStyle (*style)(const RunSettings& run, int ranks) = nullptr;
  /// Of a method whose epochs after the first do not all send the same.
  EpochCycle (*cycle)(const RunSettings& run, int ranks) = nullptr;
  bool exact = true;  // gives what one worker gives (methods.md 0.7)
  bool aggregatesFirst =
      false;  // defined for aggregate-first layers only: what model.order = auto then means
  bool alwaysCachesLayer0 = false;
  bool attends = false;           // trains layers whose coefficients depend on both ends of an edge (gat) too
  bool attendsToUpdated = false;  // and these, though it aggregates first else, update first
  /// Parameter values with which it is exact, where it is not with every value of these.
  std::vector<std::pair<std::string, Value>> exactWith = {};
  /// Rules of its own that a run breaks.
  std::vector<Problem> (*refuse)(const RunSettings& run) = nullptr;
  /// What model.order = auto means, where it is not the cheaper order by widths (methods.md 0.2): as
  /// layerOrder takes it.
  std::string_view autoOrder = "auto";
  /// The same for what is known once the data set is.
  std::vector<Problem> (*refuseData)(const RunSettings& run, const DataShape& data) = nullptr;
  /// Who owns which vertex, where that is not for the partitioner to say.
  Owners (*place)(const PlacementRequest& request) = nullptr;
  /// In which order vertices are worked on, where that is not for each rank to say: all learn of it
  /// (Share::order), and `place` before them.
  std::vector<Vertex> (*order)(const PlacementRequest& request) = nullptr;
  /// Cuts vertices: Share::arcs is what it trains on.
  bool placesArcs = false;
  /// What stands in VolumeRequest::tables, where it is not the halo rows: one table, or one for each thing
  /// that its `predict` knows to differ.
  std::vector<RowTable> (*countRows)(const CountRequest& request) = nullptr;
  /// What its `metrics` gives: reports name these so.
  std::vector<Metric> figures = {};
};

}  // namespace halo
