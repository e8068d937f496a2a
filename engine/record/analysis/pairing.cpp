#include "engine/record/analysis/pairing.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace halo {
namespace {

using Parameters = std::map<std::string, std::string>;

const std::string* valueOf(const Parameters& parameters, const std::string& key) {
  const auto parameter = parameters.find(key);
  return parameter == parameters.end() ? nullptr : &parameter->second;
}

bool contradict(const std::string* a, const std::string* b) {
  return a != nullptr && b != nullptr && *a != *b;
}

/// Numbers of deleted runs may have been given again; the fingerprint tells, quoted as a text of a parameter.
bool isReplayOf(const PairedRun& simulated, const std::string& number, const RunRow& measured) {
  if (std::to_string(measured.id) != number) return false;
  const std::string* replayed = valueOf(simulated.parameters, "simulate.replayed_fingerprint");
  return replayed == nullptr || *replayed == '"' + measured.fingerprint + '"';
}

/// The key of a run that says the same as this one of a simulation; "": none does.
std::string keyOfRuns(const std::string& key) {
  constexpr std::string_view kOwn = "simulate.";
  if (key.starts_with("model.") || key.starts_with("dataset.") || key.starts_with("partition.")) return key;
  if (key == "training.seed") return key;  // partitions are drawn by it
  return key.starts_with(kOwn) ? "run." + key.substr(kOwn.size()) : "";
}

bool ofOneSetting(const Parameters& simulated, const Parameters& measured) {
  for (const auto& [key, value] : simulated)
    if (const std::string other = keyOfRuns(key);
        !other.empty() && contradict(&value, valueOf(measured, other)))
      return false;
  const std::string *graph = valueOf(simulated, "simulate.graph"),
                    *scale = valueOf(measured, "dataset.scale");
  const bool published = graph != nullptr && *graph != "\"\"";
  return !published || scale == nullptr || *scale == "1.0" || *scale == "1";
}

/// 0 where it is not recorded, as links are where they have no such figure; NaN where it is no number.
double figureOf(const Parameters& parameters, const std::string& key) {
  const std::string* text = valueOf(parameters, key);
  if (text == nullptr) return 0;
  double value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc() && end == text->data() + text->size() ? value : std::nan("");
}

bool alike(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

/// Machines of this kind are links that runs can be emulated with, so the run's own tells.
bool emulates(const Parameters& simulated) {
  const std::string* cluster = valueOf(simulated, "simulate.cluster");
  if (cluster == nullptr) return false;
  const std::size_t folder = cluster->find_last_of('/');
  return cluster->substr(folder == std::string::npos ? 1 : folder + 1).starts_with("emulated-");
}

/// Of whose ranks each has a card, nothing is recorded.
double ranksACard(const Parameters& parameters, const std::string& key) {
  return valueOf(parameters, key) == nullptr ? 1 : figureOf(parameters, key);
}

/// Whether the run had the link that the machine stands for. Other machines are nothing that a run here
/// could have been on, and a recording without the link says nothing.
bool onOneLink(const Parameters& simulated, const Parameters& measured) {
  if (!emulates(simulated) || valueOf(measured, "cluster.link") == nullptr) return true;
  constexpr double kGbit = 8;  // of a GB
  return alike(figureOf(simulated, "machine.gb_per_s") * kGbit,
               figureOf(measured, "cluster.link.bandwidth_gbit")) &&
         alike(figureOf(simulated, "machine.wire_us"), figureOf(measured, "cluster.link.latency_us")) &&
         alike(figureOf(simulated, "machine.staging_out_gb_per_s") * kGbit,
               figureOf(measured, "cluster.link.staging_gbit")) &&
         alike(ranksACard(simulated, "machine.ranks_per_node"),
               ranksACard(measured, "cluster.link.ranks_per_host"));
}

/// Ranks on each of `cluster.hosts`, which take them in order, as many as their slots; a name alone has one.
std::optional<std::int64_t> ranksAHost(const Parameters& parameters, std::int64_t workers) {
  const std::string* hosts = valueOf(parameters, "cluster.hosts");
  if (hosts == nullptr) return std::nullopt;
  std::optional<std::int64_t> each;
  for (std::size_t at = hosts->find('"'); at != std::string::npos && workers > 0;) {
    const std::size_t end = hosts->find('"', at + 1);
    if (end == std::string::npos) return std::nullopt;
    const std::string host = hosts->substr(at + 1, end - at - 1);
    const std::size_t colon = host.find(':');
    const std::int64_t slots =
        colon == std::string::npos ? 1 : std::strtoll(host.c_str() + colon + 1, nullptr, 10);
    const std::int64_t ranks = std::min(slots, workers);
    if (ranks < 1 || (each && *each != ranks)) return std::nullopt;
    each = ranks;
    workers -= ranks;
    at = hosts->find('"', end + 1);
  }
  return workers == 0 ? each : std::nullopt;  // where there are more, MPI deals them out
}

}  // namespace

std::optional<std::int64_t> trainingWorkers(const RunRow& run, const std::map<std::string, double>& metrics) {
  if (run.kind == "training") return run.workers;
  const auto workers = metrics.find("simulated_workers");  // rows of the run are lanes, maybe fewer
  if (workers == metrics.end() || !std::isfinite(workers->second)) return std::nullopt;
  return std::llround(workers->second);
}

bool onOneDataset(const RunRow& a, const Parameters& ofA, const RunRow& b, const Parameters& ofB) {
  const std::string *nameA = valueOf(ofA, "dataset.name"), *nameB = valueOf(ofB, "dataset.name");
  if (contradict(nameA, nameB)) return false;
  if (a.dataset == b.dataset) return true;
  const auto published = [](const Parameters& parameters) {
    const std::string* graph = valueOf(parameters, "simulate.graph");
    return graph != nullptr && *graph != "\"\"";
  };
  return nameA != nullptr && nameB != nullptr && !published(ofA) && !published(ofB);
}

bool isSimulationOf(const PairedRun& simulated, const PairedRun& measured) {
  const RunRow &a = simulated.run, &b = measured.run;
  if (a.kind != "simulation" || b.kind != "training") return false;
  if (const std::string* number = valueOf(simulated.parameters, "result.run"))
    return isReplayOf(simulated, *number, b);
  return a.method == b.method && onOneDataset(a, simulated.parameters, b, measured.parameters) &&
         a.model == b.model && simulated.workers && simulated.workers == measured.workers &&
         ofOneSetting(simulated.parameters, measured.parameters) &&
         (simulated.workers == 1 || onOneLink(simulated.parameters, measured.parameters));
}

const std::string& measuredEpoch(const Parameters& simulated) {
  static const std::string median = "epoch_seconds", mean = "mean_epoch_seconds";
  const std::string* unlike = valueOf(simulated, "result.unlike_epochs");
  return unlike == nullptr || *unlike == "1" ? median : mean;
}

bool simulatesLink(const Parameters& simulated) {
  return emulates(simulated) && !simulated.contains("result.run");
}

Parameters trainingSettings(const Parameters& parameters) {
  constexpr std::string_view kSections[] = {"run.", "model.", "dataset.", "partition.", "training."};
  constexpr std::string_view kNoPart[] = {"dataset.map_features", "dataset.memory_limit_gib",
                                          "training.repeat"};
  Parameters settings;
  for (const auto& [key, value] : parameters)
    if (std::ranges::any_of(kSections, [&](std::string_view section) { return key.starts_with(section); }) &&
        std::ranges::find(kNoPart, key) == std::end(kNoPart))
      settings.emplace(key, value);
  return settings;
}

std::optional<RunsNetwork> networkOf(const PairedRun& run) {
  if (run.run.kind != "training" || run.workers.value_or(1) < 2) return std::nullopt;
  for (const bool emulated : {true, false}) {
    const char* key = emulated ? "cluster.link.bandwidth_gbit" : "cluster.wire.bandwidth_gbit";
    const double gbit = figureOf(run.parameters, key);
    if (!(gbit > 0)) continue;
    if (emulated) {
      const double ranks = ranksACard(run.parameters, "cluster.link.ranks_per_host");
      return ranks >= 1 ? std::optional(RunsNetwork{gbit, true, std::llround(ranks)}) : std::nullopt;
    }
    const auto ranks = ranksAHost(run.parameters, *run.workers);
    return ranks ? std::optional(RunsNetwork{gbit, false, *ranks}) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> emulationGap(const PairedRun& emulated, const PairedRun& measured) {
  const auto link = networkOf(emulated), wire = networkOf(measured);
  if (!link || !wire || !link->emulated || wire->emulated || emulated.workers != measured.workers ||
      link->ranksAHost != wire->ranksAHost)
    return std::nullopt;
  const RunRow &a = emulated.run, &b = measured.run;
  if (a.method != b.method || a.model != b.model ||
      !onOneDataset(a, emulated.parameters, b, measured.parameters))
    return std::nullopt;
  for (const auto& [key, value] : trainingSettings(emulated.parameters))
    if (contradict(&value, valueOf(measured.parameters, key))) return std::nullopt;
  const double gap = std::abs(link->gbit / wire->gbit - 1);
  constexpr double kRounding = 1e-9;
  return gap <= kEmulatedWithin + kRounding ? std::optional(gap) : std::nullopt;
}

}  // namespace halo
