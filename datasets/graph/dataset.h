#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/base/mapped_rows.h"

namespace halo {

enum class Split : std::uint8_t { none = 0, train = 1, valid = 2, test = 3 };

/// What a graph is trained on: arcs, features, labels, split. Without duplicates; self loops removed
/// (GCN adds its own). `arcs` row v lists the in-neighbours of v.
struct Dataset {
  std::string name;
  Csr arcs;
  bool directed = false;                  // false: arcs hold both directions
  Matrix features;                        // n × f; without rows where they are mapped
  std::vector<std::int32_t> labels;       // n classes, −1: none; empty when multi-label
  Matrix multiLabels;                     // n × c of 0/1; empty when single-label
  std::int32_t classes = 0;               // c
  std::vector<Split> split;               // n
  Index arcsRead = 0;                     // as written: before loops and repetitions go and inverse arcs come
  Index selfLoops = 0, repeatedArcs = 0;  // of these, left out of `arcs`
  std::vector<std::string> marks;  // "generated features", "generated split", … shown wherever results are
  std::vector<std::string> remarks;  // what was found and done while reading: format chosen, loops removed, …
  std::string source;                // file or generator it came from
  std::string fingerprint;           // hex digest of what was read or of the generator's parameters
  std::optional<RowsInFile> mapped;  // where the features stand that are mapped

  Index vertices() const { return arcs.rows(); }
  bool multiLabel() const { return !multiLabels.empty(); }
  Index count(Split part) const;
};

/// What [dataset] of an experiment file says.
struct DatasetRequest {
  std::string name;                     // catalogue entry, or a path
  std::string format;                   // "" = found out
  double scale = 1.0;                   // generated sets only
  bool directed = false;                // false: inverse arcs are added
  bool normalizeFeatures = false;       // each row divided by its sum
  bool mapFeatures = false;             // they stay in the file of the converted set (mapped_set.h)
  std::string features, labels, split;  // override files; "" = from the set itself
  std::uint64_t seed = 1;               // for what is generated
  double memoryLimitGib = 0;            // of reading; 0: what is free and what the files justify (limits.h)
};

using Progress = std::function<void(const std::string& step, double share)>;  // share in [0, 1]

/// Hex digest of arcs, features, labels and split.
std::string contentDigest(const Dataset& dataset);

}  // namespace halo
