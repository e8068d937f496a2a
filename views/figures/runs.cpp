// The run table: one row a run with its latest metrics.
#include <set>

#include "views/figure_registry.h"
#include "views/runs_model.h"

namespace halo {
namespace {

Figure make(const FigureInput& input, const Values&) {
  Figure figure;
  figure.title = "Runs";
  figure.form = FigureForm::table;
  figure.emptyReason = "This recording holds no runs.";
  RunsModel model;
  model.setRuns(input.all);
  constexpr int kShown[] = {RunsModel::Id, RunsModel::Name, RunsModel::Status, RunsModel::Workers};
  std::vector<int> columns(std::begin(kShown), std::end(kShown));
  for (int column = RunsModel::FixedColumns; column < model.columnCount(); ++column)
    columns.push_back(column);
  for (const int column : columns)
    figure.table.columns << model.headerData(column, Qt::Horizontal).toString();
  for (int row = 0; row < model.rowCount(); ++row) {
    QStringList fields;
    for (const int column : columns) fields << model.index(row, column).data().toString();
    figure.table.rows.push_back(fields);
  }
  return figure;
}

const Registered<FigureEntry> self{{{"runs", "every run with its latest metrics", ""}, make}};

}  // namespace
}  // namespace halo
