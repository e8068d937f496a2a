#include "engine/run/worker/training.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/host_name.h"
#include "engine/base/index.h"
#include "engine/base/parallel.h"
#include "engine/kernels/threads/work.h"
#include "engine/record/analysis/rest_share.h"
#include "engine/run/protocol/checkpoint.h"
#include "engine/run/protocol/lost_numbers.h"
#include "engine/run/worker/recording_cost.h"
#include "engine/run/worker/replicas.h"

namespace halo {
namespace {

std::int64_t peakResidentBytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

/// Of each layer the order and the width of the rows that travel: "aggregate-first 602, update-first 41".
std::string layerOrders(Model& model) {
  std::string orders;
  for (int l = 0; l < model.layers(); ++l)
    orders += (l == 0 ? "" : ", ") + std::string(text(model.layer(l).order())) + " " +
              std::to_string(model.layer(l).propagatedWidth());
  return orders;
}

/// Workers that have a vertex or get its rows, of a vertex in the mean.
double replicationFactor(std::span<const WorkerRow> workers) {
  std::int64_t own = 0, replicas = 0;
  for (const WorkerRow& worker : workers) {
    own += worker.vertices;
    replicas += worker.vertices + worker.remote;
  }
  return own > 0 ? static_cast<double>(replicas) / static_cast<double>(own) : 1;
}

}  // namespace

Training::Training(Communicator& comm, const RunSettings& run, Prepared prepared, Pipe* pipe,
                   const std::string& goneOn)
    : comm_(comm), run_(run), prepared_(std::move(prepared)), pipe_(pipe), clock_(comm.clockOffset()) {
  cores_ = availableCores();
  const int ranksHere = comm.ranksOnThisHost();
  threads_ =
      run.cluster.threads > 0 ? static_cast<int>(run.cluster.threads) : std::max(1, cores_ / ranksHere);
  oversubscribed_ = comm.anywhere(ranksHere * threads_ > cores_);
  setKernelThreads(threads_);
  entry_ = find<MethodEntry>(run.method);
  HALO_CHECK(entry_ != nullptr);
  if (auto problems = refusals(*entry_, run); !problems.empty()) throw InputError(std::move(problems));
  run_.model = modelFor(*entry_, run.model);
  model_ = std::make_unique<Model>(run_.model, prepared_.widths, run.training.seed,
                                   cachesLayer0(*entry_, run.parameters));
  if (embedsLabels(run.parameters)) model_->embedLabels(run.training.seed);
  if (!prepared_.initialWeights.empty())
    model_->loadBytes(prepared_.initialWeights, run.training.initialWeights);
  prepared_.initialWeights.clear();
  optimizer_ = std::make_unique<Optimizer>(run.training);
  parts_ = std::make_unique<WorkerParts>(
      WorkerParts{comm, comm.tracer(), run_, prepared_.share, *model_, *optimizer_});
  method_ = entry_->make(*parts_, run.parameters);
  depth_ = entry_->style(run_, comm.size()).depth;
  // what is under way between two iterations ends before spans are taken a second time
  hidden_.emplace(entry_->sampled ? 1 : depth_);
  stretch_ = Stretch(wallNs(), depth_);
  const LinkSettings& link = run.cluster.link;
  comm.emulate({link.bandwidthGbit, link.latencyUs, link.stagingGbit, link.ranksPerHost}, clock_.offsetNs);
  if (!comm.link().emulated()) comm.keepMoving(Communicator::Moves::overNetworks);
  pipelined_ = depth_ > 0 && comm.size() > 1;
  carriesOn_ = pipelined_ && !comm.link().emulated();
  comm.stopLink();
  std::optional<GoOn> goOn;
  if (!goneOn.empty()) goOn = decodeGoOn(goneOn);
  Reporter::Predict predict = [entry = entry_, request = volumeRequest()](
                                  std::int64_t epoch, std::vector<RowTable> decided) mutable {
    request.epoch = epoch;
    request.firstEpoch = epoch == 0;
    request.decided = std::move(decided);
    return predictVolume(*entry, request);
  };
  reporter_ = std::make_unique<Reporter>(
      comm, clock_, comm.broadcast(wallNs()) - (goOn ? goOn->clockNs : 0), run.record.spansEvery,
      std::move(predict), [this](FrameType type, const std::string& payload) { send(type, payload); });
  reporter_->recordIterations(iterationsEvery());
  checkpoints_.emplace(
      Checkpoints::Parts{*parts_, *method_, *reporter_, *hidden_, prepared_.dataDigest,
                         [this](FrameType type, const std::string& payload) { send(type, payload); }});
  if (goOn && checkpoints_->keeps()) {
    const Checkpoint from = decodeCheckpoint(goOn->checkpoint);
    firstEpoch_ = static_cast<std::int32_t>(from.epoch);
    checkpoints_->goOn(from);
  }
  between_.emplace(
      comm, *reporter_, *hidden_, [this] { return pipe_->orders().stopAsked(); },
      checkpoints_->keeps() ? &*checkpoints_ : nullptr);
  parts_->listener = &*between_;
}

// Of mini-batches: 1, or what the experiment says, or so many that a run records no more than
// kMostIterations.
std::int64_t Training::iterationsEvery() const {
  constexpr std::int64_t kMostIterations = 20'000;
  if (run_.record.iterationsEvery != kAutoStep) return run_.record.iterationsEvery;
  const std::int64_t all = method_->iterations() * run_.training.epochs;
  return std::max<std::int64_t>(1, (all + kMostIterations - 1) / kMostIterations);
}

VolumeRequest Training::volumeRequest() {
  VolumeRequest request;
  request.parts = comm_.size();
  request.widths.assign(prepared_.widths.begin(), prepared_.widths.end());
  for (int l = 0; l < model_->layers(); ++l) {
    request.propagated.push_back(model_->layer(l).propagatedWidth());
    request.returned.push_back(model_->layer(l).returnedWidth());
    request.backward.push_back(l > 0 || model_->layer(l).backwardNeedsPropagation());
  }
  request.tables = prepared_.sentRows;
  if (!request.tables.empty()) request.rows = request.tables.front();  // counted on rank 0 only
  request.attends = attends(run_.model);
  request.heads = request.attends ? run_.model.heads : 1;
  request.weights = model_->weightCount();
  request.inputWeights = model_->inputWeightCount();
  request.elementBytes = sizeof(Scalar);
  request.parameters = run_.parameters;
  return request;
}

std::vector<WorkerRow> Training::workers() {
  const LocalGraph& graph = prepared_.share.graph;
  WorkerRow own;
  own.rank = comm_.rank();
  own.host = hostName();
  own.role = method_->role();
  own.threads = threads_;
  own.vertices = static_cast<std::int64_t>(graph.owned.size());
  const std::optional<Holdings> others = method_->holdings();
  const Holdings holdings = others ? *others : haloHoldings(graph);
  own.boundary = holdings.boundary;
  own.remote = holdings.remote;
  own.nonzeros = holdings.nonzeros;
  own.featureBytes = method_->memoryBytes();
  own.peakRssBytes = peakResidentBytes();
  own.clockOffsetNs = clock_.offsetNs;
  own.clockUncertaintyNs = clock_.uncertaintyNs;
  own.droppedSpans = comm_.tracer().dropped();
  std::vector<WorkerRow> all;
  for (const std::string& bytes : comm_.gather(workersToJson({own}))) {
    const auto workers = workersFromJson(bytes);
    all.insert(all.end(), workers.begin(), workers.end());
  }
  return all;
}

/// Of all ranks, on rank 0. Collective.
std::vector<ActorRow> Training::actors() {
  std::vector<ActorRow> all;
  for (const std::string& bytes : comm_.gather(actorsToJson(method_->actors())))
    std::ranges::move(actorsFromJson(bytes), std::back_inserter(all));
  return all;
}

void Training::announce() {
  const std::vector<WorkerRow> all = workers();
  const std::vector<ActorRow> acting = actors();
  std::vector<std::string> marks = prepared_.marks;
  if (oversubscribed_) marks.emplace_back("oversubscribed");
  std::ranges::move(method_->marks(), std::back_inserter(marks));
  nlohmann::json started = {{"workers", nlohmann::json::parse(workersToJson(all))},
                            {"marks", marks},
                            {"remarks", prepared_.remarks},
                            {"dataset", prepared_.dataset},
                            {"data_digest", prepared_.dataDigest},
                            {"layer_orders", layerOrders(*model_)},
                            {"late_epochs", depth_},
                            {"version", HALO_VERSION}};
  if (!acting.empty()) started["actors"] = nlohmann::json::parse(actorsToJson(acting));
  if (method_->iterations() > 0) {
    started["iterations_every"] = iterationsEvery();
    started["training_vertices"] = prepared_.share.trainVertices;
  }
  if (const auto findings = method_->findings(); !findings.empty()) started["findings"] = findings;
  send(FrameType::started, started.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// Every rank holds the same weights, bit for bit. An all-reduce that does not give the same bits everywhere
// would make the ranks train different models without a sign.
void Training::checkReplicas() {
  const auto hash = static_cast<std::int64_t>(weightHash(*model_) >> 1);
  if (comm_.min(hash) != comm_.max(hash))
    throw EndsTogether(
        "the ranks' weights differ after an update: this MPI's all-reduce gives different bits on "
        "different ranks (try OMPI_MCA_coll_tuned_use_dynamic_rules=0)");
}

bool Training::epoch(std::int32_t number) {
  const bool probed = run_.record.staleness > 0 && number % run_.record.staleness == 0;
  const bool last = number + 1 == run_.training.epochs;
  const bool evaluated =
      run_.training.evaluateEvery > 0 && (number % run_.training.evaluateEvery == 0 || last);
  if (probed) method_->prepareProbe();
  std::int64_t begin = comm_.startLink();
  between_->epochBegins(begin);
  begin = checkpoints_->epochBegins(number, begin);
  const double loss = method_->runEpoch(number);
  std::int64_t end = comm_.stopLink();  // what follows neither carries the epoch's traffic nor delays it
  std::vector<Staleness> staleness;
  if (probed) staleness = method_->probeStaleness();
  const bool filling = fills(end - begin);
  hidden_->add(comm_.tracer().spans(), between_->takenUntilNs(), end, !filling);
  checkpoints_->epochEnded(begin, end);
  if (const std::optional<EpochClock> modelled = method_->modelledEpoch()) {
    begin = modelled->beginNs;
    end = modelled->endNs;
  }
  lastEndNs_ = end;
  EpochRow row;
  if (evaluated && !carriesOn_) row = method_->evaluate();
  if (evaluated && carriesOn_) method_->keepForEvaluation();
  row.epoch = number;
  row.loss = loss;
  row.filling = filling;
  reporter_->add(row, begin, end, *method_, staleness);
  stretch_.epochEnded();
  const std::int64_t verdict = judge(std::isfinite(loss), last, probed);
  if ((verdict & kPause) != 0) pause(verdict);
  if ((verdict & kKeep) != 0) checkpoints_->keepBefore(number + 1, wallNs());
  if ((verdict & kDiverged) != 0)
    throw EndsTogether("the loss of epoch " + std::to_string(number) +
                       " is not a number: training diverged; " + kAgainstDivergence +
                       ". What was recorded is kept");
  return (verdict & kStop) == 0;
}

// Whether the epoch that just ended left bytes to later ones. All ranks answer the same.
bool Training::fills(std::int64_t tookNs) {
  if (!pipelined_ || filled_) return false;
  if (carriesOn_) return stretch_.fills();
  const bool grew = comm_.anywhere(backlog_.grew(comm_.linkBacklogNs(), tookNs));
  filled_ = !grew && !stretch_.fills();
  return !filled_;
}

// Rank 0's: clocks, and in theory losses, differ among the ranks.
std::int64_t Training::judge(bool isNumber, bool last, bool probed) {
  std::int64_t verdict = 0;
  if (comm_.rank() == 0) {
    const std::int64_t now = wallNs();
    const Reporter::Due due = reporter_->due(now);
    const BetweenIterations::Left left = between_->left();
    const bool stop = !isNumber || last || pipe_->orders().stopAsked() || left.stop;
    const bool pauses =
        stop || probed || !carriesOn_ || (due != Reporter::Due::nothing && stretch_.isLong(now));
    const bool keeps =
        checkpoints_->keeps() && isNumber && !last && (stop || left.keep || checkpoints_->isDue(now));
    verdict = std::int64_t{stop} * kStop + std::int64_t{!isNumber} * kDiverged +
              std::int64_t{pauses} * kPause +
              std::int64_t{stop || keeps || (pauses && due != Reporter::Due::nothing)} * kRows +
              std::int64_t{stop || keeps || (pauses && due == Reporter::Due::everything)} * kSpans +
              std::int64_t{keeps} * kKeep;
  }
  return comm_.broadcast(verdict);
}

void Training::pause(std::int64_t verdict) {
  if (carriesOn_) reporter_->addScores(method_->evaluateKept());
  if ((verdict & kRows) != 0) reporter_->flush((verdict & kSpans) != 0);
  if ((verdict & kSpans) != 0) checkReplicas();
  if (carriesOn_) stretch_ = Stretch(wallNs(), depth_);
}

// Buffers go with the method: nothing may still be on its way into them.
void Training::endMethod() {
  comm_.startLink();
  method_->finish();
  HALO_CHECK(comm_.underWay() == 0);
}

// What was under way when the last epoch ended came while the method ended: it travelled beside epochs too.
void Training::noteLate(std::int64_t epoch) {
  if (depth_ == 0 || epoch < 0) return;
  hidden_->addLate(comm_.tracer().spans());
  reporter_->takeLate(epoch, lastEndNs_);
  reporter_->flush();
}

void Training::run() {
  announce();
  bool goOn = true;
  std::int32_t number = firstEpoch_;
  try {
    for (; goOn && number < run_.training.epochs; ++number) goOn = epoch(number);
  } catch (const StopsBetween&) {
    comm_.stopLink();
  } catch (const EndsTogether&) {
    reporter_->flush();  // what was recorded before is kept
    endMethod();
    throw;
  }
  endMethod();
  noteLate(number - 1);
  finish(number < run_.training.epochs);
}

// Of the run, on rank 0, which knows the workers.
std::int64_t Training::recordingCost(std::span<const WorkerRow> workers) {
  constexpr std::size_t kFields = 3;
  std::vector<std::int64_t> fields(kFields * at(comm_.size()), 0);
  const std::size_t own = kFields * at(comm_.rank());
  fields[own] = cores_;
  fields[own + 1] = reporter_->recordingNs();
  fields[own + 2] = reporter_->recordingCpuNs();
  comm_.sum(fields);
  std::vector<RecordingCost> costs;
  for (std::size_t r = 0; r < workers.size(); ++r)
    costs.push_back({workers[r].host, fields[kFields * r], fields[kFields * r + 1], fields[kFields * r + 2]});
  return recordingNs(costs, oversubscribed_);
}

// Of all ranks together, an epoch in the mean; collective. Attention's rows are fetched by another law than
// those of a product.
std::map<std::string, double> Training::aggregationMetrics() {
  const Reporter::Aggregations& own = reporter_->aggregations();
  std::array<std::int64_t, 4> all = {own.ns, own.flop, own.leastBytes, own.mostBytes};
  comm_.sum(all);
  if (own.epochs == 0 || all[0] == 0 || all[1] == 0 || model_->propagation() == Propagation::attention)
    return {};
  const auto epochs = static_cast<double>(own.epochs);
  return {{"aggregation_seconds_per_epoch", static_cast<double>(all[0]) * 1e-9 / epochs},
          {"aggregation_flop_per_epoch", static_cast<double>(all[1]) / epochs},
          {"aggregation_least_bytes_per_epoch", static_cast<double>(all[2]) / epochs},
          {"aggregation_most_bytes_per_epoch", static_cast<double>(all[3]) / epochs}};
}

void Training::finish(bool stoppedEarly) {
  // the times recorded are off by no more than what the clocks were uncertain of, or drifted, in between
  const Communicator::ClockOffset after = comm_.clockOffset();
  clock_.uncertaintyNs =
      std::max(clock_.uncertaintyNs, after.uncertaintyNs) + std::abs(after.offsetNs - clock_.offsetNs);
  const std::vector<WorkerRow> all = workers();
  Memory memory = method_->memory();
  comm_.sum(memory);
  const std::int64_t recording = recordingCost(all), training = comm_.max(checkpoints_->trainedNs());
  const std::int64_t hidden = comm_.sum(hidden_->totalNs()), underWay = comm_.sum(hidden_->transferNs());
  const std::int64_t other = comm_.sum(hidden_->otherNs());
  const std::map<std::string, double> aggregations = aggregationMetrics();
  if (comm_.rank() != 0) return;
  send(FrameType::artifact, encodeArtifact({"weights", "application/x-npz", model_->saveBytes()}));
  std::string owners;
  for (const std::int32_t part : prepared_.owners) owners += std::to_string(part) + "\n";
  send(FrameType::artifact, encodeArtifact({"partition", "text/plain", owners}));
  nlohmann::json metrics = method_->metrics();
  for (const auto& [name, value] : aggregations) metrics[name] = value;
  for (std::size_t c = 0; c < memory.size(); ++c)
    metrics["memory_" + std::string(kMemoryCategories[c]) + "_bytes"] = memory[c];
  if (prepared_.partitionSeconds > 0) metrics["partition_seconds"] = prepared_.partitionSeconds;
  for (const auto& [name, value] : prepared_.partitionFigures) metrics[name] = value;
  if (training > 0)
    metrics["recorder_share"] = static_cast<double>(recording) / static_cast<double>(training);
  if (const std::int64_t timed = reporter_->timedNs(); timed > 0) {  // over what the other shares are over
    const double ranksNs = static_cast<double>(timed) * comm_.size();
    metrics["hidden_share"] = static_cast<double>(hidden) / ranksNs;
    // shares of actors are of another time than the ranks'
    if (method_->actors().empty()) metrics[kOtherShare] = static_cast<double>(other) / ranksNs;
  }
  if (underWay > 0)
    metrics["hidden_transfer_share"] = static_cast<double>(hidden) / static_cast<double>(underWay);
  metrics["replication_factor"] = replicationFactor(all);
  const nlohmann::json finished = {{"workers", nlohmann::json::parse(workersToJson(all))},
                                   {"metrics", metrics},
                                   {"lost_weights", lostWeights(*model_)},
                                   {"stopped_early", stoppedEarly}};
  send(FrameType::finished, finished.dump());
}

}  // namespace halo
