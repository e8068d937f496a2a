#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/published.h"

namespace halo {

/// What one column of a comparison is held against published figures by.
struct Measured {
  std::map<std::string, std::string> parameters;  // as recorded
  std::string experiment;                         // the text of its file
  std::map<std::string, double> values;           // by metric; not finite or absent: not recorded
  bool completed = true;                          // all of its runs
  bool sharedCores = false;                       // one of its runs had more threads than cores
};

/// A published figure beside ours.
struct Reproduced {
  Published figure;
  std::size_t table = 0;   // number of its [[published]]: those of one differ in their assumptions alone
  bool counted = true;     // by the set of assumptions that its file declares to count
  std::size_t column = 0;  // which of the columns it is held against
  std::optional<std::size_t> over = {};  // and of a ratio the other
  /// What is assumed of each of Published::assuming, by `column` or, where it has no such key, by `over`.
  std::vector<std::pair<std::string, std::string>> assumptions;
  double ours = 0;  // not finite: the recording does not have it, or there is no ratio over 0
  enum class Verdict {
    noBand,
    inside,
    outside,
    tie,
    notRecorded,
    noRatio,
    notCompleted
  } verdict = Verdict::noBand;
  bool timedOnSharedCores = false;  // ours is made of times of workers that waited for cores

  /// What the verdict counts as. An order that comes out says less than a figure that does: it counts apart.
  /// A bound counts elsewhere. With another set than the counted it is not comparable, whatever the verdict.
  enum class Outcome { missed, cameOut, orderOnly, notComparable, bound };
  Outcome outcome() const;
  bool comesOut() const { return outcome() != Outcome::missed; }
};

/// Figures by how they come out, each once. A figure with several sets of assumptions counts by the one that
/// its file declares. So one set stands for all figures of a paper, whichever runs are compared.
struct Standing {
  std::size_t cameOut = 0, calibrated = 0;  // the second: of the first, those that were calibrated to
  std::size_t derived = 0;                  // of cameOut too: values that are not printed, but follow
  std::size_t ordersOnly = 0;
  std::size_t missed = 0, missedOrders = 0;  // the second: of the first
  std::size_t notComparable = 0;             // those whose runs are not among the columns, too
  std::size_t bounds = 0;                    // which another file counts
  std::size_t all() const { return cameOut + ordersOnly + missed + notComparable + bounds; }
};

/// The published figures of the experiments that some runs come from, each against its own file's runs.
struct Reproductions {
  std::vector<Reproduced> figures;   // all of whose runs stand among the columns; the counted set first
  std::vector<std::string> missing;  // where the others stand
  std::vector<std::string> unread;   // which cannot be held against anything, and why
  std::vector<std::string> damaged;  // recorded texts that no version can have recorded, and why
  std::vector<std::string> notes;    // of the files some of whose figures do not come out
};

/// Whether a metric is made of times that workers took; none: there is no such metric.
using TimedByWorkers = std::function<std::optional<bool>(const std::string& metric)>;

/// Which tables are there with other sets than the counted alone: the first figure of each.
std::vector<const Reproduced*> withoutCounted(const Reproductions& all);

/// `columns` in the order of their runs: sets of assumptions that do not count stand in it.
Reproductions reproduced(const std::vector<Measured>& columns, const TimedByWorkers& timed);

Standing standingOf(const Reproductions& all);
/// "4 came out (1 of them calibrated) · 2 order only · 1 did not come out · 0 not comparable", and where
/// there are: " · 5 bounds, counted elsewhere"
std::string toText(const Standing& standing);

}  // namespace halo
