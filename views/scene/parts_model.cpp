#include "views/scene/parts_model.h"

#include <QColor>
#include <QGuiApplication>
#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "views/look/palette.h"
#include "views/scene/part_text.h"

namespace halo {
namespace {

const PartQuantity& quantityOf(int column) {
  return partQuantities()[at(column - PartsModel::FirstQuantity)];
}

bool isQuantity(int column) {
  return column >= PartsModel::FirstQuantity &&
         column < PartsModel::FirstQuantity + static_cast<int>(partQuantities().size());
}

/// What sorts: nothing measured comes first, for NaN is in no order.
QVariant numberOf(const PartsModel::Row& row, int column) {
  if (column == PartsModel::ChipColumn)
    return QVariant::fromValue<qlonglong>(static_cast<qlonglong>(row.chip));
  if (column == PartsModel::Rank) return QVariant::fromValue<qlonglong>(row.rank);
  const double value = row.figures.*quantityOf(column).value;
  return std::isnan(value) ? -1.0 : value;
}

QString textOf(const PartsModel::Row& row, int column) {
  if (column == PartsModel::ChipColumn) return row.letter;
  if (column == PartsModel::Rank) return QString::number(row.rank);
  return partText(quantityOf(column), row.figures.*quantityOf(column).value);
}

}  // namespace

void PartsModel::setScene(const SceneData& scene) {
  beginResetModel();
  rows_.clear();
  for (std::size_t c = 0; c < scene.comparison.parts.size(); ++c) {
    const std::size_t chip = scene.compared[c];
    const std::vector<PartFigures>& parts = scene.comparison.parts[c].means;
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
      rows_.push_back({chip, static_cast<std::int64_t>(rank), chipLetter(chip), scene.chips[chip].chip.color,
                       parts[rank]});
  }
  endResetModel();
}

int PartsModel::rowOf(std::size_t chip, std::int64_t rank) const {
  const auto row =
      std::ranges::find_if(rows_, [&](const Row& each) { return each.chip == chip && each.rank == rank; });
  return row == rows_.end() ? -1 : static_cast<int>(row - rows_.begin());
}

int PartsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int PartsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : FirstQuantity + static_cast<int>(partQuantities().size());
}

QVariant PartsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const Row& row = rows_[at(index.row())];
  const int column = index.column();
  if (role == Qt::DisplayRole) return textOf(row, column);
  if (role == Qt::EditRole) return numberOf(row, column);
  if (role == Qt::DecorationRole && column == ChipColumn)
    return QColor::fromRgb(seriesColor(themeOf(QGuiApplication::palette()), row.color));
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::Alignment(column == ChipColumn ? Qt::AlignLeft : Qt::AlignRight) |
                               Qt::AlignVCenter);
  return {};
}

QVariant PartsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0) return {};
  const bool inFull = role == Qt::ToolTipRole || role == Qt::AccessibleTextRole;
  if (role != Qt::DisplayRole && !inFull) return {};
  if (section == ChipColumn) return inFull ? "the run, by its letter above" : "Run";
  if (section == Rank) return inFull ? "the rank that holds the part" : "Rank";
  if (!isQuantity(section)) return {};
  const PartQuantity& quantity = quantityOf(section);
  if (!inFull) {
    QString title = partTitle(quantity);
    return title.replace(0, 1, title.left(1).toUpper());
  }
  return QString::fromUtf8(quantity.meaning.data(), std::ssize(quantity.meaning));
}

}  // namespace halo
