#pragma once

#include <set>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "app/commands/run_places.h"

namespace halo {

/// Looks at everything that the runs and simulations read, before anything is started or recorded. The
/// machines that will read a data set look at it, once at every different one. Says on standard error what
/// was remarked, and returns these lines. Throws InputError or DamagedInput with all problems of all
/// experiments, those of runs where `places` has them. Throws EnvironmentError where another machine cannot
/// be asked; `dryRun` goes on without its answer and says so.
std::set<std::string> lookFirst(const std::vector<Experiment>& experiments, const RunPlaces& places,
                                const Common& common, bool dryRun);

/// Throws EnvironmentError for what would keep workers of the runs from starting, before anything is
/// recorded; with an event that says so.
void requireLaunchable(const Common& common, const std::vector<Experiment>& experiments);

/// The problem as one of the experiment's where it names no file, unless another of its runs has the same.
void note(const Experiment& experiment, Problem problem, std::vector<Problem>& problems);

}  // namespace halo
