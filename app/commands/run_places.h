#pragma once

#include <vector>

#include "engine/experiment/experiment.h"

namespace halo {

/// Where a file says what a problem of one of its runs is about: at the key, or at the [[run]] where nobody
/// wrote the key. For problems that only the data tell, once the files are read.
class RunPlaces {
 public:
  /// set: what `--set` changed in all files.
  explicit RunPlaces(std::vector<Override> set) : set_(std::move(set)) {}

  /// The problem with its place; as it is, where it has one. Reads the experiment again: O(its runs).
  Problem placed(const Experiment& experiment, const RunSettings& run, const Problem& problem) const;

 private:
  std::vector<Override> set_;
};

}  // namespace halo
