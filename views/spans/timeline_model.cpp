#include "views/spans/timeline_model.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "views/recording/run_data.h"

namespace halo {
namespace {

/// Whether ranks have different ones.
bool differ(const std::map<std::int64_t, QString>& ofRanks) {
  return std::ranges::any_of(ofRanks,
                             [&](const auto& each) { return each.second != ofRanks.begin()->second; });
}

}  // namespace

/// Pictures are kept by version, and another run may take a run's place: no two runs have one alike.
std::uint64_t TimelineModel::nextVersion() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

QString laneText(Lane lane) {
  switch (lane) {
    case Lane::main:
      return QStringLiteral("main");
    case Lane::link:
      return QStringLiteral("link");
    case Lane::phase:
      return QStringLiteral("phase");
    case Lane::wait:
      return QStringLiteral("wait");
    case Lane::message:
      return QStringLiteral("message");
  }
  return {};
}

QString peerText(std::int32_t sub) {
  const std::int32_t row = sub - linkSub(peerOf(sub), 0);
  const QString peer = QStringLiteral("from %1").arg(peerOf(sub));
  return row == 0 ? peer : peer + QStringLiteral(", %1").arg(row + 1);
}

QString layerText(std::int16_t layer) {
  return layer < 0 ? QStringLiteral("no layer") : QStringLiteral("layer %1").arg(layer);
}

TimelineModel::TimelineModel(QObject* parent) : QObject(parent) {
  dividing_.setInterval(0);
  connect(&dividing_, &QTimer::timeout, this, &TimelineModel::divideMore);
}

void TimelineModel::clear() {
  lanes_.clear();
  layers_.clear();
  toldRows_ = 0;
  pending_.clear();
  epochs_.clear();
  roles_.clear();
  hosts_.clear();
  parts_.clear();
  clocks_.clear();
  collapsed_.clear();
  openLinks_.clear();
  extent_ = {};
  ends_.clear();
  setTime({});
  list();
  emit epochsChanged();
  emit extentChanged(extent_);
}

void TimelineModel::setTime(const ShownTime& time) {
  if (time == time_) return;
  time_ = time;
  emit timeChanged();
}

void TimelineModel::setBlock(std::int32_t block) {
  if (block == block_) return;
  block_ = block;
  list();
}

void TimelineModel::setCrowded(bool crowded) {
  if (crowded == crowded_) return;
  crowded_ = crowded;
  list();
}

void TimelineModel::setWorkers(std::span<const WorkerRow> workers, std::map<std::int64_t, double> clocks,
                               std::map<std::int64_t, QString> parts) {
  clocks_ = std::move(clocks);
  roles_.clear();
  std::map<std::int64_t, QString> hosts;
  for (const WorkerRow& worker : workers) hosts[worker.rank] = QString::fromStdString(worker.host);
  const bool moved = hosts != hosts_ || parts != parts_;
  hosts_ = std::move(hosts);
  parts_ = std::move(parts);
  for (const WorkerRow& worker : workers)
    if (const std::string name = engineName(worker); !name.empty())
      roles_[worker.rank] = QString::fromStdString(name);
  if (moved) list();  // lanes may stand by their hosts or parts
  emit spansChanged();
}

QString TimelineModel::hostOf(std::int64_t rank) const {
  const auto host = hosts_.find(rank);
  return host == hosts_.end() ? QString() : host->second;
}

bool TimelineModel::hasHosts() const { return differ(hosts_); }

QString TimelineModel::partOf(std::int64_t rank) const {
  const auto part = parts_.find(rank);
  return part == parts_.end() ? QString() : part->second;
}

bool TimelineModel::hasParts() const { return differ(parts_); }

std::optional<double> TimelineModel::clockMhz(std::int64_t rank) const {
  const auto clock = clocks_.find(rank);
  return clock == clocks_.end() ? std::nullopt : std::optional(clock->second);
}

QString TimelineModel::rankName(std::int64_t rank) const {
  const auto role = roles_.find(rank);
  return role == roles_.end() ? QStringLiteral("rank %1").arg(rank)
                              : QStringLiteral("%1 %2").arg(rank).arg(role->second);
}

void TimelineModel::setDirectory(std::vector<SpanBlockInfo> blocks) {
  pending_.clear();
  for (const SpanBlockInfo& block : blocks) {
    const RowId id{block.rank, block.lane, 0};
    auto at =
        std::find_if(pending_.begin(), pending_.end(), [&](const auto& entry) { return entry.first == id; });
    if (at == pending_.end()) at = pending_.insert(pending_.end(), {id, {}});
    at->second.push_back(block);
    includeSpans(block.rank, {block.firstNs, block.lastNs});
  }
  list();
}

TimelineLane* TimelineModel::laneOf(std::int64_t rank, Lane lane) const {
  const auto at = std::find_if(lanes_.begin(), lanes_.end(),
                               [&](const auto& l) { return l->rank() == rank && l->lane() == lane; });
  return at == lanes_.end() ? nullptr : at->get();
}

void TimelineModel::adopt(std::unique_ptr<TimelineLane> lane) {
  HALO_CHECK(laneOf(lane->rank(), lane->lane()) == nullptr);
  std::erase_if(pending_, [&](const auto& p) { return p.first == RowId{lane->rank(), lane->lane(), 0}; });
  TimeRange range{INT64_MAX, INT64_MIN};
  for (const TimelineLane::Row& row : lane->rows()) {
    if (row.row->spans.empty()) continue;
    range.beginNs = std::min(range.beginNs, row.row->spans.beginNs());
    range.endNs = std::max(range.endNs, row.row->spans.endNs());
  }
  if (range.beginNs <= range.endNs) includeSpans(lane->rank(), range);
  const auto key = [](const auto& l) { return std::pair(l->rank(), placeOf(l->lane())); };
  const auto at = std::upper_bound(lanes_.begin(), lanes_.end(), lane,
                                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  lanes_.insert(at, std::move(lane));
  list();
  divide();
}

void TimelineModel::append(std::int64_t rank, Lane lane, const SpanColumns& spans) {
  if (spans.size() == 0) return;
  TimelineLane* at = laneOf(rank, lane);
  if (at == nullptr) {
    auto fresh = std::make_unique<TimelineLane>(rank, lane);
    fresh->append(spans);
    adopt(std::move(fresh));
    return;
  }
  TimeRange range{INT64_MAX, INT64_MIN};
  for (std::size_t i = 0; i < spans.size(); ++i) {
    range.beginNs = std::min(range.beginNs, spans.begin[i]);
    range.endNs = std::max(range.endNs, spans.endNs(i));
  }
  const std::size_t rowsBefore = at->rows().size();
  at->append(spans);
  version_ = nextVersion();
  if (at->rows().size() != rowsBefore) list();
  divide();
  includeSpans(rank, range);
  emit spansChanged();
}

void TimelineModel::addEpochs(std::span<const EpochRow> epochs) {
  if (epochs.empty()) return;
  for (const EpochRow& epoch : epochs) {
    const auto at =
        std::lower_bound(epochs_.begin(), epochs_.end(), epoch.epoch,
                         [](const EpochRow& row, std::int64_t number) { return row.epoch < number; });
    if (at != epochs_.end() && at->epoch == epoch.epoch)
      *at = epoch;
    else
      epochs_.insert(at, epoch);
  }
  version_ = nextVersion();
  include({epochs.front().beginNs, epochs.back().beginNs + epochs.back().wallNs});
  emit epochsChanged();
}

void TimelineModel::include(TimeRange range) {
  if (range.endNs < range.beginNs) return;
  TimeRange grown = extent_;
  if (extent_.empty()) {
    grown = range;
  } else {
    grown = {std::min(extent_.beginNs, range.beginNs), std::max(extent_.endNs, range.endNs)};
  }
  if (grown == extent_) return;
  extent_ = grown;
  emit extentChanged(extent_);
}

void TimelineModel::includeSpans(std::int64_t rank, TimeRange range) {
  include(range);
  const auto before = newestNs();
  std::int64_t& end = ends_.try_emplace(rank, range.endNs).first->second;
  end = std::max(end, range.endNs);
  if (const auto newest = newestNs(); newest != before) emit newestChanged(*newest);
}

std::optional<std::int64_t> TimelineModel::newestNs() const {
  const auto least =
      std::ranges::min_element(ends_, {}, &std::pair<const std::int64_t, std::int64_t>::second);
  return least == ends_.end() ? std::nullopt : std::optional(least->second);
}

void TimelineModel::list() {
  version_ = nextVersion();
  entries_.clear();
  for (const auto& [lane, layer] : listed()) {
    const auto add = [&](std::int32_t sub, TimelineRow* row) -> RowEntry& {
      return entries_.emplace_back(RowEntry{{lane->rank(), lane->lane(), sub, block_, layer}, row});
    };
    if (lane->inFlight() != nullptr) add(0, lane->inFlight()).inFlight = true;
    if (lane->inFlight() != nullptr && !linkOpen(lane->rank())) continue;
    if (lane->inFlight() != nullptr) lane->showPeers();
    for (const TimelineLane::Row& row : lane->rows()) add(row.sub, row.row.get());
  }
  if (!byLayer_)
    for (const auto& [id, blocks] : pending_) entries_.push_back({{id.rank, id.lane, id.sub, block_}});
  std::sort(entries_.begin(), entries_.end(),
            [](const RowEntry& a, const RowEntry& b) { return a.id < b.id; });
  const auto rankOf = [](const RowEntry& entry) { return std::pair(entry.id.layer, entry.id.rank); };
  for (std::size_t i = 0; i < entries_.size(); ++i)
    entries_[i].firstOfRank = i == 0 || rankOf(entries_[i - 1]) != rankOf(entries_[i]);
  manyRows_ = byLayer_ || ((crowded_ || entries_.size() > kMostRows) && !entries_.empty() &&
                           entries_.front().id.rank != entries_.back().id.rank);
  std::erase_if(entries_, [&](const RowEntry& e) { return collapsed(e.id.rank) && !e.firstOfRank; });
  emit rowsChanged();
}

const RowEntry* TimelineModel::find(RowId id) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), id,
                                   [](const RowEntry& e, RowId i) { return e.id < i; });
  return at != entries_.end() && at->id == id ? &*at : nullptr;
}

std::vector<RowEntry> TimelineModel::everyRow() const {
  std::vector<RowEntry> rows;
  for (const auto& [lane, layer] : listed())
    for (const TimelineLane::Row& row : lane->rows())
      rows.push_back({{lane->rank(), lane->lane(), row.sub, block_, layer}, row.row.get()});
  std::ranges::sort(rows, {}, &RowEntry::id);
  return rows;
}

void TimelineModel::unfoldTo(RowId row) {
  if (find(row) == nullptr) setCollapsed(row.rank, false);
  if (find(row) == nullptr && row.lane == Lane::link) setLinkOpen(row.rank, true);
}

const std::vector<SpanBlockInfo>& TimelineModel::blocksOf(std::int64_t rank, Lane lane) const {
  static const std::vector<SpanBlockInfo> none;
  const auto at = std::find_if(pending_.begin(), pending_.end(), [&](const auto& entry) {
    return entry.first == RowId{rank, lane, 0};
  });
  return at == pending_.end() ? none : at->second;
}

std::vector<Name> TimelineModel::waits() const {
  std::uint64_t all = 0;
  for (const auto& lane : lanes_) all |= lane->waits();
  std::vector<Name> names;
  for (unsigned name = 0; name < 64; ++name)
    if ((all >> name & 1) != 0) names.push_back(static_cast<Name>(name));
  return names;
}

std::size_t TimelineModel::spans() const {
  std::size_t spans = 0;
  for (const auto& lane : lanes_) spans += lane->size();
  return spans;
}

std::size_t TimelineModel::bytes() const {
  std::size_t bytes = layers_.bytes();
  for (const auto& lane : lanes_) bytes += lane->bytes();
  return bytes;
}

void TimelineModel::setCollapsed(std::int64_t rank, bool collapsed) {
  if (collapsed == this->collapsed(rank)) return;
  collapsed_[rank] = collapsed;
  list();
}

void TimelineModel::setAllCollapsed(bool collapsed) {
  for (const RowEntry& entry : entries_) collapsed_[entry.id.rank] = collapsed;
  list();
}

bool TimelineModel::collapsed(std::int64_t rank) const {
  const auto set = collapsed_.find(rank);
  return set == collapsed_.end() ? manyRows_ : set->second;
}

void TimelineModel::setLinkOpen(std::int64_t rank, bool open) {
  if (open == linkOpen(rank)) return;
  open ? (void)openLinks_.insert(rank) : (void)openLinks_.erase(rank);
  list();
}

bool TimelineModel::allCollapsed() const {
  return std::ranges::all_of(entries_, [this](const RowEntry& entry) { return collapsed(entry.id.rank); });
}

std::optional<std::size_t> TimelineModel::epochAt(std::int64_t ns) const {
  const auto after = std::upper_bound(epochs_.begin(), epochs_.end(), ns,
                                      [](std::int64_t t, const EpochRow& row) { return t < row.beginNs; });
  if (after == epochs_.begin()) return std::nullopt;
  return at(after - epochs_.begin() - 1);
}

}  // namespace halo
