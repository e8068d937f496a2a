#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace halo {

/// A figure that a paper prints, and the runs of the same file that can be held against it ([[published]]).
struct Published {
  /// Keys as the file writes them ("run.method", "cluster.workers") with the values that a run must have.
  using Conditions = std::map<std::string, std::string>;

  std::string where;   // "Table 2, Reddit, 2 partitions"
  std::string metric;  // as `haloscope compare --json` names it
  double value = 0;    // as printed
  Conditions of;
  /// Set: `value` is the ratio of `of` to these runs. Conditions of `of` that it does not name hold here
  /// too, but those of another method's parameters.
  std::optional<Conditions> over;
  // between which ours counts as reproduced; open where not given
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool banded = false;
  std::string note;  // why it may not come out
};

/// Whether a run's resolved keys (RunSettings::flat) meet the conditions.
bool meets(const std::map<std::string, std::string>& parameters, const Published::Conditions& conditions);

/// The [[published]] tables of an experiment file that was read before. Throws InputError if there is
/// something wrong with them after all.
std::vector<Published> readPublished(const std::string& text);

}  // namespace halo
