#include "views/figure/figure.h"

#include <QDir>
#include <QImage>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/problem.h"
#include "tests/support/file_size_limit.h"
#include "views/figure/figure_scale.h"
#include "views/figure/figure_writers.h"
#include "views/figures/figure_registry.h"
#include "views/look/units.h"

using namespace halo;
using Catch::Matchers::EndsWith;

namespace {

Figure curves() {
  Figure figure;
  figure.name = "convergence";
  figure.title = "Loss, \"two\" runs";
  figure.x = {"epoch", "", false, {}};
  figure.y = {"loss", "nats", false, {}};
  figure.series = {{"a, b", {0, 1, 2}, {1.5, 0.1, 0.30000000000000004}, {}, false},
                   {"c", {0, 1}, {2, 1e-20}, {}, false}};
  figure.marks = {"emulated link"};
  figure.provenance = {{"run", "3"}, {"method", "vanilla"}};
  return figure;
}

Figure stack() {
  Figure figure;
  figure.name = "breakdown";
  figure.title = "Time";
  figure.form = FigureForm::stackedBars;
  figure.x = {"worker", "", false, {"0", "1"}};
  figure.y = {"time", "ms", false, {}};
  figure.series = {{"compute", {}, {3, 4}, Kind::compute, false},
                   {"synchronise", {}, {2, 1}, Kind::synchronise, false},
                   {"hidden", {}, {1, 0.5}, Kind::communication, true}};
  return figure;
}

Figure heat() {
  Figure figure;
  figure.name = "ledger";
  figure.title = "Bytes";
  figure.form = FigureForm::heatMap;
  figure.x = {"to", "", false, {"0", "1"}};
  figure.y = {"from", "", false, {"0", "1"}};
  figure.grid = {{std::nan(""), 10, 20, std::nan("")}, "MB"};
  return figure;
}

Figure boxes() {
  Figure figure;
  figure.name = "timeline";
  figure.title = "Timeline";
  figure.form = FigureForm::lanes;
  figure.x = {"time", "ms", false, {}};
  figure.y = {"", "", false, {"rank 0", "rank 1"}};
  figure.boxes = {{0, 2, 0, Kind::compute, false}, {1, 3, 1, Kind::communication, true}};
  return figure;
}

Figure table() {
  Figure figure;
  figure.name = "runs";
  figure.title = "Runs";
  figure.form = FigureForm::table;
  figure.table = {{"run", "loss"}, {{"a", "0.5"}, {"line\nbreak", "1"}}};
  return figure;
}

/// Every entry of the file's table of offsets must lead to the object it names.
void checkOffsets(const QByteArray& pdf) {
  const qsizetype start = pdf.lastIndexOf("startxref\n") + 10;
  const qsizetype table = pdf.mid(start, pdf.indexOf('\n', start) - start).toLongLong();
  REQUIRE(pdf.mid(table, 5) == "xref\n");
  const auto lines = pdf.mid(table).split('\n');
  for (int object = 1; lines[2 + object].contains(" n"); ++object) {
    const qsizetype offset = lines[2 + object].left(10).toLongLong();
    if (offset > 0) REQUIRE(pdf.mid(offset, 12).startsWith(QByteArray::number(object) + " 0 obj"));
  }
}

std::vector<Figure> all() { return {curves(), stack(), heat(), boxes(), table(), Figure{}}; }

}  // namespace

TEST_CASE("bytes of a run say of how many epochs they are, and have spaces between thousands", "[figure]") {
  RunData run;
  run.run.workers = 2;
  run.epochs.resize(30);
  MessageRow row;
  row.source = 0, row.target = 1, row.layer = 0, row.pass = Pass::forward;
  row.messages = 1234, row.bytes = row.predictedBytes = 16605360;
  run.messages = {row};
  const Figure ledger = makeFigure("ledger", {RunsData{}, {&run, 1}});
  const Figure volume = makeFigure("volume", {RunsData{}, {&run, 1}});
  CHECK(ledger.title == "Bytes between workers in 30 epochs");
  CHECK(volume.title == "Measured and predicted volume in 30 epochs");
  CHECK(volume.table.rows[0][3] == formatCount(16605360));
  CHECK(volume.table.rows[0][2] == formatCount(1234));
  CHECK(volume.table.values[0][3] == 16605360);
}

TEST_CASE("the comma separated form of a figure holds its numbers exactly", "[figure]") {
  CHECK(toCsv(curves()) ==
        "series,epoch,loss [nats]\n\"a, b\",0,1.5\n\"a, b\",1,0.1\n\"a, "
        "b\",2,0.30000000000000004\nc,0,2\nc,1,1e-20\n");
  CHECK(toCsv(stack()) == "worker,compute [ms],synchronise [ms],hidden [ms]\n0,3,2,1\n1,4,1,0.5\n");
  CHECK(toCsv(heat()) == "from,to 0 [MB],to 1 [MB]\n0,,10\n1,20,\n");
  CHECK(toCsv(boxes()) == "lane,kind,begin [ms],end [ms]\nrank 0,compute,0,2\nrank 1,communication,1,3\n");
  CHECK(toCsv(table()) == "run,loss\na,0.5\n\"line\nbreak\",1\n");
}

TEST_CASE("the unit stands in the heading, what is no number is empty, no heading stands twice", "[figure]") {
  Figure figure = curves();
  figure.series = {{"a", {0, 1, 2}, {1.65e28, std::nan(""), -INFINITY}, {}, false}};
  CHECK(toCsv(figure) == "series,epoch,loss [nats]\na,0,1.65e+28\na,1,\na,2,-inf\n");
  Figure bars = stack();
  bars.series[1].name = "compute";
  bars.series[2].y[1] = std::nan("");
  CHECK(toCsv(bars) == "worker,compute [ms],compute [ms] 2,hidden [ms]\n0,3,2,1\n1,4,1,\n");
  Figure numbers = table();
  numbers.table.headings = {"run", "time [s]"};
  numbers.table.values = {{1, 0.1}, {"a\"b", std::nan("")}, {QVariant(), 672e-9}};
  CHECK(toCsv(numbers) == "run,time [s]\n1,0.1\n\"a\"\"b\",\n,6.72e-07\n");
}

TEST_CASE("every form of figure becomes valid SVG, PDF and PNG, the same bytes every time", "[figure]") {
  const auto theme = GENERATE(Theme::light, Theme::dark);
  for (const Figure& figure : all()) {
    CAPTURE(figure.name.toStdString());
    FigureStyle style;
    style.theme = theme;
    const QByteArray svg = toSvg(figure, style), pdf = toPdf(figure, style), png = toPng(figure, style);
    QXmlStreamReader xml(svg);
    while (!xml.atEnd()) xml.readNext();
    CHECK(xml.errorString().toStdString() == "");
    CHECK(pdf.startsWith("%PDF-"));
    CHECK(pdf.trimmed().endsWith("%%EOF"));
    CHECK_FALSE(pdf.contains("/Subtype /Image"));
    checkOffsets(pdf);
    const QImage image = QImage::fromData(png);
    CHECK(image.size() == style.size.toSize());
    CHECK(svg == toSvg(figure, style));
    CHECK(pdf == toPdf(figure, style));
    CHECK(png == toPng(figure, style));
  }
}

TEST_CASE("a figure for print is exactly as large as asked", "[figure]") {
  double scale = 1;
  FigureStyle style;
  style.size = figureSize("88.9x60mm", scale);
  CHECK(scale == 3.125);
  CHECK(toSvg(curves(), style).contains("width=\"88.900mm\" height=\"60.000mm\""));
  const QString pdf = QString::fromLatin1(toPdf(curves(), style));
  const auto box = QRegularExpression("/MediaBox \\[0 ([0-9.]+) ([0-9.]+) ([0-9.]+)\\]").match(pdf);
  REQUIRE(box.hasMatch());
  // in points of 1/72 inch, written with four decimals
  CHECK(box.captured(2).toDouble() == Approx(88.9 / 25.4 * 72).margin(1e-4));
  CHECK(box.captured(3).toDouble() - box.captured(1).toDouble() == Approx(60 / 25.4 * 72).margin(1e-4));
  CHECK(QImage::fromData(toPng(curves(), style, scale)).width() == 1050);
}

TEST_CASE("provenance stands in a figure's metadata", "[figure]") {
  const FigureStyle style;
  CHECK(toSvg(curves(), style).contains("<desc>run 3 · method vanilla</desc>"));
  CHECK(toPdf(curves(), style).contains("run 3 · method vanilla"));
  CHECK(QImage::fromData(toPng(curves(), style)).text("Description") == "run 3 · method vanilla");
}

TEST_CASE("a figure's size is told or refused with what is allowed", "[figure]") {
  double scale = 0;
  CHECK(figureSize("800x500", scale) == QSizeF(800, 500));
  CHECK(scale == 1);
  for (const char* bad : {"", "800", "axb", "10x10", "800x500in", "99999x100", "-5x9"})
    CHECK_THROWS_AS(figureSize(bad, scale), InputError);
}

TEST_CASE("a figure is not written over, nor in an unknown form", "[figure]") {
  const QTemporaryDir folder;
  const FigureStyle style;
  const QString file = folder.filePath("a.csv");
  writeFigure(curves(), style, file, false);
  CHECK_THROWS_AS(writeFigure(curves(), style, file, false), InputError);
  writeFigure(curves(), style, file, true);
  CHECK_THROWS_AS(writeFigure(curves(), style, folder.filePath("a.bmp"), false), InputError);
  CHECK_THROWS_AS(writeFigure(curves(), style, folder.filePath("no/such/a.svg"), false), std::runtime_error);
}

TEST_CASE("a figure that finds no room or no folder says what helps, and leaves nothing", "[figure]") {
  const QTemporaryDir folder;
  const QString file = folder.filePath("a.png");
  {
    const FileSizeLimit limit(100);
    CHECK_THROWS_WITH(writeFigure(curves(), {}, file, false),
                      EndsWith("a.png: cannot be written: File too large; raise the limit with: ulimit -f"));
  }
  CHECK(QDir(folder.path()).isEmpty());
  CHECK_THROWS_WITH(
      writeFigure(curves(), {}, folder.filePath("no/such/a.svg"), false),
      EndsWith("cannot be written: No such file or directory; name a place where you may write"));
}

TEST_CASE("decimation keeps ends and extremes and at most the limit", "[figure]") {
  const auto count = GENERATE(0, 1, 5, 2000, 2001, 100000);
  std::vector<double> x, y;
  for (int i = 0; i < count; ++i) {
    x.push_back(i);
    y.push_back(std::sin(i * 0.37) + (i == count / 3 ? 50 : 0));
  }
  const auto original = y;
  decimate(x, y, 2000);
  CHECK(x.size() == y.size());
  CHECK(x.size() <= 2000);
  CHECK(std::ranges::is_sorted(x));
  if (count == 0) return;
  CHECK(x.front() == 0);
  CHECK(x.back() == count - 1);
  CHECK(std::ranges::max(y) == std::ranges::max(original));
  CHECK(std::ranges::min(y) == std::ranges::min(original));
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(y[i] == original[static_cast<std::size_t>(x[i])]);
}

TEST_CASE("decimation leaves out what is not a number", "[figure]") {
  std::vector<double> x{0, 1, 2, 3}, y{1, std::nan(""), INFINITY, 4};
  decimate(x, y);
  CHECK(x == std::vector<double>{0, 3});
  CHECK(y == std::vector<double>{1, 4});
}

TEST_CASE("an axis is never without extent", "[figure]") {
  double low = 5, high = 5;
  niceRange(low, high, false, 5);
  CHECK(low < 5);
  CHECK(high > 5);
  low = 0.013, high = 97;
  niceRange(low, high, false, 5);
  CHECK(low == 0);
  CHECK(high == 100);
  low = 0.02, high = 30;
  niceRange(low, high, true, 5);
  CHECK(low == Approx(0.01));
  CHECK(high == Approx(100));
}

TEST_CASE("a long value of the provenance is cut where there is no room for it", "[views]") {
  halo::Figure figure;
  figure.provenance = {{"name", QString(300, 'x')}, {"fingerprint", "abc"}};
  CHECK(provenanceLine(figure).size() > 300);
  CHECK(provenanceLine(figure, 10) == "name " + QString(9, 'x') + "… · fingerprint abc");
}
