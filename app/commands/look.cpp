#include "app/commands/look.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/commands/progress.h"
#include "app/program/places.h"
#include "datasets/dataset_counts.h"
#include "datasets/locate.h"
#include "engine/base/problem.h"
#include "engine/run/launch/launcher.h"
#include "engine/run/launch/look_there.h"

namespace halo {
namespace {

/// What was found of all experiments.
struct Everything {
  std::vector<Problem> wrong;
  std::vector<std::string> damaged, remarks;  // each line once
};

void addOnce(const std::vector<std::string>& lines, std::vector<std::string>& all) {
  for (const std::string& line : lines)
    if (std::ranges::find(all, line) == all.end()) all.push_back(line);
}

/// The runs whose rank 0 is at one place, and the experiments they stand in.
struct Place {
  std::vector<RunSettings> runs;
  std::vector<const Experiment*> experiments;
};

std::map<std::string, Place> placesOf(const std::vector<Experiment>& experiments) {
  std::map<std::string, Place> places;
  for (const Experiment& experiment : experiments)
    for (const RunSettings& run : experiment.runs) {
      const ClusterSettings& cluster = run.cluster;
      Place& place = places[cluster.launcher == "local"
                                ? ""
                                : fmt::format("{} {}", cluster.launcher, fmt::join(cluster.hosts, ","))];
      place.runs.push_back(run);
      place.experiments.push_back(&experiment);
    }
  return places;
}

void lookAtRuns(const std::vector<Experiment>& experiments, const RunPlaces& places, bool dryRun,
                const Common& common, const Progress& progress, Everything& all) {
  for (const auto& [name, place] : placesOf(experiments)) {
    std::vector<LookFound> results;
    try {
      results = name.empty() ? look(place.runs, progress)
                             : lookThere(place.runs, siblingProgram("haloscope-worker"), progress);
    } catch (const EnvironmentError& error) {
      if (name.empty() || !dryRun) throw;
      if (!common.quiet)
        say(fmt::format("what launcher {} reads was not looked at: {}\n", name, error.what()));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Experiment& experiment = *place.experiments[i];
      for (const Problem& problem : results[i].wrong)
        note(experiment, places.placed(experiment, place.runs[i], problem), all.wrong);
      addOnce(results[i].damaged, all.damaged);
      addOnce(results[i].remarks, all.remarks);
    }
  }
}

void lookAtSimulations(const std::vector<Experiment>& experiments, Everything& all) {
  for (const Experiment& experiment : experiments)
    for (const SimulateSettings& simulation : experiment.simulations) try {
        const auto graph = simulation.own.find("graph");  // its figures stand for a data set
        const bool figures = graph != simulation.own.end() && graph->second != Value(std::string());
        if (figures || simulation.run.dataset.name.empty()) continue;
        if (const auto counts = datasetCounts(simulation.run.dataset))
          for (const std::string& remark : counts->remarks)
            addOnce({calledName(simulation.run.dataset.name) + ": " + remark}, all.remarks);
      } catch (const InputError& error) {
        for (const Problem& problem : error.problems())
          note(experiment, simulation.placed(problem), all.wrong);
      } catch (const DamagedInput& error) {
        addOnce({error.what()}, all.damaged);
      }
}

}  // namespace

void note(const Experiment& experiment, Problem problem, std::vector<Problem>& problems) {
  if (problem.file.empty()) problem.file = experiment.file.string();
  const auto same = [&](const Problem& earlier) { return describe(earlier) == describe(problem); };
  if (std::ranges::none_of(problems, same)) problems.push_back(std::move(problem));
}

std::set<std::string> lookFirst(const std::vector<Experiment>& experiments, const RunPlaces& places,
                                const Common& common, bool dryRun) {
  Everything all;
  {
    ProgressBar bar(common);
    const Progress progress = bar.progress();
    lookAtRuns(experiments, places, dryRun, common, progress, all);
    lookAtSimulations(experiments, all);
  }
  if (!common.quiet)
    for (const std::string& remark : all.remarks) say(remark + "\n");
  if (!all.wrong.empty()) {
    for (const std::string& text : all.damaged) all.wrong.push_back({.message = text});
    throw InputError(std::move(all.wrong));
  }
  if (!all.damaged.empty())
    throw DamagedInput(Problem{.message = fmt::format("{}", fmt::join(all.damaged, "\n"))});
  return {all.remarks.begin(), all.remarks.end()};
}

void requireLaunchable(const Common& common, const std::vector<Experiment>& experiments) try {
  const auto worker = siblingProgram("haloscope-worker");
  std::set<std::string> tried;
  for (const Experiment& experiment : experiments)
    for (const RunSettings& run : experiment.runs) {
      const ClusterSettings& cluster = run.cluster;
      const std::string place =
          fmt::format("{} {} {}", cluster.launcher, cluster.workers, fmt::join(cluster.hosts, ","));
      if (tried.insert(place).second) launchWorkers(run, worker);
    }
} catch (const EnvironmentError& error) {
  tellUnrecorded(common, error);
  throw;
}

}  // namespace halo
