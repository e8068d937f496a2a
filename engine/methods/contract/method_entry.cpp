#include "engine/methods/contract/method_entry.h"

#include <algorithm>

#include "engine/methods/contract/layer_kinds.h"

namespace halo {
namespace {

bool aggregatesFirst(const MethodEntry& method, const ModelSettings& model) {
  return method.aggregatesFirst && !(method.attendsToUpdated && attends(model));
}

bool refusesOrder(const MethodEntry& method, const ModelSettings& model) {
  return aggregatesFirst(method, model) && model.order == "update-first";
}

Problem orderProblem(const MethodEntry& method) {
  return {.key = "model.order",
          .message = std::string(method.declaration.name) +
                     " sends a layer's input rows and is defined for aggregate-first layers only; "
                     "use aggregate-first or auto"};
}

// After the aggregate was multiplied with the weights there is nothing left to drop it from.
bool refusesDropout(const ModelSettings& model) {
  return model.dropsAggregate() && model.order != "aggregate-first" && model.order != "auto";
}

Problem dropoutProblem(const ModelSettings& model) {
  return {
      .key = "model.dropout_position",
      .message = "after-aggregation drops what a layer aggregated before it is updated, and model.order is " +
                 model.order + "; use aggregate-first or auto, or before-aggregation"};
}

// What any method refuses of a model whose coefficients are made of the rows, unless it said so itself.
void checkAttention(const MethodEntry& method, const RunSettings& run, std::vector<Problem>& problems) {
  const std::string name(method.declaration.name), kind = run.model.kind;
  const auto wrong = [&](const std::string& key, const std::string& message) {
    if (std::ranges::find(problems, key, &Problem::key) == problems.end())
      problems.push_back({.key = key, .message = message});
  };
  if (!method.attends)
    return wrong("model.kind", name + " is not defined for " + kind +
                                   ", whose coefficients need both ends of an edge at one place; use " +
                                   kindsWithoutAttention());
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

// Batches gather the rows that they read; whoever else multiplies with all of them has them in memory.
std::string mappingRefusal(const MethodEntry& method, const RunSettings& run) {
  const std::string name(method.declaration.name);
  if (!method.sampled) return name + " has all its features in memory; only methods of mini-batches map them";
  if (attends(run.model)) return run.model.kind + " has all its features in memory for an evaluation";
  if (run.model.order == "update-first")
    return "model.order = \"update-first\" has all its features in memory for an evaluation; use "
           "aggregate-first or auto";
  return "";
}

}  // namespace

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
  if (run.dataset.mapFeatures)
    if (const std::string why = mappingRefusal(method, run); !why.empty())
      problems.push_back({.key = "dataset.map_features", .message = "cannot be used: " + why});
  return problems;
}

bool cachesLayer0(const MethodEntry& method, const Values& parameters) {
  const auto flag = parameters.find("layer0_cache");
  return method.alwaysCachesLayer0 || (flag != parameters.end() && std::get<bool>(flag->second));
}

EpochCycle cycleOf(const MethodEntry& method, const RunSettings& run, int ranks) {
  return method.cycle == nullptr ? EpochCycle{} : method.cycle(run, ranks);
}

bool embedsLabels(const Values& parameters) {
  const auto share = parameters.find("label_propagation");
  return share != parameters.end() && std::get<double>(share->second) > 0;
}

}  // namespace halo
