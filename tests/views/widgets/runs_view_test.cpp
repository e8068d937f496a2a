// The run table: in which order its rows stand, and which of them a filter shows.
#include "views/widgets/runs_view.h"

#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <catch2/catch.hpp>

using namespace halo;

namespace {

SharedRuns runsWith(const std::vector<QString>& names) {
  auto data = std::make_shared<RunsData>();
  for (const QString& name : names) {
    RunRow& run = data->runs.emplace_back();
    run.id = static_cast<std::int64_t>(data->runs.size());
    run.name = name.toStdString();
    run.status = "completed";
  }
  data->latest = {{1, {{"loss", 3}}}, {3, {{"loss", 20}}}, {4, {{"loss", 1}}}};
  return data;
}

std::vector<std::int64_t> order(RunsView& view) {
  const QAbstractItemModel& rows = *view.table()->model();
  std::vector<std::int64_t> runs;
  for (int row = 0; row < rows.rowCount(); ++row)
    runs.push_back(rows.index(row, 0).data(RunsModel::kRunRole).toLongLong());
  return runs;
}

}  // namespace

TEST_CASE("runs stand in the order of numbers or words, and those without a value behind", "[runs]") {
  RunsModel model;
  RunsView view(model);
  model.setRuns(runsWith({"d", "b", "a", "c"}));
  view.table()->sortByColumn(RunsModel::FixedColumns, Qt::AscendingOrder);
  CHECK(order(view) == std::vector<std::int64_t>{4, 1, 3, 2});
  view.table()->sortByColumn(RunsModel::Name, Qt::AscendingOrder);
  CHECK(order(view) == std::vector<std::int64_t>{3, 2, 4, 1});
  view.table()->sortByColumn(RunsModel::Name, Qt::DescendingOrder);
  CHECK(order(view) == std::vector<std::int64_t>{1, 4, 2, 3});
}

TEST_CASE("runs that change or come find their place in the order", "[runs]") {
  RunsModel model;
  RunsView view(model);
  model.setRuns(runsWith({"d", "b", "a", "c"}));
  view.table()->sortByColumn(RunsModel::Name, Qt::AscendingOrder);
  model.setRuns(runsWith({"a", "b", "d", "c"}));
  CHECK(order(view) == std::vector<std::int64_t>{1, 2, 4, 3});
  model.setRuns(runsWith({"a", "b", "d", "c", "bb"}));
  CHECK(order(view) == std::vector<std::int64_t>{1, 2, 5, 4, 3});
  model.setRuns(runsWith({"z", "y"}));
  CHECK(order(view) == std::vector<std::int64_t>{2, 1});
}

TEST_CASE("a filter finds words in any column, in any case, and in runs that changed since", "[runs]") {
  RunsModel model;
  RunsView view(model);
  auto* filter = view.findChild<QLineEdit*>();
  model.setRuns(runsWith({"Vanilla", "pipegcn", "Süd"}));
  filter->setText("COMPLETED vanil");
  CHECK(order(view) == std::vector<std::int64_t>{1});
  filter->setText("SÜD");
  CHECK(order(view) == std::vector<std::int64_t>{3});
  filter->setText("pipe");
  model.setRuns(runsWith({"Vanilla", "AdaQP", "pipegcn", "pipegcn"}));
  CHECK(order(view) == std::vector<std::int64_t>{3, 4});
  filter->setText("lapipe");  // no word goes from one column to the next
  CHECK(order(view).empty());
}

TEST_CASE("an empty run table says how it gets runs, one that filters all away how they come back",
          "[runs]") {
  RunsModel model;
  RunsView view(model);
  view.resize(600, 300);
  view.show();
  const auto* note = view.table()->viewport()->findChild<QLabel*>();
  REQUIRE(note != nullptr);
  CHECK(note->isVisible());
  CHECK(note->text().contains("open a recording"));
  model.setRuns(runsWith({"d", "b"}));
  CHECK_FALSE(note->isVisible());
  view.findChild<QLineEdit*>()->setText("nothing like it");
  CHECK(note->isVisible());
  CHECK(note->text().contains("clear the filter to see all 2"));
  view.findChild<QLineEdit*>()->clear();
  CHECK_FALSE(note->isVisible());
}
