#include "views/tally/span_groups_model.h"

#include "engine/base/index.h"
#include "views/look/units.h"
#include "views/spans/span_label.h"

namespace halo {
namespace {

/// Transfers do: their sum is no part of the time.
bool overlaps(Lane lane) { return lane == Lane::link || lane == Lane::message; }

/// To sort by.
QVariant numberOf(const SpanGroup& group, int column) {
  switch (column) {
    case SpanGroupsModel::NameColumn:
      return spanLabel(group.key.name, -1);
    case SpanGroupsModel::Layer:
      return group.key.layer;
    case SpanGroupsModel::LaneColumn:
      return placeOf(group.key.lane);
    case SpanGroupsModel::Count:
      return QVariant::fromValue<qlonglong>(group.count);
    case SpanGroupsModel::Total:
      return QVariant::fromValue<qlonglong>(group.insideNs);
    case SpanGroupsModel::Share:
      return group.share;
    case SpanGroupsModel::Mean:
      return group.meanNs;
    case SpanGroupsModel::Median:
      return group.medianNs;
    case SpanGroupsModel::P95:
      return group.p95Ns;
    default:
      return {};
  }
}

QString shown(const SpanGroup& group, int column) {
  switch (column) {
    case SpanGroupsModel::NameColumn:
      return spanLabel(group.key.name, -1);
    case SpanGroupsModel::Layer:
      return group.key.layer < 0 ? QStringLiteral("–") : QString::number(group.key.layer);
    case SpanGroupsModel::LaneColumn:
      return laneText(group.key.lane);
    case SpanGroupsModel::Count:
      return formatCount(group.count);
    case SpanGroupsModel::Total:
      return formatNs(group.insideNs);
    case SpanGroupsModel::Share:
      return overlaps(group.key.lane) ? QStringLiteral("–") : formatShare(group.share);
    default:
      return formatNsOf(numberOf(group, column).toDouble(), 3);
  }
}

}  // namespace

void SpanGroupsModel::setGroups(std::vector<SpanGroup> groups) {
  // rows stay where groups are the same, and so does what a person chose of them
  const bool same = std::ranges::equal(groups, groups_, {}, &SpanGroup::key, &SpanGroup::key);
  if (!same) beginResetModel();
  groups_ = std::move(groups);
  if (!same)
    endResetModel();
  else if (rowCount() > 0)
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int SpanGroupsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(groups_.size());
}

int SpanGroupsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant SpanGroupsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const SpanGroup& group = groups_[at(index.row())];
  const int column = index.column();
  if (role == Qt::EditRole) return numberOf(group, column);
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(
        Qt::Alignment(column == NameColumn || column == LaneColumn ? Qt::AlignLeft : Qt::AlignRight) |
        Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && column == Total) return tr("%1 ns").arg(formatCount(group.insideNs));
  return role == Qt::DisplayRole ? QVariant(shown(group, column)) : QVariant();
}

QVariant SpanGroupsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  struct Title {
    const char* shown;
    const char* meaning;
  };
  static constexpr Title kTitles[] = {{"Name", "what was done"},
                                      {"Layer", "of the model"},
                                      {"Lane", "where these spans stand"},
                                      {"Count", "spans that touch the time"},
                                      {"Total", "sum of what lies inside"},
                                      {"Share", "total ÷ (time × ranks); none of transfers, which overlap"},
                                      {"Mean", "mean duration of whole spans"},
                                      {"Median", "half of the spans are shorter"},
                                      {"95 %", "95 of 100 spans are shorter"}};
  if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
  if (role == Qt::DisplayRole) return kTitles[section].shown;
  if (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole) return kTitles[section].meaning;
  return {};
}

}  // namespace halo
