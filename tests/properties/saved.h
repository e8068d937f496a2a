#pragma once

#include <filesystem>
#include <string>

#include "datasets/graph/dataset.h"
#include "tests/properties/writer.h"
#include "tests/support/scratch.h"

namespace halo::properties {

/// A written set on the disk as long as the object lives. Nothing of it is kept in a cache of converted sets.
class SavedSet {
 public:
  explicit SavedSet(const Written& written);

  std::filesystem::path path() const { return open_; }
  Dataset load(const std::string& format, bool directed) const;
  /// The files with their texts, for who looks at a case that failed.
  std::string listing() const { return listing_; }

 private:
  Scratch folder_;
  std::filesystem::path open_;
  std::string listing_;
};

}  // namespace halo::properties
