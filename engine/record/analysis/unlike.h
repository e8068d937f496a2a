#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/record/rows/rows.h"

namespace halo {

/// A run with its keys.
struct ComparedRun {
  const RunRow& run;
  const std::map<std::string, std::string>& parameters;
};

/// Runs that differ in their seeds alone, with the keys that they share, without the seed.
struct ComparedRepeats {
  std::vector<const RunRow*> runs;
  const std::map<std::string, std::string>& parameters;
};

/// A setting in which some runs differ though it is not what they are compared for.
struct Unlike {
  std::string setting;              // a key, kUnlikeOrders, "marks", …
  std::vector<std::string> values;  // of each run, in their order; "–": it has none
};

/// What `setting` is of runs whose methods took different orders for `auto`.
inline constexpr const char* kUnlikeOrders = "the order of layers and the width of rows that travel";
/// What `setting` is of runs that were trained with numbers of 4 and of 8 bytes.
inline constexpr const char* kUnlikePrecision = "the bytes of a number";

/// What `setting` is of runs whose data sets were asked for alike and held something else, as where a split
/// file was changed in between.
inline constexpr const char* kUnlikeData = "the contents of the data set";

/// What keeps runs from being compared as they stand. Methods, their own parameters, partitions and workers
/// are what runs are compared for. Settings are data set, model, training with its seed, threads, link,
/// launcher, hosts, cached layers, precision, contents of the data and what `auto` came to. Of unlike
/// partitioners, what they give parts equally much of is a setting too. The partitioner itself is one where
/// unlike methods have each their own, and so are its imbalance and file. What is recorded besides is one, as
/// it takes time. Of runs and simulations, only the keys that both kinds have count. Cost: linear in the keys
/// of all runs.
std::vector<Unlike> unlikeSettings(std::span<const ComparedRun> runs);
/// Settings in which no two runs are known to differ, and which older ones among them do not say: "not
/// recorded".
std::vector<Unlike> perhapsUnlike(std::span<const ComparedRun> runs);
/// Marks, host and version.
std::vector<Unlike> unlikeMachines(std::span<const ComparedRun> runs);
/// Both of columns of repeats, and the seeds where columns have others. Machines have a value a run, all else
/// a value a column.
std::vector<Unlike> unlikeRepeats(std::span<const ComparedRepeats> columns);

/// Takes away what is `compared`: these keys with those below them. The order of layers goes too where it
/// follows from such a key of the model or the data set.
void leaveOut(std::vector<Unlike>& all, const std::set<std::string>& compared);
/// In what the runs of a ratio differ, besides what is `compared`.
std::vector<Unlike> unlikeBesides(const std::set<std::string>& compared, const ComparedRepeats& repeats,
                                  const ComparedRepeats& over);

/// "runs differ in model.order, training.seed, host and 1 more"; empty where they do not. Without marks,
/// which stand beside runs wherever these are shown.
std::string unlikeSentence(std::span<const Unlike> all);
/// Of settings and machines.
std::string unlikeSentence(std::span<const ComparedRun> runs);

/// Whether a key is a setting; else it says what was found, or where a factor comes from.
bool isSetting(const std::string& key);
/// Whether unlikeSettings goes by this key.
bool touchesComparison(const std::string& key);

}  // namespace halo
