#include "views/scene/scene_data.h"

#include <algorithm>
#include <memory>

#include "engine/record/analysis/pairing.h"
#include "engine/record/analysis/unlike.h"
#include "engine/record/tables/runs.h"
#include "views/scene/chip_names.h"

namespace halo {

namespace {

using Recordings = std::map<QString, std::unique_ptr<Database>>;

Database& opened(Recordings& recordings, const QString& file) {
  std::unique_ptr<Database>& recording = recordings[file];
  if (!recording) recording = openToShow(file.toStdString());
  return *recording;
}

/// What all of the runs have, as the mean.
std::map<std::string, double> meansOf(Database& recording, const std::vector<RunRow>& runs) {
  std::map<std::string, double> means;
  std::map<std::string, std::size_t> counts;
  for (const RunRow& run : runs)
    for (const auto& [key, value] : Runs(recording).latest(run.id)) {
      means[key] += value / static_cast<double>(runs.size());
      ++counts[key];
    }
  std::erase_if(means, [&](const auto& mean) { return counts[mean.first] < runs.size(); });
  return means;
}

/// Throws where one of its runs is not there.
Configuration configurationOf(Database& recording, const Chip& chip) {
  Configuration configuration{&recording, {}, {}};
  for (const std::int64_t id : chip.runs) {
    const auto run = Runs(recording).find(id);
    if (!run) throw RecordError(recording.file().string() + ": there is no run " + std::to_string(id));
    configuration.runs.push_back(*run);
  }
  configuration.parameters = withoutChance(Runs(recording).parameters(chip.runs.front()));
  return configuration;
}

}  // namespace

SceneData readSceneData(const SceneState& state) {
  SceneData data;
  data.state = state;
  Recordings recordings;
  std::vector<Configuration> configurations;
  std::vector<ChipFacts> facts;
  for (const Chip& chip : state.chips) {
    ChipData& read = data.chips.emplace_back();
    read.chip = chip;
    facts.push_back({chip.recording, chip.runs, "", 1, {}});
    try {
      Database& recording = opened(recordings, chip.recording);
      const Configuration configuration = configurationOf(recording, chip);
      read.runs = configuration.runs;
      read.latest = meansOf(recording, read.runs);
      read.modelled = read.runs.front().kind == "simulation";
      if (read.runs.size() == 1)
        read.replay = replayOf(recording, read.runs.front(), configuration.parameters, read.latest);
      facts.back().method = read.runs.front().method;
      facts.back().workers = trainingWorkers(read.runs.front(), read.latest).value_or(0);
      facts.back().parameters = configuration.parameters;
      configurations.push_back(configuration);
      data.compared.push_back(data.chips.size() - 1);
    } catch (const std::exception& error) {
      read.problem = QString::fromUtf8(error.what());
    }
  }
  const QStringList names = chipNames(facts);
  for (std::size_t i = 0; i < data.chips.size(); ++i) data.chips[i].name = names[static_cast<qsizetype>(i)];
  if (configurations.empty()) return data;
  data.comparison = compareConfigurations(configurations, state.epochs, state.accuracy);
  if (configurations.size() < 2) return data;
  data.fairness = objections(configurations);
  std::vector<ComparedRun> firsts;
  for (const Configuration& each : configurations) firsts.push_back({each.runs.front(), each.parameters});
  data.unlike = unlikeSentence(firsts);
  return data;
}

bool comesToTheSame(const SceneState& a, const SceneState& b) {
  const auto sameRuns = [](const Chip& first, const Chip& second) {
    return first.recording == second.recording && first.runs == second.runs && first.color == second.color;
  };
  return std::ranges::equal(a.chips, b.chips, sameRuns) && a.epochs == b.epochs && a.accuracy == b.accuracy;
}

bool isStale(const SceneData& data, const QString& recording, const std::vector<RunRow>& rows) {
  for (const ChipData& chip : data.chips)
    for (const RunRow& read : chip.runs) {
      if (chip.chip.recording != recording) continue;
      const auto now = std::ranges::find(rows, read.id, &RunRow::id);
      if (now == rows.end() || now->status != read.status) return true;
    }
  return false;
}

std::vector<std::vector<std::int64_t>> chipsOf(const std::string& recording,
                                               const std::vector<std::int64_t>& runs) {
  const auto database = openToShow(recording);
  std::vector<RunRow> rows;
  for (const std::int64_t id : runs)
    if (const auto run = Runs(*database).find(id)) rows.push_back(*run);
  std::vector<std::vector<std::int64_t>> chips;
  for (const Configuration& configuration : configurationsOf(*database, rows)) {
    std::vector<std::int64_t>& chip = chips.emplace_back();
    for (const RunRow& run : configuration.runs) chip.push_back(run.id);
  }
  return chips;
}

std::vector<std::int64_t> lastChipOf(const std::string& recording) {
  const auto database = openToShow(recording);
  const std::vector<RunRow> rows = Runs(*database).all();
  if (rows.empty()) throw RecordError(recording + ": holds no runs yet, so none can be compared");
  for (const Configuration& configuration : configurationsOf(*database, rows)) {
    std::vector<std::int64_t> chip;
    for (const RunRow& run : configuration.runs) chip.push_back(run.id);
    if (std::ranges::find(chip, rows.back().id) != chip.end()) return chip;
  }
  return {rows.back().id};
}

}  // namespace halo
