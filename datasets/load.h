#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "datasets/graph/dataset.h"

namespace halo {

/// Loads a set, checks that its parts agree, and fills in what is missing, each marked: a seeded 60/20/20
/// split, generated features or labels. Removes self loops, adds inverse arcs unless directed, and normalises
/// features. Converted sets are cached under $XDG_CACHE_HOME/haloscope and reopened at disk speed while the
/// source is unchanged. Features may stay in a file (mapped_set.h). Throws InputError (unknown name or
/// format, with what is known) or DamagedInput (file, line, what would be right).
Dataset loadDataset(const DatasetRequest& request, const Progress& progress = {});

/// What is known of the set that `request` loads before it is.
struct DatasetShape {
  Index features = 0;  // columns
  std::int32_t classes = 0;
  /// By vertex, read or drawn when asked; empty where only making the set would tell. May be empty itself.
  std::function<std::vector<Split>()> split = {};
  bool multiLabel = false;
  std::string source;                // as of the set
  std::vector<std::string> remarks;  // as of the set, but for those on normalised rows
};
/// A look at the set, by the catalogue or by the header of the converted form. Where there is none the set is
/// loaded, and so converted for who needs it next. Files that replace parts of a generated set are read, and
/// must fit it; the set is not made. Throws as loadDataset does.
DatasetShape datasetShape(const DatasetRequest& request, const Progress& progress = {});

}  // namespace halo
