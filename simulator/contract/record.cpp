#include "simulator/contract/record.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "datasets/locate.h"
#include "engine/record/tables/components.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"

namespace halo::sim {
namespace {

std::map<std::string, std::string> parametersOf(const SimulateSettings& settings) {
  std::map<std::string, std::string> all = settings.flat();
  for (const auto& [section, set] : settings.figures)
    for (const auto& [key, source] : set.sources) all[section + "." + key + ".source"] = source;
  return all;
}

std::string resolved(const SimulateSettings& settings, const char* key) {
  const auto setting = settings.sections.find(key);
  if (setting == settings.sections.end()) return "";
  const std::string& text = setting->second;
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

/// The published figures of a graph stand for a data set.
std::string datasetOf(const SimulateSettings& settings) {
  if (const auto graph = settings.own.find("graph"); graph != settings.own.end())
    if (const auto* name = std::get_if<std::string>(&graph->second); name != nullptr && !name->empty())
      return *name;
  return calledName(resolved(settings, "dataset.name"));  // as a run's row says
}

}  // namespace

std::int64_t beginRun(Database& database, std::int64_t experiment, const SimulateSettings& settings,
                      const std::string& tags, const std::string& host) {
  RunRow row;
  row.experimentId = experiment;
  row.name = settings.name;
  row.kind = "simulation";
  row.method = methodOf(settings);
  row.dataset = datasetOf(settings);
  row.model = settings.run.model.kind;
  row.seed = static_cast<std::int64_t>(settings.run.dataset.seed);
  row.marks = "simulated";
  row.host = host;
  row.version = HALO_VERSION;
  row.supervisorPid = ::getpid();
  row.fingerprint = settings.fingerprint();
  row.tags = tags;
  Transaction transaction(database);
  Runs runs(database);
  const std::int64_t id = runs.add(row);
  runs.setParameters(id, parametersOf(settings));
  runs.setStatus(id, "running");
  transaction.commit();
  return id;
}

void completeRun(Database& database, std::int64_t run, const SimulationOutcome& outcome) {
  Transaction transaction(database);
  Runs runs(database);
  if (auto row = runs.find(run)) {
    for (const std::string& mark : outcome.marks) row->marks += ", " + mark;
    row->workers =
        std::max<std::int64_t>(1, std::ssize(outcome.lanes));  // rows of the timeline, as everywhere
    runs.update(*row);
  }
  runs.setParameters(run, outcome.parameters);
  runs.setLatest(run, outcome.metrics);
  Components(database).append(run, outcome.components);
  Iterations(database).append(run, outcome.batches);
  Hybrid(database).setActors(run, outcome.actors);
  Hybrid(database).append(run, outcome.batches);
  for (const ArtifactRow& artifact : outcome.artifacts) runs.addArtifact(run, artifact);
  std::vector<WorkerRow> workers;
  for (std::size_t i = 0; i < outcome.lanes.size(); ++i) {
    const SimulatedLane& lane = outcome.lanes[i];
    workers.push_back(lane.worker);
    workers.back().rank = static_cast<std::int64_t>(i);
    if (!lane.spans.empty()) Spans(database).append(run, static_cast<std::int64_t>(i), lane.spans);
  }
  runs.setWorkers(run, workers);
  runs.setStatus(run, "completed");
  transaction.commit();
}

}  // namespace halo::sim
