#include "app/commands/run_places.h"

#include "app/program/known.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Whether a run that is being read becomes this one, perhaps as one of its repeats.
bool becomes(const RunSettings& read, const RunSettings& run) {
  return read.name == run.name || run.name.starts_with(read.name + " / seed=");
}

}  // namespace

Problem RunPlaces::placed(const Experiment& experiment, const RunSettings& run,
                          const Problem& problem) const {
  if (!problem.file.empty()) return problem;
  Known known = knownHere();
  known.makeAlike = nullptr;
  bool reported = false;
  known.refusals = [&](const RunSettings& read) -> std::vector<Problem> {
    if (reported || !becomes(read, run)) return {};
    reported = true;
    return {problem};
  };
  try {
    parseExperiment(experiment.text, experiment.file, known, set_);
  } catch (const InputError& error) {
    for (const Problem& place : error.problems())
      if (place.message == problem.message) return place;
  }
  return problem;
}

}  // namespace halo
