#include "views/recording/breakdown_model.h"

#include "engine/base/index.h"
#include "views/look/units.h"

namespace halo {

namespace {

std::int64_t part(const Breakdown& rank, BreakdownModel::Column column) {
  switch (column) {
    case BreakdownModel::Compute:
      return rank.computeNs;
    case BreakdownModel::Exchanges:
      return rank.exchangeWaitNs;
    case BreakdownModel::Quantise:
      return rank.quantiseNs;
    case BreakdownModel::Synchronise:
      return rank.synchroniseNs;
    case BreakdownModel::Other:
      return rank.otherNs;
    case BreakdownModel::Idle:
      return rank.idleNs;
    case BreakdownModel::Total:
      return rank.totalNs();
    case BreakdownModel::Hidden:
      return rank.hiddenNs;
    case BreakdownModel::Worker:
    case BreakdownModel::ColumnCount:
      break;
  }
  return 0;
}

}  // namespace

void BreakdownModel::setBreakdown(BreakdownData data, std::vector<std::string> names, bool devices) {
  std::vector<Name> causes = waitsOf(data);
  const bool same = data.ranks.size() == data_.ranks.size() && causes == causes_ && devices == devices_;
  if (!same) beginResetModel();
  devices_ = devices;
  data_ = std::move(data);
  names_ = std::move(names);
  causes_ = std::move(causes);
  if (!same)
    endResetModel();
  else if (rowCount() > 0)
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int BreakdownModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || data_.ranks.empty() ? 0 : static_cast<int>(data_.ranks.size()) + 1;
}

int BreakdownModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount + static_cast<int>(causes_.size());
}

std::int64_t BreakdownModel::nsOf(const Breakdown& rank, int column) const {
  if (column < ColumnCount) return part(rank, static_cast<Column>(column));
  const Name cause = causes_[at(column - ColumnCount)];
  const auto& causes = isReason(cause) ? rank.reasonNs : rank.waitedNs;
  const auto waited = causes.find(cause);
  return waited == causes.end() ? 0 : waited->second;
}

std::int64_t BreakdownModel::nsAt(int row, int column) const {
  if (row < std::ssize(data_.ranks)) return nsOf(data_.ranks[at(row)], column);
  std::int64_t sum = 0;
  for (const Breakdown& rank : data_.ranks) sum += nsOf(rank, column);
  return sum;
}

QString BreakdownModel::nameAt(int row) const {
  const auto place = at(row);
  if (place >= names_.size() || names_[place].empty()) return QString::number(row);
  const QString name = QString::fromStdString(names_[place]);
  return devices_ ? name : QString("%1 %2").arg(row).arg(name);
}

QVariant BreakdownModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const bool all = index.row() == std::ssize(data_.ranks);
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
  if (index.column() == Worker) {
    if (role == Qt::EditRole) return index.row();
    return role == Qt::DisplayRole ? QVariant(all ? QString("all") : nameAt(index.row())) : QVariant();
  }
  const std::int64_t ns = nsAt(index.row(), index.column());
  if (role == Qt::EditRole) return QVariant::fromValue<qlonglong>(ns);
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const std::int64_t wall = data_.range.lengthNs() * (all ? std::ssize(data_.ranks) : 1);
  if (role == Qt::ToolTipRole)
    return QString("%1 ns of %2 ns (%3)")
        .arg(ns)
        .arg(wall)
        .arg(formatShare(wall ? double(ns) / double(wall) : 0));
  return formatNs(ns, 3);  // the tooltip has every nanosecond
}

QVariant BreakdownModel::headerData(int section, Qt::Orientation orientation, int role) const {
  struct Title {
    const char* shown;  // short: nine columns stand beside a chart
    const char* meaning;
  };
  static constexpr Title kTitles[] = {
      {"Worker", "number of the worker, or what it does"},
      {"Comp.", "compute: the main lane computes"},
      {"Exch.", "exchanges: the main lane waits for messages"},
      {"Quant.", "quantise: messages are packed and unpacked"},
      {"Sync.", "synchronise: workers wait for one another"},
      {"Other", "other: loading, evaluating, recording"},
      {"Idle", "idle: nothing is recorded on the main lane"},
      {"Total", "sum of the parts before: the time that stands above"},
      {"Hidden", "hidden: transfers under way while the worker computed; no part of the sum"}};
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (section >= ColumnCount) {
    const Name name = causes_[at(section - ColumnCount)];
    const std::string_view cause = causeText(name);
    const QString word = QString::fromUtf8(cause.data(), std::ssize(cause));
    if (role == Qt::DisplayRole) return "wait: " + word;
    if (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole)
      return (isReason(name) ? "part of exchanges and synchronise; why it waits: "
                             : "part of idle: waits for ") +
             word;
    return {};
  }
  static constexpr Title kEngine = {"Engine", "of the simulated device, pipeline or node"};
  static constexpr Title kMoves = {"Moves", "moves data: a memory or a link is busy"};
  const Title& title = devices_ && section == Worker      ? kEngine
                       : devices_ && section == Exchanges ? kMoves
                                                          : kTitles[section];
  if (role == Qt::DisplayRole) return title.shown;
  if (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole) return title.meaning;
  return {};
}

}  // namespace halo
