#include "app/commands/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "app/commands/command.h"
#include "app/commands/simulations.h"
#include "app/program/known.h"
#include "engine/base/problem.h"
#include "engine/experiment/toml_text.h"

namespace halo {
namespace {

/// Keeps the runs and simulations of the methods, accelerators and kinds named by --only, and refuses names
/// that no run has.
void keepOnly(std::vector<Experiment>& experiments, const std::vector<std::string>& only) {
  if (only.empty()) return;
  std::set<std::string> methods;
  for (Experiment& experiment : experiments) {
    for (const RunSettings& run : experiment.runs) methods.insert(run.method);
    for (const SimulateSettings& simulation : experiment.simulations)
      methods.insert(sim::methodOf(simulation));
    const auto left = [&](const std::string& method) {
      return std::ranges::find(only, method) == only.end();
    };
    std::erase_if(experiment.runs, [&](const RunSettings& run) { return left(run.method); });
    std::erase_if(experiment.simulations,
                  [&](const SimulateSettings& simulation) { return left(sim::methodOf(simulation)); });
  }
  const auto hint = [&](const std::string& name) {
    const std::string near = nearest(name, {methods.begin(), methods.end()});
    return near.empty() ? "" : "did you mean '" + near + "'? ";
  };
  std::vector<Problem> problems;
  for (const std::string& name : only)
    if (!methods.contains(name))
      problems.push_back({.key = "--only",
                          .message = fmt::format("no run has the method '{}'; {}there are {}", name,
                                                 hint(name), fmt::join(methods, " "))});
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// `haloscope simulate` of a file that has no simulation.
void requireSimulations(const std::vector<Experiment>& experiments) {
  std::vector<Problem> problems;
  for (const Experiment& experiment : experiments)
    if (experiment.simulations.empty())
      problems.push_back(
          {.file = experiment.file.string(),
           .key = "simulate",
           .message = "no such table; `haloscope simulate` does [[simulate]], `haloscope run` the [[run]]"});
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// A file, or for "-" standard input, whose paths are relative to the working folder.
Experiment readOne(const std::string& file, const Known& known, const std::vector<Override>& set) {
  if (file != "-") return readExperiment(file, known, set);
  return parseExperiment(readTomlStream(std::cin, file), file, known, set);
}

}  // namespace

std::vector<Override> overridesOf(const RunArguments& arguments) {
  return overridesOf(arguments.set, "section.key=value, for example training.epochs=10");
}

std::vector<Experiment> readFiles(const RunArguments& arguments) {
  Known known = knownHere();
  known.filesMustExist = arguments.training;
  const std::vector<Override> set = overridesOf(arguments);
  std::vector<Experiment> experiments;
  std::vector<Problem> problems;
  for (const std::string& file : arguments.files) try {
      experiments.push_back(readOne(file, known, set));
      if (!arguments.training) experiments.back().runs.clear();
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  if (!problems.empty()) throw InputError(std::move(problems));
  if (!arguments.training) requireSimulations(experiments);
  keepOnly(experiments, arguments.only);
  return experiments;
}

}  // namespace halo
