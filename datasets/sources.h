#pragma once

#include <filesystem>
#include <string>

#include "datasets/cache.h"
#include "datasets/catalogue.h"
#include "datasets/locate.h"
#include "engine/base/problem.h"

namespace halo {

/// What can be known of the request before anything is read; `entry`: of the catalogue, or nothing. Throws
/// InputError.
void requireSensible(const DatasetRequest& request, const CatalogueEntry* entry);

/// Where its files are.
std::filesystem::path folderOf(const DatasetRequest& request, const CatalogueEntry* entry);

/// Calls use(path) for the files of the set; the system's words about them become ours.
template <class Use>
auto withFiles(const DatasetRequest& request, const CatalogueEntry* entry, Use use) {
  try {
    return use(folderOf(request, entry));
  } catch (const std::filesystem::filesystem_error& error) {
    throw DamagedInput({.file = request.name, .message = "cannot be read: " + error.code().message()});
  }
}

/// Where the set is at `path`, as the request names its format. To be asked once: the file may be read for
/// it.
Located locateFor(const std::filesystem::path& path, const DatasetRequest& request);

/// Where the converted form of this request is kept. Empty: nowhere.
std::filesystem::path cacheFile(const Located& located, const DatasetRequest& request);
/// That of its files as they are now.
std::string stampFor(const Located& located, const DatasetRequest& request);

/// A converted set in a file, and the stamp of what it is made of. No file: nowhere.
struct StoredForm {
  std::filesystem::path file;
  std::string stamp;
};
/// That whose features are mapped: of generated sets too, with rows as the request wants them. Throws as
/// loadDataset does.
StoredForm mappedForm(const DatasetRequest& request);

}  // namespace halo
