#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "datasets/dataset_counts.h"
#include "datasets/load.h"
#include "engine/base/mapped_rows.h"

namespace halo {

/// $XDG_CACHE_HOME/haloscope, by default ~/.cache/haloscope; empty if neither variable is set.
std::filesystem::path cacheFolder();

/// The set in `file` if it was made from sources with this stamp by a program that stores sets the same way.
/// Never throws for what the file holds: a damaged one is nothing, and `remark` says so.
std::optional<Dataset> openCached(const std::filesystem::path& file, const std::string& stamp,
                                  std::string& remark);

/// The same of its header alone, nothing for a damaged one. The shape lacks the split.
std::optional<DatasetCounts> cachedCounts(const std::filesystem::path& file, const std::string& stamp);
std::optional<DatasetShape> cachedShape(const std::filesystem::path& file, const std::string& stamp);

/// Of its split alone, empty for a damaged one.
std::vector<Split> cachedSplit(const std::filesystem::path& file, const std::string& stamp);

/// Where the features of a set lie that are stored whole. Nothing where the file is not there, or is of other
/// sources or another program. Throws DamagedInput where it is damaged or cut short.
std::optional<RowsInFile> mappedPlace(const std::filesystem::path& file, const std::string& stamp);
/// The set but for these features: Dataset::mapped.
std::optional<Dataset> openMapped(const std::filesystem::path& file, const std::string& stamp);
/// Throws DamagedInput where the file has other bytes there than were written. Reads them all.
void requireDigest(const MappedRows& rows);

/// Features with many zeros are smaller by rows; whole ones can be mapped.
enum class StoredFeatures { smaller, whole };

/// Writes the set beside `file` and puts it in place by renaming, so that nobody ever sees half of it.
/// Returns what kept it from being written (full disk, no permission), or "".
std::string storeCached(const std::filesystem::path& file, const Dataset& dataset, const std::string& stamp,
                        StoredFeatures form = StoredFeatures::smaller);

}  // namespace halo
