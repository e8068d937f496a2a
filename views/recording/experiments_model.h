#pragma once

#include <QAbstractItemModel>
#include <QFontMetrics>
#include <set>

#include "views/recording/dragged_runs.h"
#include "views/recording/run_data.h"

namespace halo {

/// A run's name made to fit. Its longest parts are cut first, in their middle; of key=value this cuts the
/// key. Where that does not do the keys go, and values are cut, down to some letters each.
QString shortenedParts(const QString& name, const QFontMetrics& metrics, int room);

/// Two levels: experiments, and below each its runs with their state.
class ExperimentsModel : public QAbstractItemModel {
  Q_OBJECT
 public:
  enum Column { Name, State, ColumnCount };
  static constexpr int kRunRole = Qt::UserRole;  // id of the run; −1 for an experiment

  using QAbstractItemModel::QAbstractItemModel;

  void setRuns(const RunsData& data);
  QModelIndex indexOf(std::int64_t run) const;
  /// The runs whose boxes have a tick: those that are compared.
  void setTicked(const std::set<std::int64_t>& runs);

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  /// A tick is only told of: setTicked() says what becomes of it.
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QStringList mimeTypes() const override { return draggedRunTypes(); }
  QMimeData* mimeData(const QModelIndexList& indexes) const override;

 signals:
  void ticked(std::int64_t run, bool on);  // by a person

 private:
  struct RunItem {
    std::int64_t id = 0;
    QString name, full, state, error;  // name: without what all runs of the experiment share
    bool operator==(const RunItem&) const = default;
  };
  struct Group {
    std::int64_t id = 0;
    QString name;
    std::vector<RunItem> runs;
  };
  const RunItem* runAt(const QModelIndex& index) const;

  std::vector<Group> groups_;
  std::set<std::int64_t> ticked_;
};

}  // namespace halo
