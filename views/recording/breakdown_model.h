#pragma once

#include <QAbstractTableModel>

#include "views/recording/run_data.h"

namespace halo {

/// One row a worker and one for all: its parts of the time, their sum, and the transfers hidden under it.
/// Behind them stands why it waited and what idle time was spent waiting for, a column a cause. EditRole: ns.
class BreakdownModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Worker, Compute, Exchanges, Quantise, Synchronise, Other, Idle, Total, Hidden, ColumnCount };
  using QAbstractTableModel::QAbstractTableModel;

  /// names: of ranks, instead of their numbers where not empty. devices: lanes are engines, none of workers.
  void setBreakdown(BreakdownData data, std::vector<std::string> names = {}, bool devices = false);
  const BreakdownData& breakdown() const { return data_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString nameAt(int row) const;
  std::int64_t nsOf(const Breakdown& rank, int column) const;
  std::int64_t nsAt(int row, int column) const;

  BreakdownData data_;
  bool devices_ = false;
  std::vector<Name> causes_;  // columns from ColumnCount on
  std::vector<std::string> names_;
};

}  // namespace halo
