#include "simulator/contract/simulation_kind.h"

#include <fstream>
#include <iterator>
#include <new>

#include "engine/base/check.h"
#include "engine/base/digest.h"

namespace halo::sim {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

SimulationKind kindOf(const SimulationEntry& entry, const std::shared_ptr<const Resources>& resources) {
  SimulationKind kind;
  kind.declaration = entry.declaration;
  kind.sections.assign(entry.sections.begin(), entry.sections.end());
  if (entry.figures != nullptr) kind.figures = entry.figures(resources->folder());
  kind.ofMethods = entry.ofMethods;
  if (entry.depends != nullptr) kind.depends = entry.depends;
  if (entry.check != nullptr)
    kind.complete = [resources, &entry](SimulateSettings& settings) {
      return entry.check(settings, {*resources, nullptr});
    };
  if (entry.refusals != nullptr)
    kind.refusals = [resources, &entry](const SimulateSettings& settings) {
      return entry.refusals(settings, {*resources, nullptr});
    };
  return kind;
}

}  // namespace

const Library& Resources::library() const {
  if (library_ == nullptr) library_ = std::make_unique<Library>(readLibrary(folder_));
  return *library_;
}

const std::string& Resources::libraryDigest() const {
  if (digest_.empty()) {
    std::string all;
    for (const char* name : kLibraryFiles) all += std::string(name) + "\n" + contents(folder_ / name);
    digest_ = digest(all);
  }
  return digest_;
}

std::vector<SimulationKind> simulationKinds(const std::shared_ptr<const Resources>& resources) {
  std::vector<SimulationKind> kinds;
  for (const auto& [name, entry] : registry<SimulationEntry>()) kinds.push_back(kindOf(entry, resources));
  return kinds;
}

std::string methodOf(const SimulateSettings& settings) {
  const SimulationEntry* entry = find<SimulationEntry>(settings.kind);
  return entry == nullptr || entry->method == nullptr ? settings.kind : entry->method(settings);
}

std::vector<Problem> refuseByCounts(const SimulateSettings& settings, const SimulationContext& context) {
  const SimulationEntry* entry = find<SimulationEntry>(settings.kind);
  if (entry == nullptr || entry->refuseCounts == nullptr) return {};
  if (const auto graph = settings.own.find("graph");
      graph != settings.own.end() && graph->second != Value(std::string()))
    return {};
  std::vector<Problem> problems;
  try {
    if (const auto counts = datasetCounts(settings.run.dataset))
      problems = entry->refuseCounts(settings, context, *counts);
  } catch (const InputError&) {
  } catch (const DamagedInput&) {
  } catch (const std::bad_alloc&) {
  }
  for (Problem& problem : problems) problem = settings.placed(std::move(problem));
  return problems;
}

bool isOfRecording(const SimulateSettings& settings) {
  const SimulationEntry* entry = find<SimulationEntry>(settings.kind);
  return entry != nullptr && entry->resolve != nullptr;
}

bool resolve(SimulateSettings& settings, Database& recording, bool runsToCome) {
  if (!isOfRecording(settings)) return true;
  return find<SimulationEntry>(settings.kind)->resolve(settings, recording, runsToCome);
}

SimulationOutcome runSimulation(const SimulateSettings& settings, const SimulationContext& context,
                                const Progress& progress) {
  const SimulationEntry* entry = find<SimulationEntry>(settings.kind);
  HALO_CHECK(entry != nullptr);
  return entry->run(settings, context, progress);
}

}  // namespace halo::sim
