#pragma once

#include <QAbstractTableModel>
#include <set>

#include "views/recording/dragged_runs.h"
#include "views/recording/run_data.h"

namespace halo {

/// One row a run: what it was, then its latest metrics, one column a metric that any run has. Metrics by
/// which people compare runs come first, the others by name. Qt::EditRole gives raw values for sorting,
/// Qt::DisplayRole the text a person reads.
class RunsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    Id,
    Name,
    Status,
    Method,
    Dataset,
    Model,
    Workers,
    Seed,
    Marks,
    Started,
    Tags,
    Experiment,
    Error,
    FixedColumns
  };
  static constexpr int kRunRole = Qt::UserRole;  // id of the run

  using QAbstractTableModel::QAbstractTableModel;

  /// Where the runs are the same as before only what changed is announced, so that selection and scroll stay.
  void setRuns(SharedRuns data);
  const RunsData& runs() const { return *data_; }
  /// For other threads: it stays as it is when the model has others.
  SharedRuns snapshot() const { return data_; }
  int rowOf(std::int64_t run) const;  // −1: not there
  /// The runs whose boxes have a tick: those that are compared.
  void setTicked(const std::set<std::int64_t>& runs);
  QString metric(int column) const;  // its name; empty for the fixed columns
  /// All that its fixed columns say, in folded case and with spaces between: where words are looked for.
  QString textOf(int row) const;

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
  QVariant fixedValue(const RunRow& run, Column column) const;
  QVariant metricValue(const RunRow& run, int column) const;

  SharedRuns data_ = std::make_shared<RunsData>();
  std::vector<std::string> metrics_;
  std::set<std::int64_t> ticked_;
};

/// The place of a metric among those that people compare runs by, first things first; kWantedMetrics of
/// others.
int metricRank(std::string_view name);
inline constexpr int kWantedMetrics = 11;

/// A metric as a person reads it: its unit is the end of its name (_ns, _seconds, _bytes, _share).
QString metricText(const std::string& name, double value);
/// "epoch_wall_ns" → "epoch wall".
QString metricTitle(const std::string& name);
/// For programs, by which each metric is found: "epoch_seconds" → "epoch [s]", "bytes_per_epoch [bytes]".
QString metricHeading(const std::string& name);
/// "experiment / vanilla / workers=4" of the experiment "experiment": "vanilla / workers=4".
QString shortRunName(const RunRow& run, const RunsData& data);

}  // namespace halo
