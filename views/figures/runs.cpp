// The run table: one row a run with its latest metrics. The picture shows what tells the runs apart, what all
// share stands below it; the CSV form has every column.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/base/index.h"
#include "views/figures/figure_registry.h"
#include "views/recording/runs_model.h"

namespace halo {
namespace {

constexpr int kFixed[] = {RunsModel::Id,      RunsModel::Name,       RunsModel::Status,  RunsModel::Method,
                          RunsModel::Dataset, RunsModel::Model,      RunsModel::Workers, RunsModel::Seed,
                          RunsModel::Marks,   RunsModel::Experiment, RunsModel::Error};

constexpr qsizetype kMarks = std::ranges::find(kFixed, RunsModel::Marks) - kFixed;

constexpr const char* kHeadings[] = {"run",     "name", "status", "method",     "data set", "model",
                                     "workers", "seed", "marks",  "experiment", "error"};

bool same(const FigureTable& table, qsizetype column) {
  return std::ranges::all_of(
      table.rows, [&](const QStringList& row) { return row[column] == table.rows.front()[column]; });
}

/// Number and name always; of the rest what is not the same in every run.
void choose(FigureTable& table, const std::vector<QString>& metrics) {
  std::vector<std::pair<int, qsizetype>> columnsByRank;
  QStringList shared;
  for (qsizetype c = 0; c < table.columns.size(); ++c) {
    const QString& metric = metrics[at(c)];
    const bool always = c < 2;
    // marks stand beside the title too, so that figures go first
    const int rank = always || (metric.isEmpty() && c != kMarks) ? -1 : metricRank(metric.toStdString());
    if (always || table.rows.size() == 1 || !same(table, c)) {
      const bool empty =
          std::ranges::all_of(table.rows, [c](const QStringList& row) { return row[c].isEmpty(); });
      if (always || !empty) columnsByRank.emplace_back(rank, c);
    } else if (rank < kWantedMetrics && !table.rows.front()[c].isEmpty()) {
      shared << table.columns[c].toLower() + " " + table.rows.front()[c];
    }
  }
  std::ranges::stable_sort(columnsByRank, {}, &std::pair<int, qsizetype>::first);
  for (const auto& [rank, column] : columnsByRank) table.shown.push_back(column);
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
  figure.emptyReason = "This recording holds no runs yet: a new experiment writes some.";
  RunsModel model;
  const RunsData data = chosenOf(input);
  model.setRuns(std::make_shared<const RunsData>(data));
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
    const std::string& fullName = data.runs[at(row)].name;
    for (const int column : columns) {
      fields << model.index(row, column).data().toString();
      const QVariant value = model.index(row, column).data(Qt::EditRole);
      const bool lost = value.typeId() == QMetaType::Double && std::isnan(value.toDouble());
      values << (column == RunsModel::Name ? QVariant(QString::fromStdString(fullName))
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
