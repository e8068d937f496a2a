#pragma once

#include <string>
#include <vector>

#include "engine/experiment/experiment.h"

namespace halo {

/// What `haloscope run` and `haloscope simulate` are told.
struct RunArguments {
  std::vector<std::string> files, set, only;
  bool resume = false, dryRun = false;
  bool training = true;  // false: the simulations of the files alone
};

/// What `--set` changes.
std::vector<Override> overridesOf(const RunArguments& arguments);

/// The experiments of all files, "-" being standard input, with what `--set` changes and `--only` keeps.
/// Throws InputError with every problem of all of them.
std::vector<Experiment> readFiles(const RunArguments& arguments);

}  // namespace halo
