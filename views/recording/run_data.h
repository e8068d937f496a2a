#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/record/analysis/breakdown.h"
#include "engine/record/analysis/pairing.h"
#include "engine/record/rows/batch_rows.h"
#include "engine/record/rows/rows.h"
#include "views/recording/shown_time.h"
#include "views/recording/time_window.h"

namespace halo {

/// The run table at one moment.
struct RunsData {
  std::vector<RunRow> runs;  // by id
  std::map<std::int64_t, std::map<std::string, double>> latest;
  std::map<std::int64_t, ExperimentRow> experiments;  // with their text where it has published figures
  /// Settings by which runs and simulations are held against each other: of kComparedSections. Only there
  /// where there are simulations, or runs that say what their hosts' network carries.
  std::map<std::int64_t, std::map<std::string, std::string>> parameters = {};
  /// All settings of the runs of experiments with published figures.
  std::map<std::int64_t, std::map<std::string, std::string>> publishedSettings = {};
  /// What keeps runs from being compared (engine/record/analysis/unlike.h), where not all of them have it
  /// alike.
  std::map<std::int64_t, std::map<std::string, std::string>> unlike = {};
  std::map<std::int64_t, QString> namesApart = {};  // views/recording/names_apart.h; empty: whole names serve
};

/// For several threads at a time: nobody changes them, and thousands of runs are not copied.
using SharedRuns = std::shared_ptr<const RunsData>;

/// What pairing goes by, and the node of a platform.
inline constexpr auto kComparedSections = [] {
  std::array<std::string_view, kPairingSections.size() + 1> all;
  std::ranges::copy(kPairingSections, all.begin());
  all.back() = "platform";
  return all;
}();

/// Where the time of every rank went within `range`; rank i stands at i.
struct BreakdownData {
  TimeRange range;
  std::vector<Breakdown> ranks;  // all zero for one that is left out
  bool measured = false;         // false: no spans were recorded, so nothing is known
  /// Of ranks whose spans cannot be read: a sentence each, naming the block.
  std::vector<std::string> leftOut = {};
};

/// In the time of another clock. Parts still add up to the range to the nanosecond.
BreakdownData divided(BreakdownData data, double divisor);

/// A rectangle of a timeline drawn for paper.
struct LaneBox {
  std::int64_t rank = 0;
  Lane lane = Lane::main;
  std::int64_t beginNs = 0, endNs = 0;
  Kind kind = Kind::compute;
  std::optional<Name> waits = {};  // of idle: for what
  double share = 1;                // of its time in which anything is at work
};

struct LanesData {
  TimeRange range;
  std::vector<LaneBox> boxes;  // lanes main and link, by rank
  bool coalesced = false;      // there were too many: each box is the largest part of its stretch
  bool complete = true;        // all that was recorded lies in `range`
  /// Of blocks whose spans cannot be read: a sentence each, naming the block.
  std::vector<std::string> leftOut = {};
};

/// What the views draw of one run, apart from its spans.
struct RunData {
  RunRow run;
  std::string experimentText;
  std::map<std::string, std::string> parameters;
  std::map<std::string, double> latest;
  std::vector<WorkerRow> workers;
  std::vector<EpochRow> epochs;
  std::vector<MessageRow>
      messages;             // summed over the epochs (epoch −1): one row a layer, pass, source and target
  BreakdownData breakdown;  // asked for apart: it costs reading every span
  LanesData lanes;          // asked for apart too
  BatchRows batches;        // of training in mini-batches
  std::vector<ActorRow> actors = {};  // who does their stages; of a node of processors and cards
  std::int64_t spans = 0;
  std::string log;     // artifact "log", if the run kept one
  std::string launch;  // artifact "launch": the launcher's command line

  RunClock clock() const { return runClock(run, parameters); }
};

class Database;

/// How many runs of how many are read.
using RunsReached = std::function<void(std::int64_t runs, std::int64_t total)>;
/// `reached` is told now and then; what it throws ends the reading.
RunsData readRuns(Database& database, const RunsReached& reached = {});
/// Throws RecordError, also where the run claims workers that it cannot have had; DamagedInput where the run
/// is not there. `before`: what was read of it earlier; then only the epochs since are read.
RunData readRun(Database& database, std::int64_t run, const RunData* before = nullptr);
/// By interval unions over the spans of each rank. `range` empty: from the first span to the end of the last.
/// A rank with a damaged block in `range` is left out: its time cannot be divided. `stop`, asked before each
/// rank, ends the work early; what is returned then means nothing. Memory: the spans of one rank at a time.
BreakdownData readBreakdown(Database& database, std::int64_t run, std::int64_t ranks, TimeRange range,
                            const std::function<bool()>& stop = {});

/// Spans of `range` (empty: the whole run) as rectangles; a lane of more than `columns` spans is divided into
/// so many stretches.
LanesData readLanes(Database& database, std::int64_t run, std::int64_t ranks, TimeRange range, int columns);

/// What a rank does where that is not training alone: an engine of a simulated device ("spu: adders" is
/// "adders"), "updater"; else "".
std::string engineName(const WorkerRow& worker);
/// That of every rank, "" for one that trains; as long as `ranks`.
std::vector<std::string> engineNames(const RunData& data, std::size_t ranks);

/// Whether the lanes are of a simulated device, pipeline or node, none of workers that train.
bool ofDevices(const RunData& data);
/// What lanes waited for, in the order of its names.
std::vector<Name> waitsOf(const BreakdownData& data);
/// What the timeline of a simulation stretches over: "one epoch", "200 iterations"; "" of a run.
std::string simulatedExtent(const RunData& data);
/// MHz of the clock by which each row of a simulated device or pipeline counts its cycles, where it has one.
/// Taken from the frequencies that are recorded of the devices.
std::map<std::int64_t, double> clocksOf(const std::vector<WorkerRow>& workers,
                                        const std::map<std::string, std::string>& parameters);

/// Time from the run's first epoch to the end of epoch i, in seconds.
double secondsAt(const RunData& data, std::size_t i);
/// Median time of the epochs after the first that fill no pipeline (EpochRow), ns; 0 without any.
std::int64_t medianEpochNs(const RunData& data);

}  // namespace halo
