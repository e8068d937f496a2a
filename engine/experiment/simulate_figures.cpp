#include "engine/experiment/simulate_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/experiment/figure_file.h"

namespace halo {
namespace {

/// The files of figures that need no path.
std::vector<std::string> namesIn(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::string keyOf(const FigureKey& figures) {
  return figures.key.find('.') == std::string::npos ? "simulate." + figures.key : figures.key;
}

}  // namespace

void SimulateFigures::wrong(Problem at, std::string message) {
  at.message = std::move(message);
  d_.problems.push_back(std::move(at));
}

bool SimulateFigures::fill(const Effective& effective, SimulateSettings& simulation) {
  bool sound = true;
  for (const FigureKey& key : kind_.figures) sound = read(key, effective, simulation) && sound;
  return sound;
}

bool SimulateFigures::refuseNone(const FigureKey& key, const Effective& effective) {
  if (key.key != kind_.declaration.name) return true;  // may be left out
  const auto assignment = effective.find(keyOf(key));
  const auto* text = assignment == effective.end() ? nullptr : assignment->second->node->as_string();
  if (assignment == effective.end() || (text != nullptr && text->get().empty()))  // else it is said already
    wrong(assignment == effective.end() ? table_.at : assignment->second->at,
          fmt::format("no {}; one of {}, or a {} file", key.what, listed(namesIn(key.folder)), key.what));
  return false;
}

bool SimulateFigures::read(const FigureKey& key, const Effective& effective, SimulateSettings& simulation) {
  const std::string& name = simulation.own.text(key.key);
  if (name.empty()) return refuseNone(key, effective);
  const auto assignment = effective.find(keyOf(key));
  const Problem at = assignment == effective.end() ? table_.at : assignment->second->at;
  const bool path = name.find('/') != std::string::npos || name.ends_with(".toml");
  const auto names = namesIn(key.folder);
  if (!path && std::ranges::find(names, name) == names.end()) {
    wrong(at,
          fmt::format("'{}' is no {} of this version; {}", name, key.what,
                      suggestion(name, names, "one of " + listed(names) + ", or a " + key.what + " file")));
    return false;
  }
  FigureSet set;
  set.file = path ? resolvedFrom(d_.folder, name) : (key.folder / (name + ".toml")).string();
  try {
    FigureFile file = readFigureFile(set.file, key.header, key.models);
    set.model = std::move(file.model);
    set.figures = std::move(file.figures);
    set.sources = std::move(file.sources);
    for (auto& [figure, place] : file.places)
      simulation.places.emplace(key.section + "." + figure, std::move(place));
  } catch (const InputError& error) {
    d_.problems.insert(d_.problems.end(), error.problems().begin(), error.problems().end());
    return false;
  }
  replace(key, effective, set);
  simulation.figures[key.section] = std::move(set);
  return true;
}

void SimulateFigures::replace(const FigureKey& key, const Effective& effective, FigureSet& set) {
  const Declaration* declaration = declarationNamed(key.models, set.model);
  for (const auto& [name, a] : effective) {
    if (a->section() != key.section || name == keyOf(key)) continue;
    const Parameter* parameter = parameterNamed(declaration->parameters, a->leaf());
    if (parameter == nullptr) continue;
    a->used = true;
    std::string why;
    if (const auto value = readValue(*parameter, *a->node, why)) {
      set.figures[a->leaf()] = *value;
      set.sources[a->leaf()] = "assumed: this experiment";
    } else {
      wrong(a->at, why);
    }
  }
}

}  // namespace halo
