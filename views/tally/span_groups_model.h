#pragma once

#include <QAbstractTableModel>

#include "views/tally/span_groups.h"

namespace halo {

/// A row a group of spans. EditRole: numbers, ns where they are times.
class SpanGroupsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { NameColumn, Layer, LaneColumn, Count, Total, Share, Mean, Median, P95, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  void setGroups(std::vector<SpanGroup> groups);
  const std::vector<SpanGroup>& groups() const { return groups_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<SpanGroup> groups_;
};

}  // namespace halo
