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

  /// What the paper says with it, and so what ours is held to: how large it is, or only which of two runs is
  /// ahead. A bound is a magnitude that another file counts: here it is held with further assumptions.
  enum class Counts { magnitude, order, bound };

  std::string where;   // "Table 2, Reddit, 2 partitions"
  std::string metric;  // as `haloscope compare --json` names it
  Counts counts = Counts::magnitude;
  /// As printed. An order may be read off a curve that prints none, and of several values only the range,
  /// which is the band then.
  std::optional<double> value;
  Conditions numerator;
  /// Set: `value` is the ratio of `numerator` to these runs, which are others. Conditions of `numerator` that
  /// it does not name hold here too, with three exceptions. Those of run.* do not hold if it names another
  /// method, and those of device.* if it names another device. Those of simulate.* and platform.* do not hold
  /// if it names a cluster and `numerator` a platform.
  std::optional<Conditions> over;
  /// Keys of what the paper leaves open. `numerator` and `over` may fit several runs that these keys tell
  /// apart. Our result is held against the figure with each set of assumptions.
  std::vector<std::string> assuming;
  /// What the set that counts assumes of each of these, whatever runs are compared. Empty beside `assuming`:
  /// a file of an older version, which declares none.
  Conditions counted;
  double rounding = 0;  // half a unit of the last digit that the value is printed with
  // between which ours counts as reproduced, by the rules of band.h; open where not given
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool banded = false;
  std::string because;               // why the band is as wide as it is
  std::vector<std::string> differs;  // of "machine" and "graph", what is another one here
  std::string derived;               // how `value` follows from what is printed; "": it is printed itself
  bool calibrated = false;           // something here was set so that this figure comes out
  std::string note;                  // why it may not come out
  bool holds(double measurement) const { return measurement >= low && measurement <= high; }
};

/// The [[published]] tables of a recorded experiment. One that cannot be read takes nothing from the others.
struct PublishedFigures {
  std::vector<Published> figures;
  std::vector<std::string> unread;  // which table, and why
  std::string damaged;              // why the text cannot have been recorded by any version; "": it can
  std::string name, notes;          // of the experiment
};

/// Of an experiment file that some version of this program took. Never throws for what stands in it.
PublishedFigures readPublished(const std::string& text);

}  // namespace halo
