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
  std::size_t table = 0;  // number of its [[published]]: those of one differ in their assumptions alone
  /// What is assumed of each of Published::assuming, by `of` or, where it has no such key, by `over`.
  std::vector<std::pair<std::string, std::string>> assumptions;
  double ours = 0;  // not finite: the recording does not have it, or there is no ratio over 0
  enum class Verdict {
    noBand,
    inside,
    explained,  // in a band that leaves the published value out, and says why
    outside,
    tie,
    notRecorded,
    noRatio,
    notCompleted
  } verdict = Verdict::noBand;
  bool timedOnSharedCores = false;  // ours is made of times of workers that waited for cores
  bool comesOut() const {
    return verdict == Verdict::inside || verdict == Verdict::noBand || verdict == Verdict::notCompleted;
  }
};

/// The published figures of the experiments that some runs come from, each against its own file's runs.
struct Reproductions {
  std::vector<Reproduced> figures;   // all of whose runs stand among the columns
  std::vector<std::string> missing;  // where the others stand
  std::vector<std::string> unread;   // which cannot be held against anything, and why
  std::vector<std::string> damaged;  // recorded texts that no version can have recorded, and why
  std::vector<std::string> notes;    // of the files some of whose figures do not come out
};

/// Whether a metric is made of times that workers took; none: there is no such metric.
using TimedByWorkers = std::function<std::optional<bool>(const std::string& metric)>;

Reproductions reproduced(const std::vector<Measured>& columns, const TimedByWorkers& timed);

}  // namespace halo
