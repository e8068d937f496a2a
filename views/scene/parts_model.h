#pragma once

#include <QAbstractTableModel>
#include <optional>

#include "views/scene/scene_data.h"

namespace halo {

/// A row a chip and rank: what the part holds, and what it does in an epoch. EditRole: bare numbers, to sort
/// by.
class PartsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { ChipColumn, Rank, FirstQuantity };
  struct Row {
    std::size_t chip = 0;  // place among SceneData::chips
    std::int64_t rank = 0;
    QString letter;
    int color = 0;
    PartFigures figures;
  };
  using QAbstractTableModel::QAbstractTableModel;

  void setScene(const SceneData& scene);
  const std::vector<Row>& rows() const { return rows_; }
  /// The row of a part; −1: there is none.
  int rowOf(std::size_t chip, std::int64_t rank) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<Row> rows_;
};

}  // namespace halo
