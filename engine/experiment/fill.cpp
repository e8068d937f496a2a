// What the sections of an experiment file say, as the settings of a run.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "datasets/catalogue.h"
#include "datasets/generate/generate.h"
#include "engine/experiment/document.h"

namespace halo {

std::string resolvedFrom(const std::filesystem::path& folder, const std::string& path) {
  if (path.empty()) return path;
  const std::filesystem::path full = std::filesystem::absolute(folder / path).lexically_normal();
  return (full.has_filename() ? full : full.parent_path()).string();  // "graph/" is "graph"
}

void requireDatasetPath(const DatasetRequest& dataset, const Effective& effective,
                        std::vector<Problem>& problems) {
  const auto path = effective.find("dataset.path");
  if (path == effective.end() || dataset.name.empty() || catalogued(dataset.name) != nullptr) return;
  const std::string other = insteadOfFile(dataset.name, /*orFolder=*/true);
  if (other.empty()) return;
  problems.push_back(path->second->at);
  problems.back().message =
      fmt::format("'{}' {}; a file or folder, relative to the experiment file", dataset.name, other);
}

void settleDataset(const Values& values, const Effective& effective, const std::filesystem::path& folder,
                   DatasetRequest& dataset, std::vector<Problem>& problems) {
  const auto wrong = [&](Problem at, std::string message) {
    at.message = std::move(message);
    problems.push_back(std::move(at));
  };
  const auto path = effective.find("dataset.path"), name = effective.find("dataset.name");
  const bool byPath = path != effective.end() && !values.text("path").empty() &&
                      (name == effective.end() || path->second->scope >= name->second->scope);
  if (byPath) dataset.name = resolvedFrom(folder, values.text("path"));
  const auto isReported = [&](const Problem& at) {
    return std::ranges::any_of(problems, [&](const Problem& problem) {
      return problem.key == at.key && problem.line == at.line && problem.column == at.column;
    });
  };
  if (path != effective.end() && values.text("path").empty() && name == effective.end() &&
      !isReported(path->second->at))  // what cannot be used counts as empty
    wrong(path->second->at, "is empty; a file or folder, or dataset.name in its place");
  if (byPath && name != effective.end() && path->second->scope == name->second->scope)
    wrong(path->second->at, "stands beside dataset.name; only one of the two can say what to train on");
  const auto scale = effective.find("dataset.scale");
  const bool generated =
      std::ranges::find(generatedShapes(), dataset.name, &GraphShape::name) != generatedShapes().end();
  const bool known = name == effective.end() || !isReported(name->second->at);
  if (scale != effective.end() && values.real("scale") != 1.0 && !generated && known)
    wrong(scale->second->at,
          fmt::format("only generated data sets can be scaled; '{}' is none", dataset.name));
}

namespace {

/// Sets the member that keeps the value.
void fill(const Key& key, const Values& values, const std::map<std::string, LinkSettings>& links,
          const std::filesystem::path& folder, RunSettings& run) {
  const std::string_view name = key.name();
  std::visit(
      Overloaded{
          [&](bool* on) {
            const auto* choice = std::get_if<Choice>(&key.parameter.type);
            *on = choice == nullptr ? values.flag(name) : values.text(name) == choice->options[1];
          },
          [&](std::int64_t* number) { *number = values.integer(name); },
          [&](std::uint64_t* number) { *number = static_cast<std::uint64_t>(values.integer(name)); },
          [&](double* number) { *number = values.real(name); },
          [&](std::string* text) { *text = values.text(name); },
          [&](FileName file) { *file.path = resolvedFrom(folder, values.text(name)); },
          [&](RecordStep step) { *step.every = readStep(values.text(name), step.counted).value_or(1); },
          [&](std::vector<std::string>* hosts) { *hosts = splitHosts(values.text(name)); },
          [&](LinkSettings* link) { *link = links.at(values.text(name)); }},
      key.member(run));
}

}  // namespace

void fillSections(const std::map<std::string, Values>& valuesOf,
                  const std::map<std::string, LinkSettings>& links, const std::filesystem::path& folder,
                  RunSettings& run) {
  for (const Section& section : keyedSections())
    if (const auto values = valuesOf.find(std::string(section.declaration.name)); values != valuesOf.end())
      for (const Key& key : section.keys)
        if (key.member != nullptr) fill(key, values->second, links, folder, run);
}

}  // namespace halo
