#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "engine/record/rows/rows.h"
#include "engine/record/tables/spans.h"
#include "views/recording/shown_time.h"
#include "views/recording/time_window.h"
#include "views/spans/layer_lanes.h"

namespace halo {

/// The place of a lane among those of its rank: why a rank waits stands below what it does.
constexpr int placeOf(Lane lane) {
  constexpr int kPlaces[kLanes] = {0, 2, 3, 1, 4};
  return kPlaces[static_cast<std::size_t>(lane)];
}

/// The layer of a row that has the spans of all.
inline constexpr std::int16_t kEveryLayer = -2;
/// Layers in their order, and what belongs to none (−1) after them.
constexpr int placeOfLayer(std::int16_t layer) { return layer == -1 ? INT16_MAX : layer; }
/// "layer 1", or "no layer".
QString layerText(std::int16_t layer);

/// Where a row stands: rank, lane and row of the lane (linkSub() in lane link). Also which of the runs below
/// each other it is of, and of which layer its spans are.
struct RowId {
  std::int64_t rank = -1;
  Lane lane = Lane::main;
  std::int32_t sub = 0;
  std::int32_t block = 0;
  std::int16_t layer = kEveryLayer;
  bool operator==(const RowId&) const = default;
  auto operator<=>(const RowId& other) const {
    return std::tuple(block, placeOfLayer(layer), rank, placeOf(lane), sub) <=>
           std::tuple(other.block, placeOfLayer(other.layer), other.rank, placeOf(other.lane), other.sub);
  }
};

/// A span by its row and its place in it.
struct SpanId {
  RowId row;
  std::size_t index = 0;
  bool operator==(const SpanId&) const = default;
};

/// A row as the timeline lists it. `row` is null while only the recording's directory is known.
struct RowEntry {
  RowId id;
  TimelineRow* row = nullptr;
  bool firstOfRank = false;  // of its layer, where rows are divided
  bool inFlight = false;  // of all transfers of the rank; those of each peer stand below it where it is open
};

/// ns and spans of an area; of spans that reach out of it only the part inside counts.
struct AreaStatistics {
  KindTimes ns{};
  std::int64_t spans = 0;
};

/// The same of what a person selected, and which rows it counts.
struct SelectionStatistics : AreaStatistics {
  Lane lane = Lane::main;
  std::size_t rows = 0;  // of that lane, each layer of a rank in the same; shares are of range × rows
};

/// What the timeline shows of one run: rows in order of rank, main, wait, link, phase; epochs; what is known
/// of lanes still being read. Transfers of a rank are one row until its link is opened. Knows spans and never
/// widgets. Lives in the window's thread.
class TimelineModel : public QObject {
  Q_OBJECT
 public:
  explicit TimelineModel(QObject* parent = nullptr);

  void clear();
  /// The place of the run among those below each other; its rows carry it.
  void setBlock(std::int32_t block);
  std::int32_t block() const { return block_; }
  /// Runs below each other share the height: ranks begin collapsed.
  void setCrowded(bool crowded);
  /// Lists rows by the layers of their spans, each rank folded: copies of the spans, made between events.
  void setByLayer(bool byLayer);
  bool byLayer() const { return byLayer_; }
  /// No span is still to be copied to the row of its layer.
  bool settled() const { return !dividing_.isActive(); }
  /// Whether spans tell their layers: the first ones of main lanes are asked.
  bool hasLayers() const;
  /// The recording's list of blocks: lanes and their extent before any span is read.
  void setDirectory(std::vector<SpanBlockInfo> blocks);
  void adopt(std::unique_ptr<TimelineLane> lane);
  void append(std::int64_t rank, Lane lane, const SpanColumns& spans);
  /// Adds or replaces by number.
  void addEpochs(std::span<const EpochRow> epochs);
  /// What ranks do, where that is not the same for all, the clocks that they count by, as clocksOf, and their
  /// parts, as partsOfRanks.
  void setWorkers(std::span<const WorkerRow> workers, std::map<std::int64_t, double> clocks = {},
                  std::map<std::int64_t, QString> parts = {});

  /// In what the times of spans and epochs are told.
  void setTime(const ShownTime& time);
  const ShownTime& time() const { return time_; }

  TimeRange extent() const { return extent_; }
  /// How far the spans of every rank that has any are known; nothing without spans. Epochs may reach further,
  /// and so may some ranks: spans come in lumps.
  std::optional<std::int64_t> newestNs() const;
  const std::vector<RowEntry>& rows() const { return entries_; }
  const RowEntry* find(RowId id) const;
  /// All rows of spans that are read, in the same order, whether they are listed or not; transfers by their
  /// peers alone.
  std::vector<RowEntry> everyRow() const;
  /// Lists a row of these: unfolds its rank, opens its link.
  void unfoldTo(RowId row);
  /// The main lanes that are read, of spans of all layers: of one rank (or null), and of each.
  TimelineRow* mainOf(std::int64_t rank) const;
  std::vector<const TimelineRow*> mainRows() const;
  /// The ranks that have one; empty while some main lane is not read.
  std::vector<std::int64_t> mainRanks() const;
  /// Where a span of a rank stands among everyRow().
  std::optional<SpanId> locate(std::int64_t rank, const Span& span) const;
  const std::vector<EpochRow>& epochs() const { return epochs_; }
  /// "rank 3", or "3 hbm" for an engine of a simulated device, "3 updater" for what updates.
  QString rankName(std::int64_t rank) const;
  /// Where a rank runs; empty: it is not known.
  QString hostOf(std::int64_t rank) const;
  /// Whether ranks run on several hosts.
  bool hasHosts() const;
  /// On which part of the graph a rank works: its number and size; empty: on none.
  QString partOf(std::int64_t rank) const;
  /// Whether the graph has several parts.
  bool hasParts() const;
  bool hasRole(std::int64_t rank) const { return roles_.contains(rank); }
  /// Of a simulated engine; nothing where time is not counted in cycles.
  std::optional<double> clockMhz(std::int64_t rank) const;
  const std::vector<SpanBlockInfo>& blocksOf(std::int64_t rank, Lane lane) const;  // of lanes not yet read
  /// What the spans read so far wait for, in the order of their numbers.
  std::vector<Name> waits() const;
  std::size_t spans() const;
  std::size_t bytes() const;
  std::uint64_t version() const { return version_; }  // changes whenever a picture may

  /// Only the first row of a collapsed rank is listed. Where all rows would be more than kMostRows every rank
  /// of several begins collapsed. So it does where runs stand below each other. What is set goes before that.
  static constexpr std::size_t kMostRows = 64;
  void setCollapsed(std::int64_t rank, bool collapsed);
  void setAllCollapsed(bool collapsed);
  bool collapsed(std::int64_t rank) const;
  bool allCollapsed() const;

  /// Whether the transfers of a rank stand by their peers, below the row of all.
  void setLinkOpen(std::int64_t rank, bool open);
  bool linkOpen(std::int64_t rank) const { return openLinks_.contains(rank); }

  /// `rows` empty: all spans. Of a row of all transfers in flight the time with any, and how many there are.
  /// O(rows · log spans).
  AreaStatistics statistics(TimeRange range, const std::set<RowId>& rows) const;

  /// Of an area somebody chose (`chosen` empty: all rows). There every moment of a rank must count once, but
  /// epochs and transfers run beside what the main lane does. So main lanes alone count where a main lane is
  /// chosen, else links, else phases. Idle is what a main lane's spans leave, as in the breakdown.
  SelectionStatistics selectionStatistics(TimeRange range, const std::set<RowId>& chosen) const;

  /// Why a rank waited in a range: pieces of its lane wait that touch it, as they are.
  std::vector<Span> waitsWithin(std::int64_t rank, TimeRange range) const;

  /// Number of the epoch that holds `ns`, or of the last before it.
  std::optional<std::size_t> epochAt(std::int64_t ns) const;

 signals:
  void rowsChanged();   // which rows there are
  void spansChanged();  // what stands in them
  void extentChanged(halo::TimeRange extent);
  void newestChanged(qint64 ns);  // after extentChanged
  void epochsChanged();
  void timeChanged();

 private:
  TimelineLane* laneOf(std::int64_t rank, Lane lane) const;
  /// As they are listed: of each lane the rows of all layers, or of each.
  struct Listed {
    TimelineLane* lane;
    std::int16_t layer;
  };
  std::vector<Listed> listed() const;
  static std::uint64_t nextVersion();
  void divide();
  void divideMore();
  void tellDivided();
  void include(TimeRange range);
  void includeSpans(std::int64_t rank, TimeRange range);
  void list();

  std::vector<std::unique_ptr<TimelineLane>> lanes_;  // in order of rank, lane
  LayerLanes layers_;                                 // of lanes_, where rows are listed by layers
  bool byLayer_ = false;
  QTimer dividing_;
  QElapsedTimer sinceShown_;  // since rows by layers were last shown
  std::size_t toldRows_ = 0;  // how many there were
  std::vector<std::pair<RowId, std::vector<SpanBlockInfo>>> pending_;
  std::vector<RowEntry> entries_;
  std::vector<EpochRow> epochs_;
  ShownTime time_;
  std::map<std::int64_t, QString> roles_;   // of ranks that do not just train
  std::map<std::int64_t, QString> hosts_;   // of all ranks
  std::map<std::int64_t, QString> parts_;   // of those that own vertices
  std::map<std::int64_t, double> clocks_;   // MHz, by rank
  std::map<std::int64_t, bool> collapsed_;  // as set
  std::set<std::int64_t> openLinks_;        // ranks
  bool manyRows_ = false;
  bool crowded_ = false;
  std::int32_t block_ = 0;
  TimeRange extent_;
  std::map<std::int64_t, std::int64_t> ends_;  // of the newest span, by rank
  std::uint64_t version_ = 0;
};

QString laneText(Lane lane);
/// Of a row of lane link that is of one peer: "from 3", its second row "from 3, 2".
QString peerText(std::int32_t sub);

}  // namespace halo
