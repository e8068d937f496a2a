#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "datasets/catalogue.h"
#include "datasets/locate.h"
#include "engine/experiment/document.h"

namespace halo {
namespace {

constexpr const char* kHeads = "heads";

bool hasKey(const Declaration& declaration, const std::string& key) {
  return parameterNamed(declaration.parameters, key) != nullptr;
}

/// What a layer kind has whose key this is.
std::string thingOf(const std::string& key) { return key == "learn_epsilon" ? "an epsilon to learn" : key; }

}  // namespace

void Combinations::check() {
  workers();
  method();
  hosts();
  wire();
  model();
  loss();
  seeds();
  format();
  if (known_.filesMustExist && run_.cluster.launcher == "local") files();
}

void Combinations::wrong(const std::string& key, std::string message) {
  const Assignment* by = settledBy_(key);
  Problem problem =
      by == nullptr ? Problem{.file = table_.file, .line = table_.line, .column = table_.column, .key = key}
                    : by->at;
  problem.message = std::move(message);
  problems_.push_back(std::move(problem));
}

void Combinations::workers() {
  if (run_.cluster.workers <= 1 || std::ranges::find(known_.oneWorker, run_.method) == known_.oneWorker.end())
    return;
  wrong("run.method",
        fmt::format("'{}' trains on exactly one worker, but cluster.workers is {}; give this [[run]] "
                    "cluster.workers = 1",
                    run_.method, run_.cluster.workers));
}

void Combinations::method() {
  if (!known_.refusals) return;
  for (const Problem& problem : known_.refusals(run_))
    if (problem.file.empty())
      wrong(problem.key, problem.message);
    else  // of a file that the run names
      problems_.push_back(problem);
}

void Combinations::hosts() {
  const Assignment* hostList = settledBy_("cluster.hosts");
  const bool unreadable = hostList != nullptr && !hostList->value;  // said already
  if (run_.cluster.launcher == "hosts" && run_.cluster.hosts.empty() && !unreadable)
    wrong("cluster.launcher", R"('hosts' needs cluster.hosts, a list like ["node1:8", "node2:8"])");
  // a run may take back what the file says of all
  const Assignment* launcher = settledBy_("cluster.launcher");
  const bool takenBack = launcher != nullptr && hostList != nullptr && launcher->scope > hostList->scope;
  if (run_.cluster.launcher != "hosts" && !run_.cluster.hosts.empty() && !takenBack)
    wrong(
        "cluster.hosts",
        fmt::format("cluster.launcher is '{}', which starts no rank there; launcher = \"hosts\", or no hosts",
                    run_.cluster.launcher));
  if (run_.cluster.launcher == "hosts" && run_.cluster.link.ranksPerHost > 0)
    wrong("cluster.link",
          "per = \"host\" emulates cards that ranks share, and needs all ranks on one machine, but "
          "cluster.launcher is 'hosts'; launcher = \"local\", or per = \"rank\"");
}

/// The wire says what a real network carries, so there has to be one, and it has no figures of devices.
void Combinations::wire() {
  const ClusterSettings& cluster = run_.cluster;
  if (!cluster.wire.emulated()) return;
  const char* const right = "it is of real hosts: launcher = \"hosts\" and link = \"none\", or no wire";
  if (cluster.wire.stagingGbit > 0 || cluster.wire.ranksPerHost > 0)
    wrong("cluster.wire",
          "staging_gbit, per and ranks_per_host are of cluster.link; "
          "{ bandwidth_gbit = 0.39, latency_us = 80.0 }, as `haloscope doctor HOST HOST` writes it");
  else if (cluster.link.emulated())
    wrong("cluster.wire", fmt::format("stands beside cluster.link, which emulates one; {}", right));
  else if (cluster.launcher == "local")
    wrong("cluster.wire",
          fmt::format("cluster.launcher is 'local', and all ranks on this machine; {}", right));
}

void Combinations::model() {
  const ModelSettings& model = run_.model;
  const Declaration* kind = declarationNamed(known_.layers, model.kind);
  if (kind != nullptr && hasKey(*kind, kHeads) && model.layers > 1 && model.hidden % model.heads != 0)
    wrong(
        "model.heads",
        fmt::format("{} heads do not divide model.hidden = {}, in which they stand side by side; 8 heads of "
                    "width 8 are heads = 8 and hidden = 64",
                    model.heads, model.hidden));
  for (const Declaration& other : known_.layers)
    if (&other != kind)
      for (const Parameter& parameter : other.parameters) keyOfAnotherKind(std::string(parameter.key), kind);
}

/// `key` is of a layer kind alone; those that have it are named where the run's has not and the run sets it.
void Combinations::keyOfAnotherKind(const std::string& key, const Declaration* kind) {
  const Key* declared = keyNamed("model", key);
  if (declared == nullptr || (kind != nullptr && hasKey(*kind, key))) return;
  if (writtenText(*declared, run_) == toText(fallback(declared->parameter))) return;
  std::string kinds;
  for (const Declaration& each : known_.layers)
    if (hasKey(each, key)) kinds += fmt::format("{}\"{}\"", kinds.empty() ? "" : " or ", each.name);
  wrong("model." + key,
        fmt::format("only kind = {} has {}; model.kind is '{}'", kinds, thingOf(key), run_.model.kind));
}

// Of files only the worker that reads them knows how many labels a vertex has; it looks again.
void Combinations::loss() {
  const CatalogueEntry* entry = catalogued(run_.dataset.name);
  if (entry == nullptr || !run_.dataset.labels.empty()) return;
  if (const std::string why = lossMismatch(run_.training.loss, entry->multiLabel, entry->name); !why.empty())
    wrong("training.loss", why);
}

void Combinations::seeds() {
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto more = static_cast<std::uint64_t>(run_.training.repeat - 1);
  if (run_.training.seed > kLargest - more)
    wrong("training.seed",
          fmt::format("{} and {} more above it (training.repeat) go beyond {}; a smaller seed",
                      run_.training.seed, more, kLargest));
}

void Combinations::format() {
  const CatalogueEntry* entry = catalogued(run_.dataset.name);
  if (entry != nullptr && entry->kind != "published" && !run_.dataset.format.empty())
    wrong("dataset.format",
          fmt::format("is of files, and '{}' is made here and read from none; leave it out", entry->name));
}

// Rank 0 of another launcher may run on another machine, which has other files.
void Combinations::files() {
  const CatalogueEntry* entry = catalogued(run_.dataset.name);
  if (entry == nullptr) requireFile("dataset.path", run_.dataset.name, "file or folder");
  if (entry != nullptr && entry->kind == "published") try {
      publishedFolder(entry->name);
    } catch (const InputError& error) {
      wrong("dataset.name", error.problems().front().message);
    }
  requireFile("dataset.features", run_.dataset.features, "file or folder");
  requireFile("dataset.labels", run_.dataset.labels, "file or folder");
  requireFile("dataset.split", run_.dataset.split, "file or folder");
  requireFile("training.initial_weights", run_.training.initialWeights, "file");
  const auto path = run_.partition.parameters.find("path");
  if (path == run_.partition.parameters.end() || run_.cluster.workers <= 1) return;
  const auto& file = std::get<std::string>(path->second);
  if (file.empty())
    wrong("partition.method", fmt::format("'{}' needs partition.path, the file with the part of each vertex",
                                          run_.partition.method));
  requireFile("partition.path", file, "file");
}

void Combinations::requireFile(const std::string& key, const std::string& path, const std::string& kind) {
  if (path.empty()) return;
  if (!isUtf8(path))
    return wrong(key,
                 fmt::format("'{}' holds bytes that are no UTF-8 text; rename the folder or file", path));
  const std::string other = insteadOfFile(path, kind != "file");
  if (other.empty()) return;
  wrong(key, fmt::format("'{}' {}; a {}, {}", path, other, kind,
                         other == kNotThere ? "relative to the experiment file"
                                            : "which every run reads from its start"));
}

std::string lossMismatch(const std::string& loss, bool multiLabel, const std::string& dataset) {
  if (loss == "sigmoid" && !multiLabel)
    return fmt::format("'sigmoid' is for several labels a vertex, and '{}' has one each; softmax or auto",
                       dataset);
  if (loss == "softmax" && multiLabel)
    return fmt::format("'softmax' is for one label a vertex, and '{}' has several each; sigmoid or auto",
                       dataset);
  return "";
}

}  // namespace halo
