// What a curve of a run that diverged or failed shows.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/csv.h"
#include "tests/views/figures/figure_fixture.h"

using namespace halo;

namespace {

/// Epochs with these losses; scores as a model has them that does not know.
RunData runOf(std::int64_t id, const char* status, const std::vector<double>& losses) {
  RunData data;
  data.run.id = id;
  data.run.method = "single";
  data.run.status = status;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    EpochRow row{static_cast<std::int64_t>(i),
                 static_cast<std::int64_t>(i) * 1'000'000'000,
                 1'000'000'000,
                 losses[i],
                 0.5,
                 0.25,
                 {}};
    if (!std::isfinite(losses[i])) row.train = row.valid = std::nullopt;
    data.epochs.push_back(row);
  }
  return data;
}

const double kNan = std::nan("");

test::Csv csvOf(const Figure& figure) {
  static QByteArray bytes;  // the table's fields are copies
  bytes = toCsv(figure);
  return test::Csv(std::string_view(bytes.data(), static_cast<std::size_t>(bytes.size())));
}

}  // namespace

TEST_CASE("a loss that is not a number is a row without a value, a note and a mark in the picture",
          "[figure]") {
  const RunData run = runOf(1, "failed", {1.1, 1.65e28, kNan});
  const Figure figure = makeFigure("convergence-loss", {RunsData{}, {&run, 1}});
  const test::Csv table = csvOf(figure);
  CHECK(table.head() == std::vector<std::string>{"series", "epoch", "loss [nats]", "remark"});
  REQUIRE(table.rows() == 3);
  CHECK(table.at(1) == std::vector<std::string>{"1 single", "1", "1.65e+28", ""});
  CHECK(table.at(2) == std::vector<std::string>{"1 single", "2", "", "not a number, failed"});
  REQUIRE(figure.notes.size() == 1);
  CHECK(figure.notes[0].x == 2);
  CHECK(figure.notes[0].text == "loss not a number, failed");
  CHECK(figure.marks.contains("run 1 failed"));
  const QString svg = svgOf(figure).replace(QChar(0x00A0), ' ');
  CHECK(svg.contains(">loss not a number, failed</text>"));
  CHECK(svg.contains(">run 1 failed</text>"));
  CHECK(svg.contains(">1.5 × 10²⁸</text>"));
  for (const char16_t* digits : {u"0000000", u"9999999"})
    CHECK_FALSE(svg.contains(QString::fromUtf16(digits) + " T"));
}

TEST_CASE("a failure without a number lost is marked where the run ended", "[figure]") {
  for (const char* status : {"failed", "cancelled", "interrupted"}) {
    const RunData run = runOf(4, status, {1.1, 1.0});
    for (const char* name : {"convergence-loss", "convergence-score"}) {
      const Figure figure = makeFigure(name, {RunsData{}, {&run, 1}});
      REQUIRE(figure.notes.size() == 1);
      CHECK(figure.notes[0].x == 1);
      CHECK(figure.notes[0].text == status);
      CHECK(csvOf(figure).at(1, "remark") == status);
    }
  }
  const RunData completed = runOf(5, "completed", {1.1, 1.0});
  const Figure figure = makeFigure("convergence-loss", {RunsData{}, {&completed, 1}});
  CHECK(figure.notes.empty());
  CHECK(csvOf(figure).head().size() == 3);
  CHECK(figure.marks.isEmpty());
}

TEST_CASE("runs that failed and runs that completed are named alike", "[figure]") {
  const std::vector<RunData> runs{runOf(1, "failed", {1.1, kNan}), runOf(2, "completed", {1.1, 1.0})};
  const Figure figure = makeFigure("convergence-loss", {RunsData{}, runs});
  CHECK(figure.series[0].name == "1 single");
  CHECK(figure.series[1].name == "2 single");
  CHECK(figure.notes[0].text == "run 1 loss not a number");
  CHECK(figure.notes[1].text == "run 1 failed");
}

TEST_CASE("curves of runs that were not trained alike say in what, a single one does not", "[figure]") {
  std::vector<RunData> runs{runOf(1, "completed", {1.1, 1.0}), runOf(2, "completed", {1.1, 1.0})};
  for (RunData& run : runs) run.parameters["training.seed"] = std::to_string(run.run.id);
  CHECK(makeFigure("convergence-loss", {RunsData{}, runs}).marks.contains("runs differ in training.seed"));
  CHECK(makeFigure("convergence-score", {RunsData{}, runs}).marks.contains("runs differ in training.seed"));
  for (const char* key : {"dataset.scale", "model.hidden", "model.order"})
    runs[0].parameters[key] = "1", runs[1].parameters[key] = "2";
  CHECK(makeFigure("convergence-loss", {RunsData{}, runs})
            .marks.contains("runs differ in dataset.scale, model.hidden, model.order and 1 more"));
  CHECK(makeFigure("convergence-loss", {RunsData{}, std::span(runs).first(1)}).marks.isEmpty());
}

TEST_CASE("every epoch without a number is a row, and the picture marks the ends of a stretch", "[figure]") {
  std::vector<double> losses(60, kNan);
  losses[0] = 1.1, losses[30] = 0.9;
  const RunData run = runOf(1, "completed", losses);
  const Figure figure = makeFigure("convergence-loss", {RunsData{}, {&run, 1}});
  const test::Csv table = csvOf(figure);
  REQUIRE(table.rows() == 60);
  for (std::size_t i = 0; i < 60; ++i) {
    CHECK(table.at(i, "epoch") == std::to_string(i));
    CHECK(table.at(i, "loss [nats]").empty() == (i != 0 && i != 30));
    CHECK(table.at(i, "remark") == (i != 0 && i != 30 ? "not a number" : ""));
  }
  Figure ends = figure;
  FigureSeries& series = ends.series.front();
  series.x = {0, 1, 29, 30, 31, 59};
  series.y = {1.1, kNan, kNan, 0.9, kNan, kNan};
  CHECK(svgOf(figure).count("<polyline") == svgOf(ends).count("<polyline"));
}

TEST_CASE("of very many epochs without a number the ends and some between are rows", "[figure]") {
  std::vector<double> losses(100'000, kNan);
  losses[0] = 1.1;
  const RunData run = runOf(1, "completed", losses);
  const test::Csv table = csvOf(makeFigure("convergence-loss", {RunsData{}, {&run, 1}}));
  CHECK(table.rows() < 2100);
  CHECK(table.at(1, "epoch") == "1");
  CHECK(table.at(table.rows() - 1, "epoch") == "99999");
}

TEST_CASE("scores of an epoch whose loss is no number are none, whatever is recorded", "[figure]") {
  RunData run = runOf(1, "failed", {1.1, kNan});
  run.epochs[1].train = 0.3;  // of an older version
  const test::Csv table = csvOf(makeFigure("convergence-score", {RunsData{}, {&run, 1}}));
  REQUIRE(table.rows() == 4);
  CHECK(table.at(1) == std::vector<std::string>{"train", "1", "", "not a number, failed"});
  CHECK(table.at(3) == std::vector<std::string>{"valid", "1", "", "not a number, failed"});
}

TEST_CASE("a run that diverged at once has a figure that says so", "[figure]") {
  const RunData run = runOf(1, "failed", {kNan});
  const Figure figure = makeFigure("convergence-loss", {RunsData{}, {&run, 1}});
  CHECK_FALSE(figure.empty());
  CHECK(svgOf(figure).contains(">loss not a number, failed</text>"));
  const RunData endless = runOf(1, "failed", {1.0, INFINITY});
  CHECK(svgOf(makeFigure("convergence-loss", {RunsData{}, {&endless, 1}}))
            .contains(">loss infinite, failed</text>"));
}

TEST_CASE("a score that is no number beside a finite loss is a row without a value, a note and a mark",
          "[figure]") {
  RunData run = runOf(1, "completed", {1.1, 1.0, 0.9, 0.8});
  for (std::size_t i = 1; i < 4; ++i) run.epochs[i].valid = kNan;
  const Figure figure = makeFigure("convergence-score", {RunsData{}, {&run, 1}});
  const test::Csv table = csvOf(figure);
  REQUIRE(table.rows() == 4 + 4);
  CHECK(table.at(4) == std::vector<std::string>{"valid", "0", "0.25", ""});
  CHECK(table.at(5) == std::vector<std::string>{"valid", "1", "", "not a number"});
  CHECK(table.at(6) == std::vector<std::string>{"valid", "2", "", "not a number"});
  CHECK(table.at(7) == std::vector<std::string>{"valid", "3", "", "not a number"});
  REQUIRE(figure.notes.size() == 1);
  CHECK(figure.notes[0].x == 1);
  CHECK(figure.notes[0].text == "score not a number");
  RunData never = runOf(2, "completed", {1.1});
  never.epochs[0].train = never.epochs[0].valid = kNan;
  const Figure none = makeFigure("convergence-score", {RunsData{}, {&never, 1}});
  CHECK(csvOf(none).rows() == 2);  // nobody is in the test split
  CHECK(svgOf(none).contains(">score not a number</text>"));
  CHECK(makeFigure("convergence-loss", {RunsData{}, {&never, 1}}).notes.empty());
}
