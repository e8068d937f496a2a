// The run table: one row a run with its latest metrics. The picture shows what tells the runs apart, what all
// share stands below it; the CSV form has every column.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "views/figure_registry.h"
#include "views/runs_model.h"

namespace halo {
namespace {

constexpr int kFixed[] = {RunsModel::Id,      RunsModel::Name,       RunsModel::Status,  RunsModel::Method,
                          RunsModel::Dataset, RunsModel::Model,      RunsModel::Workers, RunsModel::Seed,
                          RunsModel::Marks,   RunsModel::Experiment, RunsModel::Error};

constexpr const char* kHeadings[] = {"run",     "name", "status", "method",     "data set", "model",
                                     "workers", "seed", "marks",  "experiment", "error"};

/// What people compare runs by, first things first; other metrics follow by name.
constexpr const char* kWanted[] = {
    "epoch_seconds", "exposed_share",      "wait_share", "compute_share",   "synchronise_share",
    "idle_share",    "test_at_best_valid", "loss",       "bytes_per_epoch", "total_seconds",
    "epochs"};

int rankOf(const QString& metric) {
  const auto at = std::ranges::find_if(kWanted, [&](const char* name) { return metric == name; });
  return static_cast<int>(at - std::begin(kWanted));
}

bool same(const FigureTable& table, qsizetype column) {
  return std::ranges::all_of(
      table.rows, [&](const QStringList& row) { return row[column] == table.rows.front()[column]; });
}

/// Number and name always; of the rest what is not the same in every run.
void choose(FigureTable& table, const std::vector<QString>& metrics) {
  std::vector<std::pair<int, qsizetype>> wanted;
  QStringList shared;
  for (qsizetype c = 0; c < table.columns.size(); ++c) {
    const QString& metric = metrics[static_cast<std::size_t>(c)];
    const bool always = c < 2;
    const int rank = always || metric.isEmpty() ? -1 : rankOf(metric);
    if (always || table.rows.size() == 1 || !same(table, c)) {
      const bool empty =
          std::ranges::all_of(table.rows, [c](const QStringList& row) { return row[c].isEmpty(); });
      if (always || !empty) wanted.emplace_back(rank, c);
    } else if (rank < static_cast<int>(std::size(kWanted)) && !table.rows.front()[c].isEmpty()) {
      shared << table.columns[c].toLower() + " " + table.rows.front()[c];
    }
  }
  std::ranges::stable_sort(wanted, {}, &std::pair<int, qsizetype>::first);
  for (const auto& [rank, column] : wanted) table.shown.push_back(column);
  table.keys = 2;
  if (!shared.isEmpty()) table.note = "the same in all: " + shared.join(" · ");
}

RunsData chosenOf(const FigureInput& input) {
  RunsData data = input.all;
  if (!input.chosen.empty())
    std::erase_if(data.runs, [&](const RunRow& run) {
      return std::ranges::find(input.chosen, run.id) == input.chosen.end();
    });
  return data;
}

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Runs";
  figure.form = FigureForm::table;
  figure.emptyReason = "This recording holds no runs.";
  RunsModel model;
  const RunsData data = chosenOf(input);
  model.setRuns(data);
  std::vector<int> columns(std::begin(kFixed), std::end(kFixed));
  for (int column = RunsModel::FixedColumns; column < model.columnCount(); ++column)
    columns.push_back(column);
  std::vector<QString> metrics;
  for (const int column : columns) {
    figure.table.columns << model.headerData(column, Qt::Horizontal).toString();
    metrics.push_back(model.metric(column));
    const bool fixed = metrics.size() <= std::size(kHeadings);
    figure.table.headings << (fixed ? QString(kHeadings[metrics.size() - 1])
                                    : metricHeading(metrics.back().toStdString()));
  }
  for (int row = 0; row < model.rowCount(); ++row) {
    QStringList fields;
    QVariantList values;
    const std::string& whole = data.runs[static_cast<std::size_t>(row)].name;
    for (const int column : columns) {
      fields << model.index(row, column).data().toString();
      const QVariant value = model.index(row, column).data(Qt::EditRole);
      const bool lost = value.typeId() == QMetaType::Double && std::isnan(value.toDouble());
      values << (column == RunsModel::Name ? QVariant(QString::fromStdString(whole))
                 : lost                    ? QVariant("NaN")  // an empty field was not measured
                                           : value);
    }
    figure.table.rows.push_back(fields);
    figure.table.values.push_back(values);
  }
  if (!figure.table.rows.empty()) choose(figure.table, metrics);
  std::vector<const RunRow*> drawn;
  for (const RunRow& run : data.runs) drawn.push_back(&run);
  addProvenance(figure, data, drawn);
  return figure;
}

const Registered<FigureEntry> self{{{"runs", "every run with its latest metrics", ""}, make, {}, true}};

}  // namespace
}  // namespace halo
