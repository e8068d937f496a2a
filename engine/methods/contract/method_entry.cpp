#include "engine/methods/contract/method.h"

#include <algorithm>

#include "engine/methods/worker/worker_parts.h"
#include "engine/model/layer.h"

namespace halo {
namespace {

bool aggregatesFirst(const MethodEntry& method, const ModelSettings& model) {
  return method.aggregatesFirst && !(method.attendsToUpdated && attends(model));
}

bool refusesOrder(const MethodEntry& method, const ModelSettings& model) {
  return aggregatesFirst(method, model) && model.order == "update-first";
}

Problem orderProblem(const MethodEntry& method) {
  return {"", 0, 0, "model.order",
          std::string(method.declaration.name) +
              " sends a layer's input rows and is defined for aggregate-first layers only; "
              "use aggregate-first or auto"};
}

// After the aggregate was multiplied with the weights there is nothing left to drop it from.
bool refusesDropout(const ModelSettings& model) {
  return model.dropsAggregate() && model.order != "aggregate-first" && model.order != "auto";
}

Problem dropoutProblem(const ModelSettings& model) {
  return {"", 0, 0, "model.dropout_position",
          "after-aggregation drops what a layer aggregated before it is updated, and model.order is " +
              model.order + "; use aggregate-first or auto, or before-aggregation"};
}

// What any method refuses of a model whose coefficients are made of the rows, unless it said so itself.
void checkAttention(const MethodEntry& method, const RunSettings& run, std::vector<Problem>& problems) {
  const std::string name(method.declaration.name), kind = run.model.kind;
  const auto wrong = [&](const std::string& key, const std::string& message) {
    if (std::ranges::find(problems, key, &Problem::key) == problems.end())
      problems.push_back({"", 0, 0, key, message});
  };
  if (!method.attends)
    return wrong("model.kind", name + " is not defined for " + kind +
                                   ", whose coefficients need both ends of an edge at one place; use gcn, "
                                   "graphsage or gin");
  if (cachesLayer0(method, run.parameters))
    wrong("run.layer0_cache", kind +
                                  "'s coefficients change with its weights, so nothing aggregated can be "
                                  "kept; leave layer0_cache out");
  if (run.model.dropsAggregate())
    wrong("model.dropout_position", kind +
                                        "'s rows are multiplied with the weights before they are aggregated, "
                                        "and are dropped before that; use before-aggregation");
  if (!aggregatesFirst(method, run.model) && run.model.order != "update-first" && run.model.order != "auto")
    wrong("model.order", run.model.order + " cannot be used with " + kind +
                             ": the rows are multiplied with the weights before they meet; use update-first "
                             "or auto");
}

}  // namespace

bool attends(const ModelSettings& model) {
  const LayerEntry* kind = find<LayerEntry>(model.kind);
  return kind != nullptr && kind->propagation == Propagation::attention;
}

LayerWork layerWork(const std::string& kind) {
  const LayerEntry& entry = layerKind(kind);
  return {entry.propagation == Propagation::attention, includesItself(entry.propagation),
          isWeighted(entry.propagation), entry.ownProduct, entry.secondProduct};
}

Placement placeVertices(const MethodEntry& method, PlacementRequest request) {
  if (method.order != nullptr) request.order = method.order(request);
  Owners owners = method.place != nullptr ? method.place(request) : request.partition(request.parts);
  return {std::move(owners), std::move(request.order)};
}

ModelSettings modelFor(const MethodEntry& method, ModelSettings model) {
  if (refusesOrder(method, model)) throw InputError(orderProblem(method));
  if (refusesDropout(model)) throw InputError(dropoutProblem(model));
  if (aggregatesFirst(method, model) || model.dropsAggregate()) model.order = "aggregate-first";
  if (model.order == "auto") model.order = attends(model) ? "update-first" : method.autoOrder;
  return model;
}

std::vector<Problem> refusals(const MethodEntry& method, const RunSettings& run) {
  std::vector<Problem> problems;
  if (refusesOrder(method, run.model)) problems.push_back(orderProblem(method));
  if (refusesDropout(run.model)) problems.push_back(dropoutProblem(run.model));
  if (method.refuse != nullptr)
    for (Problem& problem : method.refuse(run)) problems.push_back(std::move(problem));
  if (attends(run.model)) checkAttention(method, run, problems);
  return problems;
}

Holdings haloHoldings(const LocalGraph& graph) {
  return {boundaryOf(graph.peers), static_cast<std::int64_t>(graph.haloIds.size()),
          graph.own.nonzeros() + graph.halo.nonzeros()};
}

std::int64_t boundaryOf(std::span<const HaloPeer> peers) {
  std::vector<Vertex> sent;
  for (const HaloPeer& peer : peers) sent.insert(sent.end(), peer.sendRows.begin(), peer.sendRows.end());
  std::ranges::sort(sent);
  return std::ranges::unique(sent).begin() - sent.begin();
}

bool cachesLayer0(const MethodEntry& method, const Values& parameters) {
  const auto flag = parameters.find("layer0_cache");
  return method.alwaysCachesLayer0 || (flag != parameters.end() && std::get<bool>(flag->second));
}

std::int64_t EpochCycle::epochs() const {
  std::int64_t sum = 0;
  for (const EpochTurn& turn : turns) sum += turn.count;
  return sum;
}

EpochCycle cycleOf(const MethodEntry& method, const RunSettings& run, int ranks) {
  return method.cycle == nullptr ? EpochCycle{} : method.cycle(run, ranks);
}

bool embedsLabels(const Values& parameters) {
  const auto share = parameters.find("label_propagation");
  return share != parameters.end() && std::get<double>(share->second) > 0;
}

}  // namespace halo
