#pragma once

#include <span>
#include <string>
#include <vector>

#include "datasets/graph/dataset.h"
#include "datasets/load.h"
#include "engine/base/problem.h"
#include "engine/experiment/experiment.h"

namespace halo {

/// What a look at the files of a run found before anything starts.
struct LookFound {
  std::vector<Problem> wrong;        // what the experiment file says (exit status 2)
  std::vector<std::string> damaged;  // what cannot be read or does not fit (exit status 4)
  std::vector<std::string> remarks;  // "NAME: what was noticed while reading"
};

/// Looks, on this machine, at the files that rank 0 of each run will read: data set, initial weights
/// and a given partition. Element i is what was found of runs[i]; what several runs share is looked at once.
/// Throws EnvironmentError where the machine is at fault, and what `progress` throws.
std::vector<LookFound> look(std::span<const RunSettings> runs, const Progress& progress = {});

/// Throws InputError where a data set of this shape cannot be trained on as `run` says.
void requireFitting(const RunSettings& run, const DatasetShape& shape);
/// Throws DamagedInput where no vertex of this split of the set is trained on.
void requireTraining(const RunSettings& run, const DatasetShape& shape, const std::vector<Split>& split);
/// The bytes of training.initial_weights. Throws InputError where there is no such file, DamagedInput for an
/// empty one.
std::string readInitialWeights(const std::string& path);

// How the two ends of a look on another machine put it, as JSON.
std::string jobToJson(std::span<const RunSettings> runs);
std::vector<RunSettings> jobFromJson(const std::string& text);
std::string foundToJson(std::span<const LookFound> findings);
std::vector<LookFound> foundFromJson(const std::string& text);

}  // namespace halo
