#include <nlohmann/json.hpp>

#include "engine/experiment/read_value.h"

namespace halo {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Values& values) {
  Json json = Json::object();
  for (const auto& [key, value] : values) std::visit([&](const auto& v) { json[key] = v; }, value);
  return json;
}

Values valuesFrom(const Json& json) {
  Values values;
  for (const auto& [key, value] : json.items()) {
    if (value.is_boolean())
      values[key] = value.get<bool>();
    else if (value.is_number_float())
      values[key] = value.get<double>();
    else if (value.is_number())
      values[key] = value.get<std::int64_t>();
    else
      values[key] = value.get<std::string>();
  }
  return values;
}

/// Calls each("section", "key", member) for every plain member: the one list both directions go by.
template <class Run, class Each>
void members(Run& run, Each each) {
  each("run", "name", run.name);
  each("run", "method", run.method);
  auto& dataset = run.dataset;
  each("dataset", "name", dataset.name);
  each("dataset", "format", dataset.format);
  each("dataset", "scale", dataset.scale);
  each("dataset", "directed", dataset.directed);
  each("dataset", "normalize_features", dataset.normalizeFeatures);
  each("dataset", "features", dataset.features);
  each("dataset", "labels", dataset.labels);
  each("dataset", "split", dataset.split);
  each("dataset", "seed", dataset.seed);
  each("dataset", "memory_limit_gib", dataset.memoryLimitGib);
  auto& model = run.model;
  each("model", "kind", model.kind);
  each("model", "layers", model.layers);
  each("model", "hidden", model.hidden);
  each("model", "dropout", model.dropout);
  each("model", "dropout_position", model.dropoutPosition);
  each("model", "norm", model.norm);
  each("model", "order", model.order);
  each("model", "learn_epsilon", model.learnEpsilon);
  each("model", "heads", model.heads);
  auto& training = run.training;
  each("training", "epochs", training.epochs);
  each("training", "optimizer", training.optimizer);
  each("training", "learning_rate", training.learningRate);
  each("training", "weight_decay", training.weightDecay);
  each("training", "loss", training.loss);
  each("training", "seed", training.seed);
  each("training", "evaluate_every", training.evaluateEvery);
  each("training", "initial_weights", training.initialWeights);
  each("training", "repeat", training.repeat);
  auto& cluster = run.cluster;
  each("cluster", "workers", cluster.workers);
  each("cluster", "threads", cluster.threads);
  each("cluster", "launcher", cluster.launcher);
  each("cluster", "hosts", cluster.hosts);
  each("cluster", "silence_s", cluster.silenceS);
  each("link", "name", cluster.link.name);
  each("link", "bandwidth_gbit", cluster.link.bandwidthGbit);
  each("link", "latency_us", cluster.link.latencyUs);
  each("link", "staging_gbit", cluster.link.stagingGbit);
  each("link", "ranks_per_host", cluster.link.ranksPerHost);
  each("wire", "name", cluster.wire.name);
  each("wire", "bandwidth_gbit", cluster.wire.bandwidthGbit);
  each("wire", "latency_us", cluster.wire.latencyUs);
  each("partition", "method", run.partition.method);
  each("partition", "imbalance", run.partition.imbalance);
  each("record", "spans_every", run.record.spansEvery);
  each("record", "staleness", run.record.staleness);
}

}  // namespace

std::string toJson(const RunSettings& run) {
  Json json;
  members(run, [&](const char* section, const char* key, const auto& value) { json[section][key] = value; });
  json["parameters"] = toJson(run.parameters);
  json["partition_parameters"] = toJson(run.partition.parameters);
  return json.dump();
}

RunSettings runFromJson(const std::string& text) {
  RunSettings run;
  try {
    const Json json = Json::parse(text);
    members(run, [&](const char* section, const char* key, auto& value) {
      json.at(section).at(key).get_to(value);
    });
    run.parameters = valuesFrom(json.at("parameters"));
    run.partition.parameters = valuesFrom(json.at("partition_parameters"));
  } catch (const Json::exception& error) {
    throw InputError({"", 0, 0, "run settings", error.what()});
  }
  return run;
}

}  // namespace halo
