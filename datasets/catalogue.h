#pragma once

#include <string>
#include <vector>

#include "datasets/dataset.h"

namespace halo {

/// A data set known by name: published (read from a folder the user has), generated, or bundled.
struct CatalogueEntry {
  std::string name;
  std::string kind;     // "bundled" | "generated" | "published"
  std::string help;     // one line
  Index vertices = 0;
  Index arcs = 0;       // directed arcs as published
  Index features = 0;
  std::int32_t classes = 0;
  bool multiLabel = false;
  std::string source;   // paper or site
  std::string licence;
};

const std::vector<CatalogueEntry>& catalogue();
const CatalogueEntry* catalogued(const std::string& name);  // nullptr: not known

}  // namespace halo
