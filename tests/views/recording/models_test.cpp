#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "engine/record/database/database.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/support/small_recording.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"
#include "views/recording/breakdown_model.h"
#include "views/recording/dragged_runs.h"
#include "views/recording/experiments_model.h"
#include "views/recording/names_apart.h"
#include "views/recording/runs_model.h"

using namespace halo;

namespace {

RunsData someRuns(int count) {
  RunsData data;
  for (int i = 1; i <= count; ++i) {
    RunRow run;
    run.id = i;
    run.experimentId = 1 + i / 3;
    run.name = "experiment / run " + std::to_string(i);
    run.status = i % 2 ? "completed" : "failed";
    run.method = "vanilla";
    data.runs.push_back(run);
    data.experiments[run.experimentId] = {run.experimentId, "experiment", "", ""};
    data.latest[i] = {{"loss", 1.0 / i}, {"epoch_seconds", 0.001 * i}};
  }
  return data;
}

}  // namespace

TEST_CASE("the model of runs keeps every rule of item models", "[models]") {
  RunsModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  for (const int count : {0, 3, 3, 5, 2, 0, 1}) {
    model.setRuns(std::make_shared<const RunsData>(someRuns(count)));
    CHECK(model.rowCount() == count);
  }
  model.setRuns(std::make_shared<const RunsData>(someRuns(2)));
  CHECK(model.headerData(RunsModel::FixedColumns, Qt::Horizontal).toString() == "epoch");
  CHECK(model.index(1, RunsModel::FixedColumns).data().toString() == formatNs(2'000'000));
  CHECK(model.index(1, RunsModel::FixedColumns).data(Qt::EditRole).toDouble() == 0.002);
  CHECK(model.index(1, RunsModel::Status).data().toString() == "failed");
  CHECK(model.rowOf(2) == 1);
  CHECK(model.rowOf(9) == -1);
}

TEST_CASE("boxes of runs have the ticks that they are given, and a person's tick is only told of",
          "[models]") {
  RunsModel table;
  ExperimentsModel tree;
  const auto fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;
  const QAbstractItemModelTester tables(&table, fatal), trees(&tree, fatal);
  table.setRuns(std::make_shared<const RunsData>(someRuns(5)));
  tree.setRuns(someRuns(5));
  QSignalSpy ofTable(&table, &RunsModel::ticked), ofTree(&tree, &ExperimentsModel::ticked);
  table.setTicked({2});
  tree.setTicked({2});
  const QModelIndex second = table.index(1, RunsModel::Id), inTree = tree.indexOf(2);
  for (const QModelIndex& box : {second, inTree}) {
    CHECK(box.data(Qt::CheckStateRole).toInt() == Qt::Checked);
    CHECK(box.flags().testFlag(Qt::ItemIsUserCheckable));
  }
  CHECK(table.index(0, RunsModel::Id).data(Qt::CheckStateRole).toInt() == Qt::Unchecked);
  CHECK_FALSE(second.siblingAtColumn(RunsModel::Name).data(Qt::CheckStateRole).isValid());
  CHECK_FALSE(inTree.parent().data(Qt::CheckStateRole).isValid());
  CHECK(table.setData(second, Qt::Unchecked, Qt::CheckStateRole));
  CHECK(tree.setData(inTree, Qt::Unchecked, Qt::CheckStateRole));
  for (const QSignalSpy* each : {&ofTable, &ofTree}) {
    REQUIRE(each->count() == 1);
    CHECK(each->first().at(0).toLongLong() == 2);
    CHECK_FALSE(each->first().at(1).toBool());
  }
  CHECK(second.data(Qt::CheckStateRole).toInt() == Qt::Checked);
  CHECK_FALSE(table.setData(second, "x", Qt::EditRole));
  table.setTicked({});
  CHECK(second.data(Qt::CheckStateRole).toInt() == Qt::Unchecked);
}

TEST_CASE("runs are dragged by their numbers, each once, and from this program alone", "[models]") {
  RunsModel table;
  ExperimentsModel tree;
  table.setRuns(std::make_shared<const RunsData>(someRuns(5)));
  tree.setRuns(someRuns(5));
  QModelIndexList rows;
  for (const int row : {3, 1})
    for (int column = 0; column < table.columnCount(); ++column) rows << table.index(row, column);
  const std::unique_ptr<QMimeData> some(table.mimeData(rows));
  CHECK(some->formats() == table.mimeTypes());
  CHECK(runsDragged(*some) == std::vector<std::int64_t>{4, 2});
  const QModelIndex run = tree.indexOf(5);
  const std::unique_ptr<QMimeData> fromTree(
      tree.mimeData({run.parent(), run, run.siblingAtColumn(ExperimentsModel::State)}));
  CHECK(runsDragged(*fromTree) == std::vector<std::int64_t>{5});
  QMimeData foreign;
  foreign.setData(draggedRunTypes().first(), "1 4");
  CHECK(runsDragged(foreign).empty());
  CHECK(runsDragged(QMimeData()).empty());
}

TEST_CASE("where words are looked for stands all that the fixed columns of a run say", "[models]") {
  auto data = std::make_shared<RunsData>(someRuns(1));
  RunRow& run = data->runs.front();
  run.dataset = "Cora", run.model = "gcn 2x16", run.workers = 4, run.seed = 77, run.marks = "emulated link";
  run.startedAt = "2026-01-02", run.tags = "night", run.error = "out of memory";
  RunsModel model;
  model.setRuns(data);
  for (int column = 0; column < RunsModel::FixedColumns; ++column) {
    const QString text = model.index(0, column).data().toString();
    INFO(column);
    CHECK_FALSE(text.isEmpty());
    CHECK(model.textOf(0).contains(text.toCaseFolded()));
  }
}

TEST_CASE("metrics by which runs are compared come first, each with its unit", "[models]") {
  RunsData data = someRuns(1);
  data.latest[1]["adjacency_bytes"] = 1;
  data.latest[1]["aggregation_seconds_per_epoch"] = 0.00033;
  RunsModel model;
  model.setRuns(std::make_shared<const RunsData>(data));
  QStringList metrics;
  for (int column = RunsModel::FixedColumns; column < model.columnCount(); ++column)
    metrics << model.metric(column);
  CHECK(metrics == QStringList{"epoch_seconds", "loss", "adjacency_bytes", "aggregation_seconds_per_epoch"});
  CHECK(metricText("aggregation_seconds_per_epoch", 0.00033) == formatSeconds(0.00033));
}

TEST_CASE("workers with roles have their number before it, engines stand alone", "[models]") {
  BreakdownModel model;
  BreakdownData data;
  data.ranks.resize(2);
  model.setBreakdown(data, {"", "updater"}, false);
  CHECK(model.index(0, 0).data().toString() == "0");
  CHECK(model.index(1, 0).data().toString() == "1 updater");
  model.setBreakdown(data, {"hbm", "adders"}, true);
  CHECK(model.index(1, 0).data().toString() == "adders");
}

TEST_CASE("the model of experiments keeps every rule of item models", "[models]") {
  ExperimentsModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  for (const int count : {0, 7, 7, 9, 2, 0}) model.setRuns(someRuns(count));
  RunsData data = someRuns(7);
  model.setRuns(data);
  CHECK(model.rowCount() == 3);
  const QModelIndex run = model.indexOf(4);
  CHECK(run.data().toString() == "run 4");
  CHECK(run.data(ExperimentsModel::kRunRole).toLongLong() == 4);
  CHECK(run.siblingAtColumn(1).data().toString() == "✗");
  CHECK(run.data(Qt::ToolTipRole).toString() == "run 4: failed");
  CHECK(run.parent().data(Qt::ToolTipRole).toString().startsWith(run.parent().data().toString() + ": "));
  data.runs[3].status = "completed";
  model.setRuns(data);
  CHECK(model.indexOf(4).siblingAtColumn(1).data().toString() == "✓");
}

TEST_CASE("the tree of experiments shows what tells runs apart, and the whole name in a tool tip",
          "[models]") {
  RunsData data = someRuns(2);
  for (std::size_t i = 0; i < 2; ++i) {
    data.runs[i].experimentId = data.runs[0].experimentId;
    data.runs[i].name = "a64fx-tofu / graph=reddit / method=mop / workers=" + std::to_string(8 << i);
  }
  ExperimentsModel model;
  data.namesApart = namesApart(data);
  model.setRuns(data);
  const QModelIndex run = model.indexOf(data.runs[1].id);
  CHECK(run.data().toString() == "workers=16");
  CHECK(run.data(Qt::ToolTipRole).toString().contains("graph=reddit / method=mop / workers=16"));
  data.runs.resize(1);
  data.namesApart = namesApart(data);
  model.setRuns(data);
  CHECK(model.indexOf(data.runs[0].id).data().toString().contains("method=mop"));
}

TEST_CASE("the tree of experiments leaves out what follows from the rest of a run's name", "[models]") {
  RunsData data = someRuns(4);
  const char* const kNames[] = {
      "node / name=a / scale=1 / mode=x / vertices=5", "node / name=a / scale=1 / mode=y / vertices=5",
      "node / name=b / scale=2 / mode=x / vertices=7", "node / name=b / scale=2 / mode=y / vertices=7"};
  for (std::size_t i = 0; i < 4; ++i) {
    data.runs[i].experimentId = data.runs[0].experimentId;
    data.runs[i].name = kNames[i];
  }
  ExperimentsModel model;
  data.namesApart = namesApart(data);
  model.setRuns(data);
  QStringList names;
  for (const RunRow& run : data.runs) names << model.indexOf(run.id).data().toString();
  CHECK(names == QStringList{"name=a / mode=x", "name=a / mode=y", "name=b / mode=x", "name=b / mode=y"});
}

TEST_CASE("a run's name too long for the tree keeps something of every part", "[models]") {
  const QFontMetrics metrics{QFont()};
  const QString name = "a64fx-tofu / method=vanilla / workers=4",
                other = "a64fx-tofu / method=pipegcn / workers=4";
  CHECK(shortenedParts(name, metrics, metrics.horizontalAdvance(name)) == name);
  for (const double share : {0.9, 0.75}) {
    const int room = static_cast<int>(share * metrics.horizontalAdvance(name));
    const QString shortName = shortenedParts(name, metrics, room);
    CAPTURE(shortName.toStdString());
    CHECK(metrics.horizontalAdvance(shortName) <= room);
    CHECK(shortName.split(" / ").size() == 3);
    CHECK(shortName.contains("=vanilla"));
    CHECK(shortName.endsWith("=4"));
    CHECK(shortName != shortenedParts(other, metrics, room));
  }
  const int narrow = metrics.horizontalAdvance("a64fx-tofu / v…la / 4");
  CHECK(shortenedParts(name, metrics, narrow) != shortenedParts(other, metrics, narrow));
  CHECK(shortenedParts(name, metrics, narrow).endsWith(" / 4"));
  CHECK(shortenedParts(name, metrics, 0).split(" / ").size() == 3);  // the view cuts the rest
}

TEST_CASE("the model of the breakdown keeps every rule of item models", "[models]") {
  BreakdownModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  for (const std::size_t ranks : {0u, 2u, 2u, 5u, 0u}) {
    BreakdownData data{{0, 100}, std::vector<Breakdown>(ranks), ranks > 0};
    for (Breakdown& rank : data.ranks) rank.computeNs = 60, rank.idleNs = 40;
    model.setBreakdown(data);
    CHECK(model.rowCount() == (ranks ? static_cast<int>(ranks) + 1 : 0));
    if (ranks)
      CHECK(model.index(model.rowCount() - 1, BreakdownModel::Total).data(Qt::EditRole).toLongLong() ==
            100 * qlonglong(ranks));
  }
}

TEST_CASE("the breakdown of a recording adds up to wall time times workers to the nanosecond", "[models]") {
  const SmallRecording recording(/*workers=*/4, /*epochs=*/5);
  Database database(recording.file(), Access::readOnly);
  const BreakdownData data = readBreakdown(database, 1, 4, {});
  REQUIRE(data.measured);
  REQUIRE(data.ranks.size() == 4);
  std::int64_t sum = 0;
  for (const Breakdown& rank : data.ranks) {
    CHECK(rank.totalNs() == data.range.lengthNs());
    CHECK(rank.computeNs > 0);
    CHECK(rank.hiddenNs > 0);
    sum += rank.totalNs();
  }
  CHECK(sum == 4 * data.range.lengthNs());
  // a window that cuts spans in two keeps the law
  const TimeRange part{data.range.beginNs + 1'234'567, data.range.beginNs + 9'876'543};
  for (const Breakdown& rank : readBreakdown(database, 1, 4, part).ranks)
    CHECK(rank.totalNs() == part.lengthNs());
}

TEST_CASE("every registered figure is made of a recorded run, and of an empty one with a reason",
          "[models]") {
  const SmallRecording recording(3, 4);
  Database database(recording.file(), Access::readOnly);
  const RunsData all = readRuns(database);
  RunData run = readRun(database, 1);
  run.breakdown = readBreakdown(database, 1, 3, {});
  run.lanes = readLanes(database, 1, 3, {}, 1000);
  SceneState state;
  for (const int color : {0, 1}) state.chips.push_back({recording.path(), {1}, color});
  const SceneData scene = readSceneData(state);
  REQUIRE(registry<FigureEntry>().size() >= 7);
  for (const auto& [name, entry] : registry<FigureEntry>()) {
    CAPTURE(name);
    const Figure figure = makeFigure(name, {all, {&run, 1}, {}, &scene});
    // of what this run has not: compared_figures_test.cpp, published_figure_test.cpp, scene_figures_test.cpp,
    // iterations_figure_test.cpp, node_figure_test.cpp, machine_figures_test.cpp
    if (std::set<std::string>{"roofline", "simulated", "cards", "network", "published", "staleness",
                              "quantisation", "why", "iterations", "blocks", "sampling", "shares", "stages",
                              "queues", "layers", "engines", "memory"}
            .contains(name)) {
      CHECK_FALSE(figure.emptyReason.isEmpty());
      continue;
    }
    CHECK_FALSE(figure.empty());
    CHECK_FALSE(figure.title.isEmpty());
    CHECK(toCsv(figure).count('\n') >= 2);
    CHECK(figure.marks.value(0) == "emulated link");
    const RunData nothing;
    const Figure empty = makeFigure(name, {RunsData{}, {&nothing, 1}});
    CHECK(empty.empty());
    CHECK_FALSE(empty.emptyReason.isEmpty());
  }
}

TEST_CASE("the exported breakdown has the nanoseconds of the breakdown", "[models]") {
  RunData run;
  run.run.workers = 1;
  run.breakdown = {{0, 20'000'000}, {Breakdown{}}, true};
  run.breakdown.ranks[0].computeNs = 12'345'678;
  run.breakdown.ranks[0].idleNs = 20'000'000 - 12'345'678;
  const QByteArray csv = toCsv(makeFigure("breakdown", {RunsData{}, {&run, 1}}));
  CHECK(csv.contains("\n0,12.345678,0,0,0,7.654322,0\n"));
}

TEST_CASE("a run that goes on is read from where it was left, and gives what reading it whole gives",
          "[models]") {
  const SmallRecording recording(2, 3);
  Database database(recording.file(), Access::readWrite);
  Epochs epochs(database);
  const RunData before = readRun(database, 1);
  REQUIRE(before.epochs.size() == 3);
  REQUIRE_FALSE(before.messages.empty());
  EpochRow row = before.epochs.back();
  MessageRow message = epochs.messages(1).back();
  message.epoch = ++row.epoch;
  message.bytes = 12'345;
  message.predictedMessages = 7;
  epochs.append(1, std::span<const EpochRow>(&row, 1));
  epochs.append(1, std::span<const MessageRow>(&message, 1));
  const RunData complete = readRun(database, 1), further = readRun(database, 1, &before);
  const auto bytes = [](const RunData& data) {
    std::vector<std::int64_t> all;
    for (const MessageRow& sum : data.messages) all.insert(all.end(), {sum.source, sum.target, sum.bytes});
    return all;
  };
  CHECK(further.epochs.size() == 4);
  CHECK(further.epochs.back().epoch == row.epoch);
  CHECK(bytes(further) == bytes(complete));
  CHECK(bytes(further) != bytes(before));
  // nothing earlier is read again, and nothing is taken from another run
  RunData earlier = before;
  earlier.messages.clear();
  CHECK(readRun(database, 1, &earlier).messages.front().predictedMessages == 7);
  CHECK(bytes(readRun(database, 1, &earlier)) ==
        std::vector<std::int64_t>{message.source, message.target, 12'345});
  earlier.run.startedAt = "1970-01-01T00:00:00Z";
  CHECK(bytes(readRun(database, 1, &earlier)) == bytes(complete));
}

TEST_CASE("a run that is not there is named", "[models]") {
  const SmallRecording recording(1, 1);
  Database database(recording.file(), Access::readOnly);
  CHECK_THROWS_WITH(readRun(database, 77), Catch::Matchers::Contains("there is no run 77"));
}
