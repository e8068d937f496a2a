#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/contract/format.h"

namespace halo {

/// What a data set is read from and by whom.
struct Located {
  std::filesystem::path path;
  const FormatEntry* format = nullptr;
  std::vector<std::string> remarks = {};  // which forms and labels lay side by side, which ones were taken
  std::filesystem::path labels = {};      // beside it, for formats that have none themselves; empty: none
};

/// Finds out the format of a file or folder; `format`: the one the person named, or "". In a folder, where
/// several forms lie side by side, the one of least priority number is taken and that is remarked. Throws
/// InputError: nothing there, no readable form (naming those there are), several files of the form.
/// `ownLabels`: labels come from elsewhere, so that none beside a graph are looked for.
Located locate(const std::filesystem::path& path, const std::string& format, bool ownLabels = false);

/// What a data set of the catalogue, a file or a folder is called in recordings and tables.
std::string calledName(const std::string& requested);

/// Every file on which the set may depend. For a file these are itself and the labels beside it. For a folder
/// they are what it holds, also behind links.
std::vector<std::filesystem::path> sourcesOf(const Located& located);

/// Where the files of a published set of the catalogue are: below the folders of $HALO_DATA, the current one,
/// and data in it. Throws InputError saying where to put them.
std::filesystem::path publishedFolder(const std::string& name);

}  // namespace halo
