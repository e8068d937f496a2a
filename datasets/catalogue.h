#pragma once

#include <string>
#include <vector>

#include "datasets/graph/dataset.h"

namespace halo {

/// A data set known by name: published (read from a folder the user has), generated, or bundled.
struct CatalogueEntry {
  std::string name;
  std::string kind;  // "bundled" | "generated" | "published"
  std::string help;  // one line
  Index vertices = 0;
  Index arcs = 0;  // directed arcs as published, both directions of an undirected edge; generated: about
  Index features = 0;
  std::int32_t classes = 0;
  bool multiLabel = false;
  std::string source;  // paper or site
  std::string licence;
};

const std::vector<CatalogueEntry>& catalogue();
const CatalogueEntry* catalogued(const std::string& name);  // nullptr: not known

/// The complete data set of an entry that needs no file (bundled or generated), in memory.
///
/// scale, seed  of generated ones; the karate club is whole and always the same.
/// Throws InputError for a scale that the entry has not, and for a published entry: that one is read from a
/// folder.
Dataset makeCatalogued(const CatalogueEntry& entry, double scale, std::uint64_t seed,
                       const Progress& progress = {});

}  // namespace halo
