#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "engine/record/analysis/run_clock.h"
#include "engine/record/comparison/rank_map.h"
#include "engine/record/comparison/scope.h"

namespace halo {

/// What somebody wrote at a moment of a rank.
struct ChipNote {
  std::int64_t rank = 0;
  std::int64_t ns = 0;  // recorded, from the begin of the run's first epoch
  QString text;

  bool operator==(const ChipNote&) const = default;
};

/// A configuration that is compared now: runs of one recording that differ in their seeds alone.
struct Chip {
  QString recording;               // absolute path
  std::vector<std::int64_t> runs;  // by id
  int color = 0;                   // the same in every view as long as the chip is there; see seriesColor()
  std::set<std::int64_t> pinned = {};  // ranks whose lanes stay on top of the timeline
  std::vector<ChipNote> notes = {};    // of the run that the timeline has of it

  bool operator==(const Chip&) const = default;
};

/// What of the chips stands at one place of the time axis.
enum class Alignment {
  epoch,     // the begin of one epoch
  start,     // the begin of the first epoch
  layer,     // the begin of one pass of one layer in that epoch
  accuracy,  // the end of the epoch that first reached a score
};
/// What figures are of: epochs that a person named, or those of the timeline's selection or of what it shows.
enum class FigureScope { epochs, selection, visible };
/// How the time up to an epoch is counted: the epochs alone, or the clock with all that lies between them.
enum class TimeBase { epochs, wall };
/// How the timeline orders lanes: run by run, the same rank of all runs together, host by host, part by
/// part of the graph, or layer by layer.
enum class OrderOfLanes { runs, ranks, nodes, parts, layers };

// their words, in order
inline constexpr std::array<std::string_view, 4> kAlignments = {"epoch", "start", "layer", "accuracy"};
inline constexpr std::array<std::string_view, 3> kFigureScopes = {"epochs", "selection", "visible"};
inline constexpr std::array<std::string_view, 2> kTimeBases = {"epochs", "wall"};
inline constexpr std::array<std::string_view, 5> kOrdersOfLanes = {"runs", "ranks", "nodes", "parts",
                                                                   "layers"};

/// All that a scene is; a value, so that it can be kept, undone and compared.
struct SceneState {
  QString name;
  std::vector<Chip> chips;  // the first is the baseline
  Alignment alignment = Alignment::start;
  std::int64_t epoch = 0;               // of Alignment::epoch and layer
  int layer = 0;                        // of Alignment::layer
  std::optional<double> accuracy = {};  // of Alignment::accuracy; none: the highest that all chips reach
  FigureScope scope = FigureScope::epochs;
  Scope epochs = {};  // of FigureScope::epochs
  TimeBase base = TimeBase::epochs;
  OrderOfLanes lanes = OrderOfLanes::runs;
  TimeClock clock = TimeClock::modelled;  // of runs that recorded both
  RankRule ranks = RankRule::automatic;   // where chips have unlike numbers of ranks

  bool operator==(const SceneState&) const = default;
};

inline constexpr int kMostChips = 8;  // as many as there are colours that can be told apart

/// The letter of a chip by its place: A is the baseline.
QString chipLetter(std::size_t place);

/// Which chip a run is in, and its colour.
struct RunChip {
  std::size_t place = 0;
  int color = 0;
  bool operator==(const RunChip&) const = default;
};
/// Of the runs of a recording that are in chips, by their numbers.
using RunChips = std::map<std::int64_t, RunChip>;
RunChips chipsOfRuns(const SceneState& state, const QString& recording);

/// The runs that are compared now, and what holds for every view of them. Every change can be undone.
class Scene : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  const SceneState& state() const { return state_; }
  QUndoStack& undoStack() { return undo_; }
  /// Where the configuration stands among the chips; −1: nowhere.
  int placeOf(const QString& recording, const std::vector<std::int64_t>& runs) const;

  /// At the end. A configuration that is there already stays where it is, and one with some of these runs
  /// becomes that with all. False: there are kMostChips.
  bool add(const QString& recording, const std::vector<std::int64_t>& runs);
  void remove(int place);
  /// Takes a run out of its chips; a chip without runs goes.
  void removeRun(const QString& recording, std::int64_t run);
  /// Puts a chip in front; the others keep their order.
  void setBaseline(int place);
  void setAlignment(Alignment alignment, std::int64_t epoch = 0, int layer = 0);
  void setAccuracy(std::optional<double> accuracy);
  void setScope(FigureScope scope);
  void setEpochs(const Scope& epochs);
  void setBase(TimeBase base);
  void setLanes(OrderOfLanes lanes);
  void setClock(TimeClock clock);
  void setRanks(RankRule rule);
  void setPinned(int place, const std::set<std::int64_t>& ranks);
  void setNotes(int place, const std::vector<ChipNote>& notes);
  void setName(const QString& name);
  /// Another scene, read or new; what was done before cannot be undone.
  void load(const SceneState& state);

 signals:
  void changed(const halo::SceneState& state);

 private:
  class Change;
  void become(const SceneState& state);
  void change(const QString& caption, const SceneState& state);

  SceneState state_;
  QUndoStack undo_;
};

}  // namespace halo
