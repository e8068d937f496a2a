#include <fmt/format.h>

#include "engine/experiment/read_value.h"

namespace halo {
namespace {

/// 128-bit FNV-1a, hex.
std::string digest(const std::string& text) {
  constexpr unsigned __int128 kPrime = (static_cast<unsigned __int128>(1) << 88) + 0x13B;
  unsigned __int128 hash =
      (static_cast<unsigned __int128>(0x6C62272E07BB0142ULL) << 64) + 0x62B821756295C58DULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= kPrime;
  }
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash >> 64),
                     static_cast<std::uint64_t>(hash));
}

}  // namespace

std::map<std::string, std::string> RunSettings::flat() const {
  const auto quoted = [](const std::string& text) { return toText(Value(text)); };
  const auto real = [](double number) { return toText(Value(number)); };
  const auto whole = [](auto number) { return std::to_string(number); };
  const auto flag = [](bool value) { return toText(Value(value)); };
  std::string hosts;
  for (const std::string& host : cluster.hosts) hosts += (hosts.empty() ? "" : ", ") + quoted(host);
  const std::string link = linkText(cluster.link);
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
      {"partition.method", quoted(partition.method)},
      {"partition.imbalance", real(partition.imbalance)},
      {"record.spans", quoted(spansText(record.spansEvery))},
      {"record.staleness", whole(record.staleness)},
  };
  if (cluster.link.emulated()) {
    all["cluster.link.bandwidth_gbit"] = real(cluster.link.bandwidthGbit);
    all["cluster.link.latency_us"] = real(cluster.link.latencyUs);
    if (cluster.link.stagingGbit > 0) all["cluster.link.staging_gbit"] = real(cluster.link.stagingGbit);
  }
  for (const auto& [key, value] : parameters) all["run." + key] = toText(value);
  for (const auto& [key, value] : partition.parameters) all["partition." + key] = toText(value);
  return all;
}

std::map<std::string, std::string> SimulateSettings::flat() const {
  std::map<std::string, std::string> all = {
      {"simulate.device", toText(Value(device))},
      {"simulate.accelerator", toText(Value(accelerator))},
      {"simulate.slices", std::to_string(slices)},
      {"simulate.workload", toText(Value(workload))},
      {"simulate.level", toText(Value(level))},
      {"simulate.graph", toText(Value(graph))},
      {"simulate.tiling", toText(Value(tiling))},
      {"simulate.band", toText(Value(band))},
      {"simulate.replica_scale", toText(Value(replicaScale))},
      {"model.layers", std::to_string(model.layers)},
      {"model.hidden", std::to_string(model.hidden)},
      {"dataset.seed", std::to_string(dataset.seed)},
  };
  if (graph.empty()) {
    all["dataset.name"] = toText(Value(dataset.name));
    all["dataset.format"] = toText(Value(dataset.format));
    all["dataset.scale"] = toText(Value(dataset.scale));
    all["dataset.directed"] = toText(Value(dataset.directed));
    all["dataset.features"] = toText(Value(dataset.features));
  }
  for (const auto& [key, value] : figures) all["device." + key] = toText(value);
  return all;
}

std::string SimulateSettings::fingerprint() const {
  std::string text = "simulation\n";
  for (const auto& [key, value] : flat()) text += key + " = " + value + "\n";
  return digest(text);
}

std::string RunSettings::fingerprint() const {
  std::string text;
  for (const auto& [key, value] : flat())
    if (!key.starts_with("record.") && key != "training.repeat") text += key + " = " + value + "\n";
  return digest(text);
}

}  // namespace halo
