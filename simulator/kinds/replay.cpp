// [[simulate]] replay: a recorded run's own work and messages, with other links or speeds of its workers.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>

#include "engine/base/check.h"
#include "engine/base/whole_number.h"
#include "engine/record/analysis/pairing.h"
#include "engine/record/tables/runs.h"
#include "simulator/cluster/engines/flows.h"
#include "simulator/cluster/replay/replay.h"
#include "simulator/contract/simulation_kind.h"
#include "simulator/kinds/cluster_outcome.h"

namespace halo::cluster {
namespace {

using sim::SimulationContext;
using sim::SimulationOutcome;

constexpr std::string_view kEngines[] = {"bulk", "events", "flows"};
constexpr std::string_view kOverlaps[] = {"as-it-was", "none", "all"};
constexpr Parameter kParameters[] = {
    {"replay", "number of a run of the recording that is written to, or last: the newest that completed",
     Text{"last", true}},
    {"link", "between its workers, a card each, in place of its own; none: its own, with its hosts' cards",
     Text{"none"}},
    {"rank_speed", "workers that are faster or slower, as \"3:0.5, 0:2\": worker 3 takes twice as long",
     Text{""}},
    {"cores", "that all workers share when they compute; 0: a core each", Integer{0, 0, 1'000'000}},
    {"bits", "that an element of a row travels in, coded in no time; 0: those it had", Real{0, 0, 32}},
    {"overlap",
     "none: rows are waited for once they are sent; all: every sum goes on while its rows travel, the most "
     "that can be hidden",
     Choice{"as-it-was", kOverlaps}},
    {"copy_gb_per_s",
     "of messages, copied by the processors of either side while they wait; 0: by nobody; needs engine "
     "events",
     Real{0, 0, 1e9}},
    {"look_us",
     "of a core, each time that a waiting worker wakes up to look for messages, 20 us after it last did; 0: "
     "they need no looks; needs engine events",
     Real{0, 0, 1e6}},
    {"single_copy",
     "with look_us: a message beyond 4 KB is copied once, by its receiver, as where processes may read each "
     "other's memory; else by fragments, in and out",
     Flag{true}},
    {"engine", "bulk: steps; events: a clock a worker; flows: links shared", Choice{"events", kEngines}},
    kSensitivityParameter,
};

constexpr double kSleepUs = 20;  // of engine/comm's waits behind an emulated link

struct Speed {
  std::int64_t rank = 0;
  double factor = 1;
};

bool readReal(std::string_view text, double& number) {
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && last == text.data() + text.size();
}

constexpr double kLeastSpeed = 1e-3, kMostSpeed = 1e3;

/// "3:0.5, 0:2"; what is wrong in `why`.
std::vector<Speed> speedsOf(const std::string& text, std::string& why) {
  std::vector<Speed> speeds;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    std::erase(part, ' ');
    const auto colon = part.find(':');
    Speed speed;
    const bool read = colon != std::string::npos &&
                      readWhole(std::string_view(part).substr(0, colon), speed.rank) &&
                      readReal(std::string_view(part).substr(colon + 1), speed.factor);
    if (!read || speed.rank < 0 || !(speed.factor >= kLeastSpeed && speed.factor <= kMostSpeed))
      why = fmt::format("'{}' cannot be used; WORKER:FACTOR with a factor from {} to {}, as \"3:0.5\"", part,
                        kLeastSpeed, kMostSpeed);
    else if (std::ranges::find(speeds, speed.rank, &Speed::rank) != speeds.end())
      why = fmt::format("names worker {} twice", speed.rank);
    speeds.push_back(speed);
  }
  return speeds;
}

/// In the one spelling that a fingerprint is made of.
std::string textOf(std::vector<Speed> speeds) {
  std::ranges::sort(speeds, {}, &Speed::rank);
  std::string text;
  for (const Speed& speed : speeds)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", speed.rank, speed.factor);
  return text;
}

/// The run's number; 0: the newest that completed.
std::int64_t numberIn(const std::string& text, std::string& why) {
  std::int64_t number = 0;
  if (text == "last") return 0;
  if (!readWhole(text, number) || number < 1)
    why = fmt::format("'{}' cannot be used; the number of a run (`haloscope list`), or last", text);
  return number;
}

std::vector<Problem> check(SimulateSettings& settings, const SimulationContext&) {
  std::vector<Problem> problems;
  std::string why;
  numberIn(settings.own.text("replay"), why);
  if (!why.empty()) problems.push_back({.key = "simulate.replay", .message = why});
  why.clear();
  const std::vector<Speed> speeds = speedsOf(settings.own.text("rank_speed"), why);
  if (why.empty()) settings.own["rank_speed"] = textOf(speeds);
  if (!why.empty()) problems.push_back({.key = "simulate.rank_speed", .message = why});
  if (settings.own.text("engine") != "events")
    for (const char* key : {"copy_gb_per_s", "look_us"})
      if (settings.own.real(key) > 0)
        problems.push_back(
            {.key = std::string("simulate.") + key, .message = "is known to engine events alone"});
  if (settings.own.integer("cores") > 0 && settings.own.text("engine") == "flows")
    problems.push_back(
        {.key = "simulate.engine", .message = "'flows' has a core for every worker; events or bulk"});
  return problems;
}

[[noreturn]] void refuse(const SimulateSettings& settings, const char* key, const std::string& why) {
  throw InputError(settings.placed({.key = std::string("simulate.") + key, .message = why}));
}

RunRow chosenRun(Database& database, const SimulateSettings& settings, const std::string& choice) {
  const std::string recording = database.file().string();
  std::string why;
  const std::int64_t number = numberIn(choice, why);
  const Runs runs(database);
  if (number > 0) {
    const auto run = runs.find(number);
    if (!run)
      refuse(settings, "replay", fmt::format("run {} is not in {}; see `haloscope list`", number, recording));
    if (run->kind != "training")
      refuse(settings, "replay", fmt::format("run {} is a simulation; replayed is what trained", number));
    return *run;
  }
  std::optional<RunRow> newest;
  for (const RunRow& run : runs.all())
    if (run.kind == "training" && run.status == "completed" && (!newest || run.id > newest->id)) newest = run;
  if (!newest)
    refuse(settings, "replay", "'last' needs a training run that completed, and " + recording + " has none");
  return *newest;
}

/// On several hosts, emulated or real.
bool hasHosts(const std::optional<RunsNetwork>& network) {
  return network && (!network->emulated || network->ranksAHost > 1);
}

/// What is no number is told when the run is read.
bool hasLink(const std::optional<RunsNetwork>& network,
             const std::map<std::string, std::string>& parameters) {
  const auto bandwidth = parameters.find("cluster.link.bandwidth_gbit");
  double gbit = 0;
  return network || (bandwidth != parameters.end() && !readReal(bandwidth->second, gbit));
}

/// Refuses what a replay on the run's own link would need, and the recording has not.
void refuseLink(const SimulateSettings& settings, const RunRow& run,
                const std::map<std::string, std::string>& parameters) {
  if (run.workers == 1 || settings.run.cluster.link.emulated()) return;
  const std::optional<RunsNetwork> network = networkOf({run, parameters, run.workers});
  if (!hasLink(network, parameters))
    refuse(
        settings, "link",
        fmt::format("run {} had no emulated link whose figures are known, and no cluster.wire between hosts "
                    "of equally many workers; name one in link",
                    run.id));
  if (hasHosts(network) && settings.own.integer("cores") > 0)
    refuse(settings, "cores",
           fmt::format("are of one host, and the workers of run {} were on several; leave it out, or name a "
                       "link in link",
                       run.id));
}

/// The name of the simulation with the run in the place of "last".
std::string nameWithRun(const std::string& name, const std::string& choice, std::int64_t run) {
  const std::string word = " / " + choice;
  const std::size_t at = name.find(word);
  const bool wholeWord =
      at != std::string::npos && (at + word.size() == name.size() || name[at + word.size()] == ' ');
  return wholeWord ? name.substr(0, at) + fmt::format(" / run {}", run) + name.substr(at + word.size())
                   : name;
}

/// The run by its number, whatever was asked for, and of it what a simulation's row says.
bool resolve(SimulateSettings& settings, Database& database, bool runsToCome) {
  const std::string choice = settings.own.text("replay");
  std::string why;
  if (const std::int64_t number = numberIn(choice, why);
      runsToCome && (number == 0 || !Runs(database).find(number)))
    return false;
  const RunRow run = chosenRun(database, settings, choice);
  const auto parameters = Runs(database).parameters(run.id);
  for (const Speed& speed : speedsOf(settings.own.text("rank_speed"), why))
    if (speed.rank >= run.workers)
      refuse(
          settings, "rank_speed",
          fmt::format("worker {} is none of run {}, which has {}, from 0", speed.rank, run.id, run.workers));
  refuseLink(settings, run, parameters);
  settings.name = nameWithRun(settings.name, choice, run.id);
  settings.own["replay"] = std::to_string(run.id);
  settings.run.method = run.method;
  settings.run.model.kind = run.model;
  for (const auto& [key, value] : parameters)
    if (key.starts_with("dataset.") || key.starts_with("model.")) settings.sections[key] = value;
  // numbers of deleted runs are given again
  settings.sections["simulate.replayed_fingerprint"] = toText(Value(run.fingerprint));
  return true;
}

/// As its run, once that is known.
std::string method(const SimulateSettings& settings) {
  return settings.sections.contains("simulate.replayed_fingerprint") ? settings.run.method : "replay";
}

Machine machineFor(const SimulateSettings& settings, const Replay& replay) {
  const LinkSettings& chosenLink = settings.run.cluster.link;
  const LinkSettings& link = chosenLink.emulated() ? chosenLink : replay.link;
  if (!link.emulated())
    return machineOf({"none", 1, 0, 0}, settings.own.integer("cores"));  // nothing travels
  Machine machine = machineOf(link, settings.own.integer("cores"));
  machine.name = chosenLink.emulated() ? link.name : "its own link";
  machine.messageCopyGbPerS = settings.own.real("copy_gb_per_s");
  if (settings.own.real("look_us") > 0) machine.looks = {kSleepUs, settings.own.real("look_us")};
  machine.looks.singleCopy = settings.own.flag("single_copy");
  return machine;
}

std::vector<double> speedOf(const SimulateSettings& settings, int ranks) {
  std::string why;
  const std::vector<Speed> speeds = speedsOf(settings.own.text("rank_speed"), why);
  std::vector<double> all(static_cast<std::size_t>(ranks), 1.0);
  for (const Speed& speed : speeds) all.at(static_cast<std::size_t>(speed.rank)) = speed.factor;
  return speeds.empty() ? std::vector<double>() : all;
}

ReplayChange changeOf(const SimulateSettings& settings) {
  const auto overlap = std::ranges::find(kOverlaps, settings.own.text("overlap"));
  return {static_cast<ReplayChange::Overlap>(overlap - std::begin(kOverlaps)), settings.own.real("bits")};
}

SimulationOutcome run(const SimulateSettings& settings, const SimulationContext& context,
                      const halo::Progress& progress) {
  HALO_CHECK(context.recording != nullptr);
  std::string why;
  const std::int64_t number = numberIn(settings.own.text("replay"), why);
  HALO_CHECK(number > 0);  // resolved
  if (progress) progress(fmt::format("reading run {}", number), 0);
  const Replay replay = replayOf(*context.recording, number, changeOf(settings));
  const Machine machine = machineFor(settings, replay);
  const Engine engine = engineNamed(settings.own.text("engine"), replay.cycle.first());
  SimulateOptions options;
  options.rankSpeed = speedOf(settings, replay.cycle.first().ranks);
  options.lanes = kShownRanks;
  options.progress = progress;
  const ClusterResult result = simulateCycle(replay.cycle, machine, engine, options);
  SimulationOutcome outcome = outcomeOf(replay.cycle, machine, result);
  options.lanes = 0;
  if (const double factor = settings.own.real("sensitivity"); factor > 0)
    addSensitivity(sensitivity(replay.cycle, machine, engine, options, factor), outcome);
  outcome.metrics["replayed_epoch_seconds"] = replay.measured.epochNs * 1e-9;
  outcome.parameters["result.run"] = std::to_string(number);
  outcome.parameters["result.method"] = replay.cycle.first().method;
  outcome.parameters["result.machine"] = machine.name;
  outcome.parameters["result.gb_per_s"] = fmt::format("{}", machine.between.gbPerS);
  outcome.parameters["result.wire_us"] = fmt::format("{}", machine.between.wireUs);
  return outcome;
}

std::vector<Metric> metricsOfReplays() {
  std::vector<Metric> all = clusterMetrics();
  std::erase_if(all, [](const Metric& metric) {  // what one worker would take is not replayed
    return metric.key == "simulated_speedup" || metric.key == "simulated_efficiency";
  });
  all.push_back({"replayed_epoch_seconds", "replayed run: epoch, median", Metric::Unit::seconds,
                 "median epoch of the recorded run, of those that the plan is made of"});
  return all;
}

const Registered<sim::SimulationEntry> self{
    {.declaration = {"replay", "a recorded run's work and messages, on other links or workers",
                     "resources/design/simulator.md, Clusters", kParameters},
     .method = method,
     .check = check,
     .resolve = resolve,
     .run = run,
     .metrics = metricsOfReplays()}};

}  // namespace
}  // namespace halo::cluster
