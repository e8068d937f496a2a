#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/declaration.h"
#include "engine/base/registry.h"
#include "tests/properties/document.h"
#include "tests/properties/truth.h"

namespace halo::properties {

constexpr Index kAnyLine = -1;

/// What a refusal has to name: the file, and in it a line or a key.
struct Place {
  std::string file;  // its name without folders; " ": the set as a whole
  Index line = 0;    // 0: none has to be named
  std::string key = {};
};

/// A data set as files that belong together.
struct Written {
  struct Break {
    std::string what;
    Place place;
    std::function<void(Written&)> make;
  };

  std::vector<File> files;
  std::string open;                // what is loaded: one of the files, or their folder ("")
  Truth truth;                     // what the files say
  bool certain = true;             // their format can be told without being named
  std::vector<Break> breaks = {};  // of this format; those of any text or array are found by breaksOf
};

/// Who writes the format `declaration.name`: each in a file of its own in writers/. What a format cannot say
/// is left out of Written::truth.
struct WriterEntry {
  Declaration declaration;
  Written (*write)(Truth truth, Random& random) = nullptr;
};

/// A small data set in the format of `writer`, another for every seed.
Written writtenBy(const WriterEntry& writer, std::uint64_t seed);
/// Every way to break one place that has to be refused.
std::vector<Written::Break> breaksOf(const Written& written);

/// A class or a list of classes a line, `vertex class …`, as several formats take them from a file beside
/// them.
File labelLists(const std::string& name, const Truth& truth, const std::vector<Index>& numbers,
                Random& random);
/// {"0": 1, …} or {"0": [0, 1], …} by the vertices' names.
File labelMap(const std::string& name, const Truth& truth, const std::vector<std::string>& names,
              Random& random);

}  // namespace halo::properties
