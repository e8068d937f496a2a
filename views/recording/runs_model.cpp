#include "views/recording/runs_model.h"

#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "engine/base/index.h"
#include "views/look/figure_text.h"
#include "views/look/units.h"
#include "views/recording/compared_runs.h"
#include "views/recording/declared_metrics.h"

namespace halo {

namespace {

bool endsWith(const std::string& name, std::string_view end) { return name.ends_with(end); }

std::vector<std::string> metricNames(const RunsData& data) {
  std::set<std::string> names;
  for (const auto& [run, metrics] : data.latest)
    for (const auto& [name, value] : metrics) names.insert(name);
  std::vector<std::string> sorted(names.begin(), names.end());
  std::ranges::stable_sort(sorted, {}, metricRank);
  return sorted;
}

/// Without the name of its experiment before it.
std::string_view shortName(const RunRow& run, const RunsData& data) {
  constexpr std::string_view kBetween = " / ";
  const auto experiment = data.experiments.find(run.experimentId);
  if (experiment == data.experiments.end()) return run.name;
  const std::string& first = experiment->second.name;
  const std::string_view name = run.name;
  return name.starts_with(first) && name.substr(first.size()).starts_with(kBetween)
             ? name.substr(first.size() + kBetween.size())
             : name;
}

constexpr std::array<std::string_view, kWantedMetrics> kWanted = {
    "epoch_seconds", "exposed_share",      "wait_share", "compute_share",   "synchronise_share",
    "rest_share",    "test_at_best_valid", "loss",       "bytes_per_epoch", "total_seconds",
    "epochs"};

}  // namespace

int metricRank(std::string_view name) {
  return static_cast<int>(std::ranges::find(kWanted, name) - kWanted.begin());
}

QString metricText(const std::string& name, double value) {
  if (std::isnan(value)) return "NaN";  // recorded, and no number: not the same as not recorded
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  if (endsWith(name, "_ns")) return formatNsOf(value);
  if (endsWith(name, "_bytes_per_second")) return formatShort(value) + "B/s";
  if (name.find("bytes") != name.npos) return formatBytesOf(value);
  if (endsWith(name, "_seconds") || endsWith(name, "_seconds_per_epoch")) return formatSeconds(value);
  if (endsWith(name, "_share")) return formatShare(value);
  if (std::round(value) == value && std::abs(value) < 1e15) return formatCountOf(value);
  return formatNumber(value);
}

QString metricTitle(const std::string& name) {
  QString title = QString::fromStdString(name);
  for (const QString unit : {"_ns", "_seconds", "_share"})
    if (title.endsWith(unit) && title.size() > unit.size()) title.chop(unit.size());
  return title.replace('_', ' ');
}

QString metricHeading(const std::string& name) {
  constexpr std::pair<std::string_view, const char*> kUnits[] = {
      {"_bytes_per_second", "bytes/s"}, {"_seconds", "s"}, {"_ns", "ns"}, {"_bytes", "bytes"}};
  const QString all = QString::fromStdString(name);
  for (const auto& [end, unit] : kUnits)
    if (name.size() > end.size() && name.ends_with(end))
      return QString("%1 [%2]").arg(all.chopped(std::ssize(end)), unit);
  if (name.find("_seconds_") != name.npos) return all + " [s]";
  return name.find("bytes") == name.npos ? all : all + " [bytes]";
}

QString shortRunName(const RunRow& run, const RunsData& data) {
  const std::string_view name = shortName(run, data);
  return QString::fromUtf8(name.data(), std::ssize(name));
}

void RunsModel::setRuns(SharedRuns data) {
  std::vector<std::string> metrics = metricNames(*data);
  const auto sameId = [](const RunRow& a, const RunRow& b) { return a.id == b.id; };
  const auto old = data_->runs.size();
  const bool grows = metrics == metrics_ && data->runs.size() >= old &&
                     std::equal(data_->runs.begin(), data_->runs.end(), data->runs.begin(), sameId);
  if (!grows) {
    beginResetModel();
    data_ = std::move(data);
    metrics_ = std::move(metrics);
    endResetModel();
    return;
  }
  const bool more = data->runs.size() > old;
  if (more) beginInsertRows({}, static_cast<int>(old), static_cast<int>(data->runs.size()) - 1);
  data_ = std::move(data);
  if (more) endInsertRows();
  if (old > 0) emit dataChanged(index(0, 0), index(static_cast<int>(old) - 1, columnCount() - 1));
}

int RunsModel::rowOf(std::int64_t run) const {
  const auto match = std::ranges::find(data_->runs, run, &RunRow::id);
  return match == data_->runs.end() ? -1 : static_cast<int>(match - data_->runs.begin());
}

QString RunsModel::metric(int column) const {
  if (column < FixedColumns) return {};
  return QString::fromStdString(metrics_[at(column - FixedColumns)]);
}

/// Put together before it becomes a QString: of thousands of rows that shows.
QString RunsModel::textOf(int row) const {
  const RunRow& run = data_->runs[at(row)];
  const auto experiment = data_->experiments.find(run.experimentId);
  const std::string_view file =
      experiment == data_->experiments.end() ? std::string_view() : experiment->second.name;
  const auto workers = trainingWorkers(*data_, run);
  const std::string id = std::to_string(run.id), seed = std::to_string(run.seed),
                    ranks = workers ? std::to_string(*workers) : "";
  std::string text(shortName(run, *data_));
  for (const std::string_view part :
       std::initializer_list<std::string_view>{id, run.status, run.method, run.dataset, run.model, ranks,
                                               seed, run.marks, run.startedAt, run.tags, file, run.error})
    (text += ' ') += part;
  return QString::fromStdString(text).toCaseFolded();
}

int RunsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(data_->runs.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : FixedColumns + static_cast<int>(metrics_.size());
}

QVariant RunsModel::fixedValue(const RunRow& run, Column column) const {
  switch (column) {
    case Id:
      return QVariant::fromValue<qlonglong>(run.id);
    case Name:
      return shortRunName(run, *data_);
    case Status:
      return QString::fromStdString(run.status);
    case Method:
      return QString::fromStdString(run.method);
    case Dataset:
      return QString::fromStdString(run.dataset);
    case Model:
      return QString::fromStdString(run.model);
    case Workers:
      if (const auto workers = trainingWorkers(*data_, run)) return QVariant::fromValue<qlonglong>(*workers);
      return {};
    case Seed:
      return QVariant::fromValue<qlonglong>(run.seed);
    case Marks:
      return QString::fromStdString(run.marks);
    case Started:
      return QString::fromStdString(run.startedAt);
    case Tags:
      return QString::fromStdString(run.tags);
    case Experiment: {
      const auto experiment = data_->experiments.find(run.experimentId);
      return experiment == data_->experiments.end() ? QString()
                                                    : QString::fromStdString(experiment->second.name);
    }
    case Error:
      return QString::fromStdString(run.error);
    case FixedColumns:
      break;
  }
  return {};
}

QVariant RunsModel::metricValue(const RunRow& run, int column) const {
  const auto metrics = data_->latest.find(run.id);
  if (metrics == data_->latest.end()) return {};
  const auto value = metrics->second.find(metrics_[at(column - FixedColumns)]);
  return value == metrics->second.end() ? QVariant() : QVariant(value->second);
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const RunRow& run = data_->runs[at(index.row())];
  const bool fixed = index.column() < FixedColumns;
  const QVariant value =
      fixed ? fixedValue(run, static_cast<Column>(index.column())) : metricValue(run, index.column());
  switch (role) {
    case kRunRole:
      return QVariant::fromValue<qlonglong>(run.id);
    case Qt::EditRole:
      return value;
    case Qt::CheckStateRole:
      if (index.column() != Id) return {};
      return ticked_.contains(run.id) ? Qt::Checked : Qt::Unchecked;
    case Qt::DisplayRole:
      if (fixed || !value.isValid()) return value;
      return metricText(metrics_[at(index.column() - FixedColumns)], value.toDouble());
    case Qt::ToolTipRole:
      return index.column() == Status && !run.error.empty() ? plainRich(QString::fromStdString(run.error))
                                                            : QVariant();
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(
          Qt::Alignment(value.typeId() == QMetaType::QString ? Qt::AlignLeft : Qt::AlignRight) |
          Qt::AlignVCenter);
    default:
      return {};
  }
}

void RunsModel::setTicked(const std::set<std::int64_t>& runs) {
  const std::set<std::int64_t> before = std::exchange(ticked_, runs);
  for (int row = 0; row < rowCount(); ++row) {
    const std::int64_t run = data_->runs[at(row)].id;
    if (before.contains(run) == ticked_.contains(run)) continue;
    const QModelIndex at = index(row, Id);
    emit dataChanged(at, at, {Qt::CheckStateRole});
  }
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (!index.isValid()) return flags;
  return flags | Qt::ItemIsDragEnabled | (index.column() == Id ? Qt::ItemIsUserCheckable : Qt::NoItemFlags);
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || index.column() != Id || role != Qt::CheckStateRole) return false;
  emit ticked(data_->runs[at(index.row())].id, value.toInt() == Qt::Checked);
  return true;
}

/// A run once, whatever of its row is chosen.
QMimeData* RunsModel::mimeData(const QModelIndexList& indexes) const {
  std::vector<std::int64_t> runs;
  for (const QModelIndex& index : indexes) {
    const std::int64_t run = data_->runs[at(index.row())].id;
    if (std::ranges::find(runs, run) == runs.end()) runs.push_back(run);
  }
  return draggedRuns(runs);
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role == Qt::ToolTipRole && orientation == Qt::Horizontal && section >= FixedColumns &&
      section < columnCount()) {
    const QString meaning = metricMeaning(metrics_[at(section - FixedColumns)]);
    return meaning.isEmpty() ? QVariant() : plainRich(meaning);
  }
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal || section < 0 || section >= columnCount())
    return {};
  static const char* const kTitles[] = {"#",     "Run",        "State", "Method", "Data set",
                                        "Model", "Workers",    "Seed",  "Marks",  "Started",
                                        "Tags",  "Experiment", "Error"};
  if (section < FixedColumns) return kTitles[section];
  return metricTitle(metrics_[at(section - FixedColumns)]);
}

}  // namespace halo
