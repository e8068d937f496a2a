#include <fmt/format.h>

#include "engine/base/fingerprint.h"
#include "engine/experiment/keys.h"

namespace halo {
namespace {

/// What the run keeps of the section, an emulated link figure by figure too.
void flatten(const Section& section, const RunSettings& run, std::map<std::string, std::string>& all) {
  for (const Key& key : section.keys) {
    if (key.member == nullptr) continue;
    const std::string dotted = fmt::format("{}.{}", section.declaration.name, key.name());
    all[dotted] = writtenText(key, run);
    const Member member = memberOf(key, run);
    if (const auto* link = std::get_if<LinkSettings*>(&member); link != nullptr && (*link)->emulated())
      for (const auto& [figure, value] : linkFigures(**link)) all[dotted + "." + figure] = value;
  }
}

}  // namespace

std::map<std::string, std::string> RunSettings::flat() const {
  std::map<std::string, std::string> all;
  flatten(runSection(), *this, all);
  for (const Section& section : keyedSections()) flatten(section, *this, all);
  for (const auto& [key, value] : parameters) all["run." + key] = toText(value);
  for (const auto& [key, value] : partition.parameters) all["partition." + key] = toText(value);
  return all;
}

std::map<std::string, std::string> SimulateSettings::flat() const {
  std::map<std::string, std::string> all = sections;
  all["simulate.kind"] = toText(Value(kind));
  const auto dotted = [](const std::string& key) {
    return key.find('.') == std::string::npos ? "simulate." + key : key;
  };
  for (const auto& [key, value] : own) {
    all[dotted(key)] = toText(value);
    if (const LinkSettings& link = run.cluster.link;
        (key == "link" || key.ends_with(".link")) && link.emulated()) {
      all[dotted(key) + ".bandwidth_gbit"] = toText(link.bandwidthGbit);
      all[dotted(key) + ".latency_us"] = toText(link.latencyUs);
    }
  }
  for (const auto& [key, value] : run.parameters) all["simulate." + key] = toText(value);
  for (const auto& [section, set] : figures) {
    all[section + ".model"] = toText(Value(set.model));
    for (const auto& [key, value] : set.figures) all[section + "." + key] = toText(value);
  }
  if (!library.empty()) all["simulate.library"] = toText(Value(library));
  return all;
}

Problem SimulateSettings::placed(Problem problem) const {
  if (!problem.file.empty() || places.empty()) return problem;
  auto place = places.find(problem.key);
  if (problem.key == "dataset.name" && place == places.end()) place = places.find("dataset.path");
  const bool written = place != places.end();
  Problem at = written ? place->second : places.at("");
  if (!written) at.key = problem.key;
  at.message = std::move(problem.message);
  return at;
}

std::string SimulateSettings::fingerprint() const { return simulationFingerprint(flat()); }

std::string RunSettings::fingerprint() const { return trainingFingerprint(flat()); }

}  // namespace halo
