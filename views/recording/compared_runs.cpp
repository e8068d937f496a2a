#include "views/recording/compared_runs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "engine/base/median.h"
#include "engine/record/analysis/unlike.h"
#include "views/recording/runs_model.h"

namespace halo {

namespace {

bool isMarked(const RunRow& run, const QString& mark) {
  for (const QString& each : QString::fromStdString(run.marks).split(',', Qt::SkipEmptyParts))
    if (each.trimmed().startsWith(mark)) return true;
  return false;
}

bool trains(const RunsData& data, const RunRow& run) {
  return metricOf(data, run, "epoch_seconds").value_or(0) > 0 && trainingWorkers(data, run).value_or(0) > 0;
}

/// What all of them have need not be said of each.
struct Differences {
  explicit Differences(const std::vector<const RunRow*>& runs) {
    std::set<std::string> sets, kinds;
    for (const RunRow* run : runs) sets.insert(run->dataset), kinds.insert(run->model);
    dataset = sets.size() > 1, model = kinds.size() > 1;
  }
  bool dataset = false, model = false;
};

/// Of the model and the data, as far as it is known here.
std::map<std::string, std::string> modelAndData(const RunsData& data, const RunRow& run) {
  std::map<std::string, std::string> settings;
  for (const auto& [key, value] : parametersOf(data, run))
    if (key.starts_with("model.") || key.starts_with("dataset.")) settings.emplace(key, value);
  return settings;
}

QString settingsOf(const RunsData& data, const RunRow& run) {
  std::string text;
  for (const auto& [key, value] : modelAndData(data, run)) text += " " + key + "=" + value;
  return QString::fromStdString(text);
}

/// What runs of one name have, by key.
using SettingsOfName = std::map<std::string, std::set<std::string>>;

/// ", hidden=64" where others of the run's name have another.
QString settingsApart(const RunsData& data, const RunRow& run, const SettingsOfName& alike) {
  QString text;
  for (const auto& [key, value] : modelAndData(data, run))
    if (alike.at(key).size() > 1)
      text += QString::fromStdString(", " + key.substr(key.find('.') + 1) + "=" + value);
  return text;
}

std::string resultOf(const RunsData& data, const RunRow& run, const char* key) {
  const auto parameter = parametersOf(data, run).find(key);
  return parameter == parametersOf(data, run).end() ? "" : parameter->second;
}

/// What a run or simulation is drawn by, beside its method and number of workers.
struct Place {
  QStringList varied;  // as `variation`
  QString machine;     // or the link of a replay
  QString on;          // tells machines of one name apart
  bool replayed = false;
};

/// A replay is what its run was, on the link that it puts in the place of the run's. The number of that run
/// matters only where nothing else is known of it.
Place placeOfReplay(const RunsData& data, const RunRow& replay) {
  Place place{
      variation(replay, data), QString::fromStdString(resultOf(data, replay, "result.machine")), {}, true};
  if (place.machine.isEmpty()) return {place.varied, machineOf(replay, data), {}, true};
  const auto original = std::ranges::find_if(
      data.runs, [&](const RunRow& run) { return isSimulationOf(paired(data, replay), paired(data, run)); });
  place.varied =
      (original == data.runs.end() ? QStringList(machineOf(replay, data)) : variation(*original, data)) +
      place.varied;
  place.varied.removeIf([](const QString& part) { return part.startsWith("link="); });
  const QString gbPerS = QString::fromStdString(resultOf(data, replay, "result.gb_per_s")),
                wireUs = QString::fromStdString(resultOf(data, replay, "result.wire_us"));
  place.on = " replay " + gbPerS + " " + wireUs;
  constexpr double kGbit = 8;  // of a GB
  if (place.machine == "its own link")
    place.machine += QString(" of %1 Gbit/s, %2 µs").arg(gbPerS.toDouble() * kGbit, 0, 'g', 4).arg(wireUs);
  if (place.machine == "none") place.machine.clear();  // one worker sends nothing
  return place;
}

Place placeOf(const RunsData& data, const RunRow& run) {
  if (parametersOf(data, run).contains("result.run")) return placeOfReplay(data, run);
  return {variation(run, data), machineOf(run, data), {}, false};
}

struct NamedRun {
  const RunRow* run;
  Place place;
  QString name;  // of its line, without what tells lines of one name apart
};

/// Those that are drawn.
std::vector<NamedRun> namedRuns(const RunsData& data, std::span<const std::int64_t> chosen) {
  std::vector<const RunRow*> runs = completedRuns(data, chosen);
  std::erase_if(runs, [&](const RunRow* run) { return !trains(data, *run); });
  const Differences differ(runs);
  std::vector<NamedRun> named;
  for (const RunRow* run : runs) {
    Place place = placeOf(data, *run);
    QStringList name{QString::fromStdString(run->method)};
    name << place.varied;
    if (differ.dataset) name << QString::fromStdString(run->dataset);
    if (differ.model) name << QString::fromStdString(run->model);
    named.push_back({run, std::move(place), name.join(", ")});
  }
  return named;
}

using RunsByWorkers = std::map<std::int64_t, std::vector<const RunRow*>>;

/// The medians of its repeats at each number of workers.
void addPoints(const RunsData& data, const RunsByWorkers& places, ScalingLine& line) {
  for (const auto& [workers, repeats] : places) {
    std::vector<double> seconds, speedups;
    line.runs.emplace_back();
    for (const RunRow* run : repeats) {
      seconds.push_back(*metricOf(data, *run, "epoch_seconds"));
      if (const auto speedup = metricOf(data, *run, "simulated_speedup")) speedups.push_back(*speedup);
      line.runs.back().push_back(run);
    }
    line.workers.push_back(static_cast<double>(workers));
    line.seconds.push_back(median(std::move(seconds)));
    line.speedups.push_back(speedups.size() == repeats.size() ? median(std::move(speedups)) : std::nan(""));
  }
}

}  // namespace

Origin originOf(const RunRow& run) {
  if (isMarked(run, "extrapolated")) return Origin::extrapolated;
  return run.kind == "training" ? Origin::measured : Origin::simulated;
}

const char* text(Origin origin) {
  switch (origin) {
    case Origin::measured:
      return "measured";
    case Origin::simulated:
      return "simulated";
    case Origin::extrapolated:
      return "extrapolated";
  }
  return "";
}

std::optional<double> metricOf(const RunsData& data, const RunRow& run, const char* name) {
  const auto metrics = data.latest.find(run.id);
  if (metrics == data.latest.end()) return std::nullopt;
  const auto value = metrics->second.find(name);
  if (value == metrics->second.end() || !std::isfinite(value->second)) return std::nullopt;
  return value->second;
}

std::optional<std::int64_t> trainingWorkers(const RunsData& data, const RunRow& run) {
  static const std::map<std::string, double> kNone;
  const auto metrics = data.latest.find(run.id);
  return trainingWorkers(run, metrics == data.latest.end() ? kNone : metrics->second);
}

const std::map<std::string, std::string>& parametersOf(const RunsData& data, const RunRow& run) {
  static const std::map<std::string, std::string> kNone;
  const auto parameters = data.parameters.find(run.id);
  return parameters == data.parameters.end() ? kNone : parameters->second;
}

QString unlikeSentence(const RunsData& data, const std::vector<const RunRow*>& runs) {
  static const std::map<std::string, std::string> kNone;
  std::vector<ComparedRun> compared;
  for (const RunRow* run : runs) {
    const auto keys = data.unlike.find(run->id);
    compared.push_back({*run, keys == data.unlike.end() ? kNone : keys->second});
  }
  return QString::fromStdString(unlikeSentence(compared));
}

PairedRun paired(const RunsData& data, const RunRow& run) {
  return PairedRun{run, parametersOf(data, run), trainingWorkers(data, run)};
}

std::vector<const RunRow*> completedRuns(const RunsData& data, std::span<const std::int64_t> chosen) {
  const std::set<std::int64_t> chosenIds(chosen.begin(), chosen.end());
  std::vector<const RunRow*> runs;
  for (const RunRow& run : data.runs)
    if (run.status == "completed" && (chosenIds.empty() || chosenIds.contains(run.id))) runs.push_back(&run);
  return runs;
}

QStringList variation(const RunRow& run, const RunsData& data) {
  constexpr const char* kSaidElsewhere[] = {"workers=", "seed=", "graph="};
  // other methods and names are those of something else, as of a partitioner
  const QStringList own{QString::fromStdString("method=" + run.method),
                        QString::fromStdString("name=" + run.dataset)};
  QStringList parts;
  for (const QString& part : shortRunName(run, data).split(" / "))
    if (part.contains('=') && !own.contains(part) &&
        std::ranges::none_of(kSaidElsewhere, [&](const char* key) { return part.startsWith(key); }))
      parts << part;
  return parts;
}

QString machineOf(const RunRow& run, const RunsData& data) {
  const QString first = shortRunName(run, data).section(" / ", 0, 0);
  return run.kind == "simulation" && !first.contains('=') && first.toStdString() != run.method ? first
                                                                                               : QString();
}

QString methodAndWorkers(const RunsData& data, const RunRow& run) {
  return QString("%1 ×%2")
      .arg(QString::fromStdString(run.method))
      .arg(trainingWorkers(data, run).value_or(run.workers));
}

std::vector<ScalingLine> scalingLines(const RunsData& data, std::span<const std::int64_t> chosen) {
  std::map<QString, SettingsOfName> settings;
  const std::vector<NamedRun> runs = namedRuns(data, chosen);
  for (const auto& [run, place, name] : runs)
    for (const auto& [key, value] : modelAndData(data, *run)) settings[name][key].insert(value);
  using Key = std::tuple<QString, Origin, bool, QString, QString>;
  std::map<Key, RunsByWorkers> lines;
  for (const auto& [run, place, name] : runs) {
    const QString base =
        QString::fromStdString(run->dataset + " " + run->model + " ") + place.machine + place.on;
    const QString more = settingsApart(data, *run, settings[name]);
    auto& repeats = lines[{name + more, originOf(*run), place.replayed, place.machine,
                           base + settingsOf(data, *run)}][*trainingWorkers(data, *run)];
    if (!repeats.empty() && repeats.front()->experimentId < run->experimentId) repeats.clear();
    if (repeats.empty() || repeats.front()->experimentId == run->experimentId) repeats.push_back(run);
  }
  std::vector<ScalingLine> scalingLines;
  for (const auto& [key, places] : lines) {
    ScalingLine line;
    std::tie(line.method, line.origin, line.replayed, line.machine, line.base) = key;
    addPoints(data, places, line);
    scalingLines.push_back(std::move(line));
  }
  return scalingLines;
}

std::vector<SimulatedPair> simulatedPairs(const RunsData& data, std::span<const std::int64_t> chosen) {
  const std::vector<const RunRow*> runs = completedRuns(data, chosen);
  std::vector<SimulatedPair> pairs;
  for (const RunRow* simulated : runs) {
    if (simulated->kind == "training" || !trains(data, *simulated)) continue;
    const char* epoch = measuredEpoch(parametersOf(data, *simulated)).c_str();
    const auto youngest = std::find_if(runs.rbegin(), runs.rend(), [&](const RunRow* run) {
      return trains(data, *run) && metricOf(data, *run, epoch) &&
             isSimulationOf(paired(data, *simulated), paired(data, *run));
    });
    if (youngest != runs.rend()) pairs.push_back({*youngest, simulated, epoch});
  }
  return pairs;
}

}  // namespace halo
