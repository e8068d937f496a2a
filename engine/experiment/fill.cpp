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

DatasetRequest datasetOf(const Values& values, const Effective& effective,
                         const std::filesystem::path& folder, std::vector<Problem>& problems) {
  const auto wrong = [&](Problem at, std::string message) {
    at.message = std::move(message);
    problems.push_back(std::move(at));
  };
  DatasetRequest dataset;
  dataset.name = values.text("name");
  const auto path = effective.find("dataset.path"), name = effective.find("dataset.name");
  const bool byPath = path != effective.end() && !values.text("path").empty() &&
                      (name == effective.end() || path->second->scope >= name->second->scope);
  if (byPath) dataset.name = resolvedFrom(folder, values.text("path"));
  const auto told = [&](const Problem& at) {
    return std::ranges::any_of(problems, [&](const Problem& known) {
      return known.key == at.key && known.line == at.line && known.column == at.column;
    });
  };
  if (path != effective.end() && values.text("path").empty() && name == effective.end() &&
      !told(path->second->at))  // what cannot be used counts as empty
    wrong(path->second->at, "is empty; a file or folder, or dataset.name in its place");
  if (byPath && name != effective.end() && path->second->scope == name->second->scope)
    wrong(path->second->at, "stands beside dataset.name; only one of the two can say what to train on");
  const auto scale = effective.find("dataset.scale");
  const bool generated =
      std::ranges::find(generatedShapes(), dataset.name, &GraphShape::name) != generatedShapes().end();
  if (scale != effective.end() && values.real("scale") != 1.0 && !generated)
    wrong(scale->second->at,
          fmt::format("only generated data sets can be scaled; '{}' is none", dataset.name));
  dataset.format = values.text("format");
  dataset.scale = values.real("scale");
  dataset.directed = values.flag("directed");
  dataset.normalizeFeatures = values.text("normalize_features") == "row";
  dataset.features = resolvedFrom(folder, values.text("features"));
  dataset.labels = resolvedFrom(folder, values.text("labels"));
  dataset.split = resolvedFrom(folder, values.text("split"));
  dataset.seed = static_cast<std::uint64_t>(values.integer("seed"));
  dataset.memoryLimitGib = values.real("memory_limit_gib");
  return dataset;
}

void fillSections(const std::map<std::string, Values>& of, const std::map<std::string, LinkSettings>& links,
                  const std::filesystem::path& folder, RunSettings& run) {
  const Values& model = of.at("model");
  run.model = {model.text("kind"),          model.integer("layers"),
               model.integer("hidden"),     model.real("dropout"),
               model.text("norm"),          model.text("order"),
               model.flag("learn_epsilon"), model.text("dropout_position"),
               model.integer("heads")};
  const Values& training = of.at("training");
  run.training = {training.integer("epochs"),
                  training.text("optimizer"),
                  training.real("learning_rate"),
                  training.real("weight_decay"),
                  training.text("loss"),
                  static_cast<std::uint64_t>(training.integer("seed")),
                  training.integer("evaluate_every"),
                  resolvedFrom(folder, training.text("initial_weights")),
                  training.integer("repeat")};
  const Values& cluster = of.at("cluster");
  run.cluster = {cluster.integer("workers"),     cluster.integer("threads"),
                 cluster.text("launcher"),       splitHosts(cluster.text("hosts")),
                 links.at(cluster.text("link")), cluster.integer("silence_s"),
                 links.at(cluster.text("wire"))};
  run.partition.method = of.at("partition").text("method");
  run.partition.imbalance = of.at("partition").real("imbalance");
  run.record = {readSpans(of.at("record").text("spans")).value_or(1), of.at("record").integer("staleness")};
}

}  // namespace halo
