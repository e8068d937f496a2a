#include "engine/methods/method.h"

namespace halo {
namespace {

bool refusesOrder(const MethodEntry& method, const ModelSettings& model) {
  return method.aggregatesFirst && model.order == "update-first";
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

}  // namespace

Owners placeVertices(const MethodEntry& method, const PlacementRequest& request) {
  return method.place != nullptr ? method.place(request) : request.partition(request.parts);
}

ModelSettings modelFor(const MethodEntry& method, ModelSettings model) {
  if (refusesOrder(method, model)) throw InputError(orderProblem(method));
  if (refusesDropout(model)) throw InputError(dropoutProblem(model));
  if (method.aggregatesFirst || model.dropsAggregate()) model.order = "aggregate-first";
  if (model.order == "auto") model.order = method.autoOrder;
  return model;
}

std::vector<Problem> refusals(const MethodEntry& method, const RunSettings& run) {
  std::vector<Problem> problems;
  if (refusesOrder(method, run.model)) problems.push_back(orderProblem(method));
  if (refusesDropout(run.model)) problems.push_back(dropoutProblem(run.model));
  if (method.refuse != nullptr)
    for (Problem& problem : method.refuse(run)) problems.push_back(std::move(problem));
  return problems;
}

bool cachesLayer0(const MethodEntry& method, const Values& parameters) {
  const auto flag = parameters.find("layer0_cache");
  return method.alwaysCachesLayer0 || (flag != parameters.end() && std::get<bool>(flag->second));
}

}  // namespace halo
