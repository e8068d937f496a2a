#include "datasets/sources.h"

#include <algorithm>

#include "datasets/catalogue.h"
#include "datasets/graph/digest.h"
#include "datasets/input/packings.h"
#include "datasets/input/unpack.h"
#include "datasets/stamp.h"
#include "datasets/text/text.h"
#include "datasets/unread.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& key, const std::string& message) {
  throw InputError({.key = key, .message = message});
}

void requireOverrides(const DatasetRequest& request) {
  std::vector<Problem> problems;
  const std::pair<const char*, const std::string*> overrides[] = {{"dataset.features", &request.features},
                                                                  {"dataset.labels", &request.labels},
                                                                  {"dataset.split", &request.split}};
  for (const auto& [key, file] : overrides) {
    if (file->empty()) continue;
    if (!fs::exists(*file))
      problems.push_back({.key = key, .message = *file + ": there is no such file or folder"});
    else if (fs::is_other(*file))  // it is opened several times, and each time would be another part of it
      problems.push_back({.key = key, .message = *file + ": is a pipe, a device or a socket; a plain file"});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// One path for every spelling of it ("cora", "./cora/"). A file keeps its own name, links or not: the labels
/// beside it belong to that place.
fs::path placeOf(const fs::path& path) {
  if (fs::is_directory(path)) return fs::canonical(path);
  return fs::canonical(fs::absolute(path).parent_path()) / path.filename();
}

std::string formatOf(const Located& located) { return std::string(located.format->declaration.name); }

Digest keyOf(const std::string& place, const std::string& format, const DatasetRequest& request) {
  Digest key;
  key.add(place).add(format).add(request.directed).add(request.seed);
  for (const std::string* file : {&request.features, &request.labels, &request.split})
    key.add(file->empty() ? "" : placeOf(*file).native());
  return key;
}

fs::path keptAs(const fs::path& place, const Digest& key, const std::string& ending) {
  const fs::path folder = cacheFolder();
  return folder.empty() ? fs::path() : folder / (place.stem().string() + "-" + key.hex() + ending);
}

/// Of these files and those that the request names.
std::string stampOfAll(std::vector<fs::path> sources, const DatasetRequest& request) {
  for (const std::string* file : {&request.features, &request.labels, &request.split}) {
    if (file->empty()) continue;
    sources.push_back(placeOf(*file));
    if (!fs::is_directory(*file)) continue;
    for (const auto& entry : fs::directory_iterator(sources.back())) sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  return stampOf(sources);
}

void refuseScale(const fs::path& path, const DatasetRequest& request) {
  if (request.scale != 1)
    refuse("dataset.scale",
           "only generated data sets have a scale; '" + path.string() + "' is read from files");
}

[[noreturn]] void refuseUnknown(const std::string& name) {
  std::vector<std::string> names;
  std::string list;
  for (const CatalogueEntry& entry : catalogue()) {
    names.push_back(entry.name);
    list += (list.empty() ? "" : ", ") + entry.name;
  }
  const std::string suggestion = nearest(name, names);
  refuse("dataset.name", "'" + name + "' is neither in the catalogue nor a file or folder" +
                             (suggestion.empty() ? "" : "; did you mean '" + suggestion + "'?") +
                             "; the catalogue has " + list);
}

}  // namespace

fs::path cacheFile(const Located& located, const DatasetRequest& request) {
  return keptAs(placeOf(located.path), keyOf(placeOf(located.path).native(), formatOf(located), request),
                ".haloset");
}

std::string stampFor(const Located& located, const DatasetRequest& request) {
  const fs::path labels = located.labels.empty() ? fs::path() : placeOf(located.labels);
  return stampOfAll(sourcesOf({placeOf(located.path), located.format, {}, labels}), request);
}

StoredForm mappedForm(const DatasetRequest& request) {
  const CatalogueEntry* entry = catalogued(request.name);
  requireSensible(request, entry);
  const auto form = [&](const fs::path& place, const std::string& format, std::vector<fs::path> sources) {
    Digest key = keyOf(place.native(), format, request);
    key.add(request.scale).add(request.normalizeFeatures);
    return StoredForm{keptAs(place, key, ".mapped.haloset"), stampOfAll(std::move(sources), request)};
  };
  if (entry && entry->kind != "published") return form(entry->name, "", {});
  return withFiles(request, entry, [&](const fs::path& path) {
    const Located located = locateFor(path, request);
    const fs::path labels = located.labels.empty() ? fs::path() : placeOf(located.labels);
    const fs::path place = placeOf(located.path);
    return form(place, formatOf(located), sourcesOf({place, located.format, {}, labels}));
  });
}

Located locateFor(const fs::path& path, const DatasetRequest& request) {
  refuseScale(path, request);
  Located located = locate(path, request.format, !request.labels.empty());
  const fs::path named[] = {request.features, request.labels, request.split};
  if (std::string unread = remarkUnread(path, located, named); !unread.empty())
    located.remarks.push_back(std::move(unread));
  for (std::string& remark : located.remarks) remark = inOneLine(std::move(remark));
  return located;
}

fs::path folderOf(const DatasetRequest& request, const CatalogueEntry* entry) {
  return entry ? publishedFolder(entry->name) : fs::path(request.name);
}

void requireSensible(const DatasetRequest& request, const CatalogueEntry* entry) {
  if (request.name.empty()) refuse("dataset.name", "is empty; an entry of the catalogue, a file or a folder");
  requireOverrides(request);
  std::error_code unreadable;
  if (!entry && !fs::exists(request.name, unreadable)) {
    requireData(request.name);  // a link whose content is elsewhere is there all the same
    refuseUnknown(request.name);
  }
  if (!entry) refusePipe(request.name);
  if (entry && entry->kind != "published" && !request.format.empty())
    refuse("dataset.format", "'" + entry->name +
                                 "' is made here and read from no file; leave out the format '" +
                                 request.format + "', or name a file or folder");
}

}  // namespace halo
