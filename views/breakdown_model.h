#pragma once

#include <QAbstractTableModel>

#include "views/run_data.h"

namespace halo {

/// One row a worker and one for all: its parts of the time, their sum, and the transfers hidden under it.
/// EditRole: ns.
class BreakdownModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Worker, Compute, Exposed, Quantise, Synchronise, Other, Idle, Total, Hidden, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  /// names: of ranks, instead of their numbers where not empty.
  void setBreakdown(BreakdownData data, std::vector<std::string> names = {});
  const BreakdownData& breakdown() const { return data_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString nameAt(int row) const;
  std::int64_t nsAt(int row, Column column) const;

  BreakdownData data_;
  std::vector<std::string> names_;
};

}  // namespace halo
