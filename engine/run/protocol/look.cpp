#include "engine/run/protocol/look.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "datasets/generate/generate.h"
#include "datasets/input/limits.h"
#include "datasets/load.h"
#include "datasets/locate.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/model/model.h"
#include "engine/partition/contract/given_partition.h"
#include "engine/partition/contract/partitioner.h"
#include "engine/run/protocol/own_batches.h"

namespace halo {
namespace {

using Json = nlohmann::json;

/// Does work(); what it refuses is noted in `findings`.
template <class Work>
void noting(LookFound& findings, Work work) {
  try {
    work();
  } catch (const InputError& error) {
    findings.wrong.insert(findings.wrong.end(), error.problems().begin(), error.problems().end());
  } catch (const DamagedInput& error) {
    findings.damaged.emplace_back(error.what());
  }
}

/// The split is drawn, which takes long and leaves vertices to train on.
bool drawsSplit(const DatasetRequest& request) {
  return request.split.empty() &&
         std::ranges::find(generatedShapes(), request.name, &GraphShape::name) != generatedShapes().end();
}

void requireInitialWeights(const RunSettings& run, const DatasetShape& shape) {
  const std::string& file = run.training.initialWeights;
  const MethodEntry* method = find<MethodEntry>(run.method);
  if (file.empty() || method == nullptr) return;
  const MemoryLimit limit(run.dataset.memoryLimitGib);
  const std::string bytes = readInitialWeights(file);
  Model model(modelFor(*method, run.model), layerWidths(run.model, shape.features, shape.classes),
              run.training.seed, cachesLayer0(*method, run.parameters));
  if (embedsLabels(run.parameters)) model.embedLabels(run.training.seed);
  model.loadBytes(bytes, file);
}

/// What the partitioner refuses; it is not asked on one worker, who has no parts.
std::vector<Problem> partitionerProblems(const RunSettings& run, const DatasetShape& shape) {
  const auto* entry = find<PartitionerEntry>(run.partition.method);
  if (entry == nullptr || entry->refuse == nullptr || run.cluster.workers == 1) return {};
  const Index vertices = shape.split ? std::ssize(shape.split()) : 0;
  return partitionProblems(run.partition.method, run.partition.parameters, vertices);
}

bool placesItself(const RunSettings& run) {
  const MethodEntry* method = find<MethodEntry>(run.method);
  return method != nullptr && method->place != nullptr;
}

/// What is wrong with the file of a given partition, which one worker does not read, nor a method that places
/// vertices itself.
std::vector<Problem> givenProblems(const RunSettings& run, const DatasetShape& shape,
                                   std::vector<std::string>& remarks) {
  if (run.partition.method != "file" || run.cluster.workers == 1) return {};
  if (find<MethodEntry>(run.method) == nullptr || placesItself(run)) return {};
  return partitionFileProblems(run.partition.method,
                               {static_cast<int>(run.cluster.workers), run.partition.imbalance,
                                run.training.seed, run.partition.parameters},
                               shape.split ? std::ssize(shape.split()) : 0, remarks);
}

/// The settings of these sections, as one text.
std::string settingsOf(const RunSettings& run, std::initializer_list<std::string_view> beginnings) {
  std::string all;
  for (const auto& [name, value] : run.flat())
    if (std::ranges::any_of(beginnings, [&](std::string_view begin) { return name.starts_with(begin); }))
      all += name + "=" + value + "\n";
  return all;
}

class Looker {
 public:
  explicit Looker(const Progress& progress) : progress_(progress) {}

  LookFound at(const RunSettings& run) {
    const LookedAt& dataset = datasetOf(run);
    LookFound findings = dataset.findings;
    if (!dataset.shape) return findings;
    noting(findings, [&] { requireFitting(run, *dataset.shape); });
    noting(findings, [&] { requireInitialWeights(run, *dataset.shape); });
    const LookFound& parts = partsOf(run, *dataset.shape);
    findings.wrong.insert(findings.wrong.end(), parts.wrong.begin(), parts.wrong.end());
    findings.damaged.insert(findings.damaged.end(), parts.damaged.begin(), parts.damaged.end());
    findings.remarks.insert(findings.remarks.end(), parts.remarks.begin(), parts.remarks.end());
    if (findings.wrong.empty() && findings.damaged.empty())
      noting(findings, [&] { requireIterations(run, *dataset.shape, progress_); });
    if (placesItself(run) && run.partition.method == "file")
      findings.remarks.push_back("partition.path is not read by `" + run.method +
                                 "`, which places vertices itself");
    return findings;
  }

 private:
  struct LookedAt {
    std::optional<DatasetShape> shape;
    LookFound findings;
  };

  const LookedAt& datasetOf(const RunSettings& run) {
    const auto [entry, fresh] = datasets_.try_emplace(settingsOf(run, {"dataset."}));
    LookedAt& dataset = entry->second;
    if (!fresh) return dataset;
    noting(dataset.findings, [&] { dataset.shape = datasetShape(run.dataset, progress_); });
    if (!dataset.shape) return dataset;
    for (const std::string& remark : dataset.shape->remarks)
      dataset.findings.remarks.push_back(calledName(run.dataset.name) + ": " + remark);
    if (dataset.shape->split && !drawsSplit(run.dataset))
      noting(dataset.findings, [&] { requireTraining(run, *dataset.shape, dataset.shape->split()); });
    return dataset;
  }

  /// What was found of a given partition.
  const LookFound& partsOf(const RunSettings& run, const DatasetShape& shape) {
    const auto [entry, fresh] = parts_.try_emplace(
        run.method + "\n" + settingsOf(run, {"dataset.", "partition.", "cluster.workers"}));
    if (fresh)
      noting(entry->second, [&] { entry->second.wrong = givenProblems(run, shape, entry->second.remarks); });
    return entry->second;
  }

  const Progress& progress_;
  std::map<std::string, LookedAt> datasets_;  // by the keys of [dataset]
  std::map<std::string, LookFound> parts_;    // by those, [partition], the method and the workers
};

}  // namespace

std::vector<LookFound> look(std::span<const RunSettings> runs, const Progress& progress) {
  Looker looker(progress);
  std::vector<LookFound> findings;
  for (const RunSettings& run : runs) findings.push_back(looker.at(run));
  return findings;
}

void requireFitting(const RunSettings& run, const DatasetShape& shape) {
  if (const std::string why = lossMismatch(run.training.loss, shape.multiLabel, calledName(run.dataset.name));
      !why.empty())
    throw InputError(Problem{.key = "training.loss", .message = why});
  std::vector<Problem> problems = partitionerProblems(run, shape);
  if (const MethodEntry* method = find<MethodEntry>(run.method);
      method != nullptr && method->refuseData != nullptr) {
    const std::vector<Index> widths = layerWidths(run.model, shape.features, shape.classes);
    for (Problem& problem : method->refuseData(run, {widths, shape.split}))
      problems.push_back(std::move(problem));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

void requireTraining(const RunSettings& run, const DatasetShape& shape, const std::vector<Split>& split) {
  if (std::ranges::find(split, Split::train) == split.end())
    throw DamagedInput(Problem{.file = run.dataset.split.empty() ? shape.source : run.dataset.split,
                               .key = "split",
                               .message = "no vertex is marked for training; at least one is needed"});
}

std::string readInitialWeights(const std::string& path) {
  const Problem place{.file = path, .key = "training.initial_weights"};
  const auto refuse = [&](const std::string& why) {
    Problem problem = place;
    problem.message = "cannot be read: " + why;
    throw InputError(std::move(problem));
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(std::strerror(errno));
  if (!std::filesystem::is_regular_file(path)) refuse("it is no plain file");
  const auto size = static_cast<std::size_t>(std::filesystem::file_size(path));
  requireRoom(static_cast<double>(size), static_cast<double>(size), "its bytes", place);
  std::string bytes(size, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)) && size > 0) refuse(std::strerror(errno));
  // no bytes at all mean further on that no weights were given
  if (bytes.empty())
    throw DamagedInput(
        Problem{.file = path, .key = "training.initial_weights", .message = "is empty; an .npz"});
  return bytes;
}

std::string jobToJson(std::span<const RunSettings> runs) {
  std::string text;
  for (const RunSettings& run : runs) text += (text.empty() ? "[" : ",") + toJson(run);
  return text.empty() ? "[]" : text + "]";
}

std::vector<RunSettings> jobFromJson(const std::string& text) {
  std::vector<RunSettings> runs;
  for (const Json& run : Json::parse(text)) runs.push_back(runFromJson(run.dump()));
  return runs;
}

std::string foundToJson(std::span<const LookFound> findings) {
  Json all = Json::array();
  for (const LookFound& look : findings) {
    Json wrong = Json::array();
    for (const Problem& p : look.wrong) wrong.push_back({p.file, p.line, p.column, p.key, p.message});
    all.push_back({{"wrong", wrong}, {"damaged", look.damaged}, {"remarks", look.remarks}});
  }
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<LookFound> foundFromJson(const std::string& text) {
  std::vector<LookFound> findings;
  for (const Json& look : Json::parse(text)) {
    LookFound& now = findings.emplace_back();
    for (const Json& p : look.at("wrong")) now.wrong.push_back({p.at(0), p.at(1), p.at(2), p.at(3), p.at(4)});
    now.damaged = look.at("damaged").get<std::vector<std::string>>();
    now.remarks = look.at("remarks").get<std::vector<std::string>>();
  }
  return findings;
}

}  // namespace halo
