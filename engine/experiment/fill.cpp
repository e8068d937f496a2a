// What the sections of an experiment file say, as the settings of a run.
#include <filesystem>

#include "engine/experiment/document.h"

namespace halo {

std::string resolvedFrom(const std::filesystem::path& folder, const std::string& path) {
  if (path.empty()) return path;
  return std::filesystem::absolute(folder / path).lexically_normal().string();
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
  run.cluster = {cluster.integer("workers"), cluster.integer("threads"), cluster.text("launcher"),
                 splitHosts(cluster.text("hosts")), links.at(cluster.text("link"))};
  run.partition.method = of.at("partition").text("method");
  run.partition.imbalance = of.at("partition").real("imbalance");
  run.record = {readSpans(of.at("record").text("spans")).value_or(1), of.at("record").integer("staleness")};
}

}  // namespace halo
