#include <fmt/format.h>

#include "engine/base/fingerprint.h"
#include "engine/experiment/read_value.h"

namespace halo {
std::map<std::string, std::string> RunSettings::flat() const {
  const auto quoted = [](const std::string& text) { return toText(Value(text)); };
  const auto real = [](double number) { return toText(Value(number)); };
  const auto whole = [](auto number) { return std::to_string(number); };
  const auto flag = [](bool value) { return toText(Value(value)); };
  std::string hosts;
  for (const std::string& host : cluster.hosts) hosts += (hosts.empty() ? "" : ", ") + quoted(host);
  const std::string link = linkText(cluster.link), wire = linkText(cluster.wire);
  std::map<std::string, std::string> all = {
      {"run.method", quoted(method)},
      {"dataset.name", quoted(dataset.name)},
      {"dataset.format", quoted(dataset.format)},
      {"dataset.scale", real(dataset.scale)},
      {"dataset.directed", flag(dataset.directed)},
      {"dataset.normalize_features", quoted(dataset.normalizeFeatures ? "row" : "none")},
      {"dataset.features", quoted(dataset.features)},
      {"dataset.labels", quoted(dataset.labels)},
      {"dataset.split", quoted(dataset.split)},
      {"dataset.seed", whole(dataset.seed)},
      {"dataset.memory_limit_gib", real(dataset.memoryLimitGib)},
      {"model.kind", quoted(model.kind)},
      {"model.layers", whole(model.layers)},
      {"model.hidden", whole(model.hidden)},
      {"model.dropout", real(model.dropout)},
      {"model.dropout_position", quoted(model.dropoutPosition)},
      {"model.norm", quoted(model.norm)},
      {"model.order", quoted(model.order)},
      {"model.learn_epsilon", flag(model.learnEpsilon)},
      {"model.heads", whole(model.heads)},
      {"training.epochs", whole(training.epochs)},
      {"training.optimizer", quoted(training.optimizer)},
      {"training.learning_rate", real(training.learningRate)},
      {"training.weight_decay", real(training.weightDecay)},
      {"training.loss", quoted(training.loss)},
      {"training.seed", whole(training.seed)},
      {"training.evaluate_every", whole(training.evaluateEvery)},
      {"training.initial_weights", quoted(training.initialWeights)},
      {"training.repeat", whole(training.repeat)},
      {"cluster.workers", whole(cluster.workers)},
      {"cluster.threads", whole(cluster.threads)},
      {"cluster.launcher", quoted(cluster.launcher)},
      {"cluster.hosts", "[" + hosts + "]"},
      {"cluster.link", link.front() == '{' ? link : quoted(link)},
      {"cluster.silence_s", whole(cluster.silenceS)},
      {"cluster.wire", wire.front() == '{' ? wire : quoted(wire)},
      {"partition.method", quoted(partition.method)},
      {"partition.imbalance", real(partition.imbalance)},
      {"record.spans", quoted(spansText(record.spansEvery))},
      {"record.staleness", whole(record.staleness)},
  };
  if (cluster.link.emulated()) {
    all["cluster.link.bandwidth_gbit"] = real(cluster.link.bandwidthGbit);
    all["cluster.link.latency_us"] = real(cluster.link.latencyUs);
    if (cluster.link.stagingGbit > 0) all["cluster.link.staging_gbit"] = real(cluster.link.stagingGbit);
    if (cluster.link.ranksPerHost > 0) {
      all["cluster.link.per"] = quoted("host");
      all["cluster.link.ranks_per_host"] = whole(cluster.link.ranksPerHost);
    }
  }
  if (cluster.wire.emulated()) {
    all["cluster.wire.bandwidth_gbit"] = real(cluster.wire.bandwidthGbit);
    all["cluster.wire.latency_us"] = real(cluster.wire.latencyUs);
  }
  for (const auto& [key, value] : parameters) all["run." + key] = toText(value);
  for (const auto& [key, value] : partition.parameters) all["partition." + key] = toText(value);
  return all;
}

std::map<std::string, std::string> SimulateSettings::flat() const {
  std::map<std::string, std::string> all = sections;
  all["simulate.kind"] = toText(Value(kind));
  const auto dotted = [](const std::string& key) {
    return key.find('.') == std::string::npos ? "simulate." + key : key;
  };
  for (const auto& [key, value] : own) {
    all[dotted(key)] = toText(value);
    if (const LinkSettings& link = run.cluster.link;
        (key == "link" || key.ends_with(".link")) && link.emulated()) {
      all[dotted(key) + ".bandwidth_gbit"] = toText(link.bandwidthGbit);
      all[dotted(key) + ".latency_us"] = toText(link.latencyUs);
    }
  }
  for (const auto& [key, value] : run.parameters) all["simulate." + key] = toText(value);
  for (const auto& [section, set] : figures) {
    all[section + ".model"] = toText(Value(set.model));
    for (const auto& [key, value] : set.figures) all[section + "." + key] = toText(value);
  }
  if (!library.empty()) all["simulate.library"] = toText(Value(library));
  return all;
}

Problem SimulateSettings::placed(Problem problem) const {
  if (!problem.file.empty() || places.empty()) return problem;
  auto found = places.find(problem.key);
  if (problem.key == "dataset.name" && found == places.end()) found = places.find("dataset.path");
  const bool written = found != places.end();
  Problem at = written ? found->second : places.at("");
  if (!written) at.key = problem.key;
  at.message = std::move(problem.message);
  return at;
}

std::string SimulateSettings::fingerprint() const { return simulationFingerprint(flat()); }

std::string RunSettings::fingerprint() const { return trainingFingerprint(flat()); }

}  // namespace halo
