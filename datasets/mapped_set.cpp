#include "datasets/mapped_set.h"

#include <fmt/format.h>

#include "datasets/cache.h"
#include "datasets/sources.h"
#include "engine/base/plain_text.h"

namespace halo {
namespace {

constexpr const char* kKey = "dataset.map_features";

/// The command that makes the file of this request.
std::string commandFor(const DatasetRequest& request) {
  std::string command = "haloscope dataset map " + shellWord(request.name);
  const auto add = [&](const char* option, const std::string& value) {
    command += fmt::format(" {} {}", option, shellWord(value));
  };
  if (!request.format.empty()) add("--format", request.format);
  if (request.scale != 1) add("--scale", fmt::format("{}", request.scale));
  if (request.seed != 1) add("--seed", std::to_string(request.seed));
  if (request.directed) command += " --directed";
  if (request.normalizeFeatures) add("--normalize-features", "row");
  if (!request.features.empty()) add("--features", request.features);
  if (!request.labels.empty()) add("--labels", request.labels);
  if (!request.split.empty()) add("--split", request.split);
  return command;
}

[[noreturn]] void refuseUnconverted(const DatasetRequest& request) {
  throw InputError(
      {.key = kKey,
       .message = fmt::format("'{}' has no converted form with features to map, or its files have changed "
                              "since; convert it first: `{}`",
                              request.name, commandFor(request))});
}

/// use(form), which gives nothing where there is none.
template <class Use>
auto opened(const DatasetRequest& request, Use use) {
  const StoredForm form = mappedForm(request);
  try {
    if (auto result = use(form)) return std::move(*result);
  } catch (const DamagedInput& error) {
    throw DamagedInput(
        {.key = kKey,
         .message = fmt::format("{}; convert it again: `{}`", error.what(), commandFor(request))});
  }
  refuseUnconverted(request);
}

}  // namespace

std::filesystem::path convertForMapping(DatasetRequest request, const Progress& progress) {
  request.mapFeatures = false;
  const StoredForm form = mappedForm(request);
  if (form.file.empty())
    throw EnvironmentError("there is no place for converted sets: neither XDG_CACHE_HOME nor HOME is set");
  const Dataset dataset = loadDataset(request, progress);
  const std::string wrong = mappedForm(request).stamp == form.stamp
                                ? storeCached(form.file, dataset, form.stamp, StoredFeatures::whole)
                                : "its files changed meanwhile";
  if (!wrong.empty()) throw EnvironmentError(form.file.string() + ": cannot be written: " + wrong);
  return form.file;
}

Dataset loadMapped(const DatasetRequest& request) {
  return opened(request, [](const StoredForm& form) { return openMapped(form.file, form.stamp); });
}

DatasetShape mappedShape(const DatasetRequest& request) {
  return opened(request, [](const StoredForm& form) {
    std::optional<DatasetShape> shape;
    if (mappedPlace(form.file, form.stamp)) shape = cachedShape(form.file, form.stamp);
    if (shape) shape->split = [form] { return cachedSplit(form.file, form.stamp); };
    return shape;
  });
}

}  // namespace halo
