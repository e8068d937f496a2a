// [[simulate]] × [sweep] as settings of simulations.
#include <fmt/format.h>

#include <algorithm>

#include "engine/experiment/device_file.h"
#include "engine/experiment/document.h"

namespace halo {
namespace {

using Scope = Assignment::Scope;
constexpr double kMostSimulations = 10'000;

std::string unquoted(const std::string& text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

const Parameter* parameterOf(const Declaration& declaration, const std::string& key) {
  const auto found = std::ranges::find(declaration.parameters, key, &Parameter::key);
  return found == declaration.parameters.end() ? nullptr : &*found;
}

/// The sections that a simulation reads.
bool concerns(const std::string& section) {
  return isSimulateSection(section) || section == "dataset" || section == "model";
}

class SimulationExpander {
 public:
  SimulationExpander(Document& document, const Known& known) : d_(document), known_(known) {}

  std::vector<SimulateSettings> all() {
    for (auto* list : {&d_.base, &d_.set}) checkAll(*list);
    for (auto& options : d_.sweeps) checkAll(options);
    for (RunTable& table : d_.simulations) checkAll(table.assignments);
    std::vector<SimulateSettings> simulations;
    if (tooMany()) return simulations;
    for (RunTable& table : d_.simulations) expandTable(table, simulations);
    for (auto* list : {&d_.base, &d_.set}) reportUnused(*list);
    for (auto& options : d_.sweeps) reportUnused(options);
    for (RunTable& table : d_.simulations) reportUnused(table.assignments);
    return simulations;
  }

 private:
  void wrong(Problem at, std::string message) {
    at.message = std::move(message);
    d_.problems.push_back(std::move(at));
  }

  void checkAll(std::vector<Assignment>& list) {
    for (Assignment& a : list)
      if (a.section() == "simulate") check(a);
  }

  void check(Assignment& a) {
    const Parameter* parameter = parameterOf(simulateSection(), a.leaf());
    if (parameter == nullptr) {
      auto names = namesOf(simulateSection().parameters, &Parameter::key);
      names.insert(names.end(), {"dataset", "model"});
      return wrong(a.keyAt, "unknown key; " + suggestion(a.leaf(), names, "known are " + listed(names)));
    }
    std::string why;
    a.value = readValue(*parameter, *a.node, why);
    if (a.value && a.leaf() == "graph" && !known_.graphs.empty()) {
      const auto& name = std::get<std::string>(*a.value);
      if (!name.empty() && std::ranges::find(known_.graphs, name) == known_.graphs.end())
        why = fmt::format("'{}' is no graph with published figures; {}", name,
                          suggestion(name, known_.graphs, "one of " + listed(known_.graphs)));
    }
    if (why.empty()) return;
    a.value.reset();
    wrong(a.at, why);
  }

  bool tooMany() {
    double count = static_cast<double>(d_.simulations.size());
    for (const auto& options : d_.sweeps)
      if (concerns(options.front().section())) count *= static_cast<double>(options.size());
    if (count <= kMostSimulations) return false;
    d_.problems.push_back({d_.file, 0, 0, "sweep",
                           fmt::format("asks for {} simulations; at most {}", count, kMostSimulations)});
    return true;
  }

  bool settled(const RunTable& table, const std::string& key) const {
    const auto same = [&](const Assignment& a) { return a.key == key; };
    return std::ranges::any_of(table.assignments, same) || std::ranges::any_of(d_.set, same);
  }

  void expandTable(RunTable& table, std::vector<SimulateSettings>& to) {
    std::vector<std::vector<Assignment>*> swept;
    for (auto& options : d_.sweeps)
      if (concerns(options.front().section()) && !settled(table, options.front().key))
        swept.push_back(&options);
    std::vector<std::size_t> chosen(swept.size(), 0);
    while (true) {
      Effective effective;
      for (Assignment& a : d_.base) effective[a.key] = &a;
      for (std::size_t i = 0; i < swept.size(); ++i)
        effective[swept[i]->front().key] = &(*swept[i])[chosen[i]];
      for (Assignment& a : table.assignments) effective[a.key] = &a;
      for (Assignment& a : d_.set) effective[a.key] = &a;
      resolve(effective, table, to);
      std::size_t i = swept.size();
      while (i > 0 && ++chosen[i - 1] == swept[i - 1]->size()) chosen[--i] = 0;
      if (i == 0) return;
    }
  }

  void resolve(const Effective& effective, const RunTable& table, std::vector<SimulateSettings>& to) {
    for (const auto& [key, a] : effective)
      if (a->scope == Scope::run && !concerns(a->section()))
        wrong(a->keyAt, "a simulation reads dataset.*, model.* and device.* besides its own keys");
    std::map<std::string, Values> of;
    for (const Declaration& section : sections())
      of[std::string(section.name)] = fallbacks(section.parameters);
    Values own = fallbacks(simulateSection().parameters);
    for (const auto& [key, a] : effective) {
      if (!a->value || a->section() == "run") continue;
      (a->section() == "simulate" ? own : of[a->section()])[a->leaf()] = *a->value;
      if (a->section() == "simulate") a->used = true;
    }
    SimulateSettings made;
    made.device = own.text("device");
    made.slices = own.integer("slices");
    made.workload = own.text("workload");
    made.level = own.text("level");
    made.graph = own.text("graph");
    made.tiling = own.text("tiling");
    made.band = own.real("band");
    made.replicaScale = own.real("replica_scale");
    RunSettings sectionsOf;
    fillModel(of, sectionsOf);
    made.model = sectionsOf.model;
    made.dataset = datasetOf(of["dataset"], effective, d_.folder, d_.problems);
    if (!device(effective, table, made)) return;
    made.name = nameOf(made, effective);
    tilingFits(effective, table, made);
    refuse(effective, table, made);
    to.push_back(std::move(made));
  }

  void fillModel(const std::map<std::string, Values>& of, RunSettings& run) const {
    std::map<std::string, LinkSettings> none{{of.at("cluster").text("link"), {}}};
    fillSections(of, none, d_.folder, run);
  }

  /// Accelerators, and devices that ship: files of the folder, which may be figures of any of them.
  std::vector<std::string> deviceNames() const {
    auto names = namesOf(known_.devices, &Declaration::name);
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(known_.deviceFolder, none))
      if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }

  /// Fills in the device's figures; false where there are none.
  bool device(const Effective& effective, const RunTable& table, SimulateSettings& made) {
    const std::vector<std::string> names = deviceNames();
    if (made.device.empty()) {
      const auto given = effective.find("simulate.device");
      if (given == effective.end() || given->second->value)  // else it is said already
        wrong(given == effective.end() ? table.at : given->second->at,
              "no device; one of " + listed(names) + ", or a device file");
      return false;
    }
    if (known_.devices.empty()) return true;
    const bool named = made.device.find('/') == std::string::npos && !made.device.ends_with(".toml");
    if (named && std::ranges::find(names, made.device) == names.end()) {
      wrong(effective.at("simulate.device")->at,
            fmt::format("'{}' is no device of this version; {}", made.device,
                        suggestion(made.device, names, "one of " + listed(names) + ", or a device file")));
      return false;
    }
    made.deviceFile = named ? (known_.deviceFolder / (made.device + ".toml")).string()
                            : resolvedFrom(d_.folder, made.device);
    try {
      const DeviceFile file = readDevice(made.deviceFile, known_.devices);
      made.accelerator = file.accelerator;
      made.figures = file.figures;
      made.sources = file.sources;
    } catch (const InputError& error) {
      d_.problems.insert(d_.problems.end(), error.problems().begin(), error.problems().end());
      return false;
    }
    override(effective, made);
    return true;
  }

  void override(const Effective& effective, SimulateSettings& made) {
    const auto declaration = std::ranges::find(known_.devices, made.accelerator, &Declaration::name);
    for (const auto& [key, a] : effective) {
      if (a->section() != "device") continue;
      const Parameter* parameter = parameterOf(*declaration, a->leaf());
      if (parameter == nullptr) continue;
      a->used = true;
      std::string why;
      if (const auto value = readValue(*parameter, *a->node, why)) {
        made.figures[a->leaf()] = *value;
        made.sources[a->leaf()] = "assumed: this experiment";
      } else {
        wrong(a->at, why);
      }
    }
  }

  /// Counting blocks needs a graph, making one alike needs figures.
  void tilingFits(const Effective& effective, const RunTable& table, const SimulateSettings& made) {
    const auto given = effective.find("simulate.tiling");
    const Problem at = given == effective.end() ? table.at : given->second->at;
    if (made.tiling == "exact" && !made.graph.empty())
      wrong(at, "'exact' counts in a graph, and simulate.graph gives figures only; statistics or replica");
    const bool counts = made.tiling == "statistics" || (made.tiling == "auto" && !made.graph.empty());
    if (made.band < 1 && !counts)
      wrong(effective.at("simulate.band")->at,
            "is for tiling = \"statistics\"; a graph has the order it has");
    if (made.tiling == "replica" && made.graph.empty())
      wrong(at, "'replica' is made from published figures: name a graph in simulate.graph");
  }

  void refuse(const Effective& effective, const RunTable& table, const SimulateSettings& made) {
    if (!known_.simulationRefusals || !d_.problems.empty()) return;
    for (const Problem& problem : known_.simulationRefusals(made)) {
      const auto by = effective.find(problem.key);
      const bool inFile = by == effective.end() && problem.key.starts_with("device.");
      Problem at = by == effective.end() ? table.at : by->second->at;
      if (by == effective.end()) at.key = problem.key;
      if (inFile)
        at = {made.deviceFile, 0, 0, "figures." + problem.key.substr(problem.key.find('.') + 1), ""};
      wrong(at, problem.message);
    }
  }

  std::string nameOf(const SimulateSettings& made, const Effective& effective) const {
    std::string name = d_.name + " / " + made.device;
    for (const auto& [key, a] : effective) {
      if (key == "simulate.device" || (a->scope != Scope::sweep && a->scope != Scope::run)) continue;
      const auto figure = made.figures.find(a->leaf());
      if (a->section() == "device" && figure != made.figures.end())
        name += fmt::format(" / {}={}", a->leaf(), unquoted(toText(figure->second)));
      else if (a->value)
        name += fmt::format(" / {}={}", a->leaf(), unquoted(toText(*a->value)));
    }
    return name;
  }

  /// Whether the command line has the last word on this key.
  bool replaced(const Assignment& a) const {
    return a.scope != Scope::set &&
           std::ranges::any_of(d_.set, [&](const Assignment& other) { return other.key == a.key; });
  }

  void reportUnused(const std::vector<Assignment>& list) {
    for (const Assignment& a : list) {
      if (d_.simulations.empty() && isSimulateSection(a.section())) {
        wrong(a.keyAt, "is of [[simulate]] tables, and this file has none");
      } else if (a.section() == "device" && !a.used && !replaced(a) && !known_.devices.empty()) {
        std::vector<std::string> names;
        for (const Declaration& device : known_.devices)
          for (const Parameter& parameter : device.parameters) names.emplace_back(parameter.key);
        if (d_.problems.empty() || std::ranges::find(names, a.leaf()) == names.end())
          wrong(a.keyAt, "unknown key; " + suggestion(a.leaf(), names, "known are " + listed(names)));
      } else if (a.scope == Scope::sweep && d_.runs.empty() && !concerns(a.section())) {
        wrong(a.keyAt, "multiplies [[run]] tables, and this file has none");
      }
    }
  }

  Document& d_;
  const Known& known_;
};

}  // namespace

bool isSimulateSection(const std::string& section) { return section == "simulate" || section == "device"; }

std::vector<SimulateSettings> expandSimulations(Document& document, const Known& known) {
  return SimulationExpander(document, known).all();
}

}  // namespace halo
