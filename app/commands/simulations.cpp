#include "app/commands/simulations.h"

#include <chrono>
#include <new>
#include <optional>

#include "app/commands/command.h"
#include "engine/base/host_name.h"
#include "engine/base/problem.h"
#include "engine/record/tables/read_back.h"
#include "engine/record/tables/runs.h"
#include "engine/run/supervisor/unrecorded.h"
#include "simulator/contract/record.h"

namespace halo {
namespace {

constexpr std::chrono::milliseconds kBetweenWords{50};  // of progress: it is asked before every tile

/// Somebody asked to stop.
struct Stopped {};

}  // namespace

std::vector<RunSettings> simulatedMethods(const Experiment& experiment) {
  std::vector<RunSettings> runs;
  for (const SimulateSettings& simulation : experiment.simulations) {
    const auto* kind = find<sim::SimulationEntry>(simulation.kind);
    if (kind == nullptr || !kind->ofMethods) continue;
    runs.push_back(simulation.run);
    runs.back().cluster.workers = simulation.own.integer("workers");
  }
  return runs;
}

RunOutcome simulateRun(Database& database, std::int64_t experimentId, const SimulateSettings& request,
                       const sim::Resources& resources, const SuperviseOptions& options,
                       RunObserver& observer) {
  SimulateSettings settings = request;
  std::optional<InputError> refused;
  try {
    sim::resolve(settings, database);
  } catch (const InputError& error) {
    refused = error;
  }
  RunOutcome outcome{sim::beginRun(database, experimentId, settings, options.tags, hostName()), "completed",
                     "", 0};
  Extent extent(database.file());
  Runs runs(database);
  RunRow row = *runs.find(outcome.run);
  observer.onStart(row);
  const auto ended = [&](const char* status, const std::string& error, int exitStatus) {
    outcome = {outcome.run, status, error, exitStatus};
    runs.setStatus(outcome.run, status, error);
  };
  try {
    if (refused) throw InputError(*refused);
    std::chrono::steady_clock::time_point lastReport;
    const auto progress = [&](const std::string& step, double share) {
      if (options.stop != nullptr && options.stop->load() > 0) throw Stopped();
      const auto now = std::chrono::steady_clock::now();
      if (now - lastReport < kBetweenWords) return;
      lastReport = now;
      observer.onProgress(row, step, share);
    };
    sim::completeRun(database, outcome.run, sim::runSimulation(settings, {resources, &database}, progress));
    if (const auto run = runs.find(outcome.run)) requireRecorded(database, *run);
  } catch (const Stopped&) {
    ended("cancelled", "stopped before it was done", options.cancelledStatus());
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) problem = settings.placed(std::move(problem));
    ended("failed", InputError(std::move(problems)).what(), 2);
  } catch (const DamagedInput& error) {
    ended("failed", error.what(), 4);
  } catch (const EnvironmentError& error) {
    ended("failed", error.what(), 5);
  } catch (const std::bad_alloc&) {
    ended("failed", "memory does not suffice for the graph; tiling = \"statistics\" needs none", 5);
  } catch (const RecordError& error) {
    outcome = endUnrecorded(database, outcome.run, error, extent);
  } catch (const std::exception& error) {  // a bug of ours: the row must not say "running" for ever
    ended("failed", error.what(), 1);
  }
  if (const auto now = runs.find(outcome.run)) row = *now;
  observer.onFinish(row, outcome);
  return outcome;
}

}  // namespace halo
