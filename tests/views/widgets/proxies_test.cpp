// What stands between models and their tables keeps the rules of item models, however it is sorted and
// filtered while the model below changes.
#include <QAbstractItemModelTester>
#include <QLineEdit>
#include <QTableView>
#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/views/timeline/timeline_window_fixture.h"
#include "views/view_registry.h"
#include "views/widgets/runs_view.h"

using namespace halo;

namespace {

constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

SharedRuns someRuns(int count, int first) {
  auto data = std::make_shared<RunsData>();
  for (int i = 0; i < count; ++i) {
    RunRow& run = data->runs.emplace_back();
    run.id = first + i;
    run.name = i % 2 ? "vanilla" : "pipegcn";
    run.status = "completed";
    data->latest[run.id] = {{"loss", (i * 7) % 5}};
  }
  return data;
}

void sortByAll(QTableView& table) {
  for (int column = 0; column < table.model()->columnCount(); ++column)
    for (const Qt::SortOrder order : {Qt::DescendingOrder, Qt::AscendingOrder})
      table.sortByColumn(column, order);
}

const ViewEntry& viewNamed(std::string_view name) {
  for (const ViewEntry* view : viewsInOrder())
    if (view->declaration.name == name) return *view;
  FAIL("there is no such view");
  throw std::logic_error("unreachable");
}

/// A chip of so many ranks.
SceneData partsOf(std::size_t ranks) {
  SceneData scene;
  scene.chips.resize(1);
  scene.chips[0].chip = {"/r.db", {1}, 0};
  scene.compared = {0};
  scene.comparison.parts.resize(1);
  scene.comparison.parts[0].means.resize(ranks);
  return scene;
}

}  // namespace

TEST_CASE("the filter of the run table keeps every rule of item models", "[models][runs]") {
  RunsModel model;
  RunsView view(model);
  const QAbstractItemModelTester tester(view.table()->model(), kFatal);
  auto* filter = view.findChild<QLineEdit*>();
  const std::vector<std::pair<int, int>> changes = {{0, 1}, {4, 1}, {9, 1}, {3, 1}, {5, 20}, {0, 1}, {6, 1}};
  for (const auto& [count, first] : changes) {
    model.setRuns(someRuns(count, first));
    model.setTicked({1, 3});
    for (const char* words : {"", "pipe", "nothing like it", "VAN completed", ""}) {
      filter->setText(words);
      sortByAll(*view.table());
    }
    filter->setText("pipe");  // rows come and go while some are hidden
  }
  CHECK(view.table()->model()->rowCount() == 3);
  const QModelIndex box = view.table()->model()->index(0, RunsModel::Id);
  CHECK(box.data(Qt::CheckStateRole).toInt() == Qt::Checked);
  CHECK(box.flags().testFlag(Qt::ItemIsUserCheckable));
}

TEST_CASE("the statistics of the timeline keep every rule of item models", "[models][timeline]") {
  TimelineWindowFixture f;
  f.key(Qt::Key_I);
  auto* table = f.view.statistics().findChild<QTableView*>();
  REQUIRE(table != nullptr);
  const QAbstractItemModelTester tester(table->model(), kFatal);
  const auto filled = [&] {
    for (int i = 0; i < 1000 && table->model()->rowCount() == 0; ++i) QApplication::processEvents();
    return table->model()->rowCount() > 0;
  };
  CHECK(filled());
  sortByAll(*table);
  for (const TimeRange range : {TimeRange{0, 20'000}, TimeRange{190'000, 199'000}, TimeRange{0, 200'000}}) {
    f.window.setVisible(range);
    CHECK(filled());
    sortByAll(*table);
  }
  f.model.clear();
  QApplication::processEvents();
  fillTwoRanks(f.model);
  CHECK(filled());
}

TEST_CASE("the table of parts keeps every rule of item models", "[models][parts]") {
  Session session;
  const std::unique_ptr<QWidget> view(viewNamed("Parts").make(session));
  auto* table = view->findChild<QTableView*>();
  REQUIRE(table != nullptr);
  const QAbstractItemModelTester tester(table->model(), kFatal);
  view->resize(800, 400);
  view->show();
  for (const std::size_t ranks : {4u, 16u, 1u, 0u, 3u}) {
    session.setSceneData(partsOf(ranks));
    sortByAll(*table);
  }
  session.setSceneData({});
  CHECK(table->model()->rowCount() == 0);
}
