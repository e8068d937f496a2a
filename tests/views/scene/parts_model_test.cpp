#include "views/scene/parts_model.h"

#include <QAbstractItemModelTester>
#include <QSortFilterProxyModel>
#include <catch2/catch.hpp>
#include <cmath>

using namespace halo;

namespace {

SceneData ofRanks(std::vector<double> haloRows) {
  SceneData scene;
  scene.chips.resize(2);  // the first cannot be read
  scene.chips[1].chip.color = 2;
  scene.compared = {1};
  PartsOfRun run;
  for (const double rows : haloRows) {
    PartFigures& part = run.parts.emplace_back();
    part.haloRows = rows;
    part.sentBytes = 1024;
  }
  scene.comparison.parts.push_back(partTable({run}));
  return scene;
}

int columnOf(const PartsModel& model, const QString& title) {
  for (int column = 0; column < model.columnCount(); ++column)
    if (model.headerData(column, Qt::Horizontal) == title) return column;
  FAIL("no column " << title.toStdString());
  return -1;
}

}  // namespace

TEST_CASE("a part is a row with the letter of its chip and its rank", "[scene]") {
  PartsModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setScene(ofRanks({3, 12'000, std::nan("")}));
  REQUIRE(model.rowCount() == 3);
  CHECK(model.index(0, PartsModel::ChipColumn).data() == "B");
  CHECK(model.index(2, PartsModel::Rank).data() == "2");
  const int halo = columnOf(model, "Halo rows");
  CHECK(model.index(1, halo).data() == "12\u202F000");
  CHECK(model.index(2, halo).data() == "–");
  CHECK(model.index(0, columnOf(model, "Sent")).data() == "1.00\u00A0KiB");
  CHECK(model.index(0, columnOf(model, "Vertices")).data() == "–");
  CHECK(model.headerData(halo, Qt::Horizontal, Qt::ToolTipRole).toString().contains("needs of others"));
  CHECK(model.rowOf(1, 2) == 2);
  CHECK(model.rowOf(0, 2) == -1);
  QSortFilterProxyModel sorted;
  sorted.setSourceModel(&model);
  sorted.setSortRole(Qt::EditRole);
  sorted.sort(halo, Qt::DescendingOrder);
  CHECK(sorted.index(0, PartsModel::Rank).data() == "1");
  CHECK(sorted.index(2, PartsModel::Rank).data() == "2");  // what is not known is last
  model.setScene({});
  CHECK(model.rowCount() == 0);
}
