#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/experiment/document.h"
#include "engine/experiment/toml_text.h"

namespace halo {
namespace {

/// In the order of the file, the command line last, every problem once.
void orderProblems(std::vector<Problem>& problems) {
  const auto key = [](const Problem& p) { return std::tuple(p.file.empty(), p.line, p.column); };
  std::ranges::stable_sort(problems, {}, key);
  std::set<std::string> descriptions;
  std::erase_if(problems,
                [&](const Problem& problem) { return !descriptions.insert(describe(problem)).second; });
}

using Flat = std::map<std::string, std::string>;

std::vector<Flat> flatOf(const std::vector<RunSettings>& runs,
                         const std::vector<SimulateSettings>& simulations) {
  std::vector<Flat> all;
  for (const RunSettings& run : runs) all.push_back(run.flat());
  for (const SimulateSettings& simulation : simulations) all.push_back(simulation.flat());
  return all;
}

/// The runs as the file has them: [[published]] speaks of those, also where --set makes others of them. None
/// if the file needs what is set to be read at all.
std::vector<Flat> runsOfTheFile(const std::string& text, const std::filesystem::path& file,
                                const Known& known) {
  Document document = readDocument(text, file, known, {});
  const std::vector<RunSettings> training = expand(document, known);  // first: it checks the sections' values
  std::vector<Flat> runs = flatOf(training, expandSimulations(document, known));
  if (!document.problems.empty()) runs.clear();
  return runs;
}

/// As `fair = true` asks; what methods do not allow are problems of that line.
void makeAlike(Document& document, const Known& known, std::vector<RunSettings>& runs) {
  for (Problem& problem : known.makeAlike(runs)) {
    document.fair->message = problem.message;
    document.problems.push_back(*document.fair);
  }
}

/// The same of simulations of methods, and of what they have of the model.
void makeAlike(Document& document, const Known& known, std::vector<SimulateSettings>& simulations) {
  std::vector<SimulateSettings*> ofMethods;
  std::vector<RunSettings> runs;
  for (SimulateSettings& simulation : simulations) {
    const auto kind = std::ranges::find(known.simulations, simulation.kind,
                                        [](const SimulationKind& each) { return each.declaration.name; });
    if (kind == known.simulations.end() || !kind->ofMethods) continue;
    ofMethods.push_back(&simulation);
    runs.push_back(simulation.run);
    runs.back().cluster.workers = simulation.own.integer("workers");
  }
  makeAlike(document, known, runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    ofMethods[i]->run.model = runs[i].model;
    ofMethods[i]->run.parameters = runs[i].parameters;
    for (const auto& [key, value] : ofMethods[i]->run.flat())
      if (const auto entry = ofMethods[i]->sections.find(key); entry != ofMethods[i]->sections.end())
        entry->second = value;
  }
}

}  // namespace

Experiment parseExperiment(const std::string& text, const std::filesystem::path& file, const Known& known,
                           const std::vector<Override>& set) {
  Document document = readDocument(text, file, known, set);
  Experiment experiment;
  experiment.runs = expand(document, known);
  if (document.fair && known.makeAlike && document.problems.empty())
    makeAlike(document, known, experiment.runs);
  experiment.simulations = expandSimulations(document, known);
  if (document.fair && known.makeAlike && document.problems.empty())
    makeAlike(document, known, experiment.simulations);
  if (!document.published.empty()) {
    std::vector<Flat> runs;  // none while there are other problems, which may have made them wrong
    if (document.problems.empty())
      runs = set.empty() ? flatOf(experiment.runs, experiment.simulations) : runsOfTheFile(text, file, known);
    checkPublished(document.published, known.metrics, runs, document.problems);
  }
  orderProblems(document.problems);
  if (!document.problems.empty()) throw InputError(std::move(document.problems));
  experiment.file = file;
  experiment.name = document.name;
  experiment.notes = document.notes;
  experiment.tags = document.tags;
  experiment.text = text;
  return experiment;
}

Experiment readExperiment(const std::filesystem::path& file, const Known& known,
                          const std::vector<Override>& set) {
  return parseExperiment(readTomlFile(file, "an experiment file"), file, known, set);
}

}  // namespace halo
