// Names with anything in them through every writer of figures, each result read by a parser of its format.
#include <QImage>
#include <QTextDocument>
#include <QXmlStreamReader>
#include <catch2/catch.hpp>
#include <set>

#include "tests/support/csv.h"
#include "tests/support/hostile_names.h"
#include "tests/views/figures/figure_fixture.h"
#include "views/look/figure_text.h"

using namespace halo;
using test::Csv;

namespace {

/// Everything that can be named is called so.
Figure named(FigureForm form, const QString& name) {
  Figure figure;
  figure.form = form;
  figure.name = "hostile";
  figure.title = name;
  figure.x = {name, name, false, {}};
  figure.y = {name, "", false, {}};
  figure.marks = {name};
  figure.provenance = {{"name", name}, {"data set", name}};
  figure.labelTitle = form == FigureForm::lanes ? QString() : name;
  switch (form) {
    case FigureForm::lines:
    case FigureForm::points:
      figure.series = {{name, {1, 2}, {3, 4}, {}, false}, {name, {1, 2}, {4, 3}, {}, false}};
      figure.series[0].labels = {name, name};
      figure.notes = {{1, name}, {1.5, name, 3.5, form == FigureForm::points}};
      break;
    case FigureForm::rowPoints:
      figure.y.categories = {name, name};
      figure.series = {{name, {1, 2}, {0, 1}, {}, false}, {name, {2, 1}, {0, 1}, {}, false}};
      break;
    case FigureForm::stackedBars:
    case FigureForm::groupedBars:
      figure.x.categories = {name, name};
      figure.series = {{name, {}, {3, 4}, Kind::compute, false}, {name, {}, {2, 1}, Kind::idle, false}};
      figure.series[0].labels = {name, name};
      break;
    case FigureForm::heatMap:
      figure.x.categories = figure.y.categories = {name, name};
      figure.grid = {{1, 2, 3, 4}, name};
      break;
    case FigureForm::matrices:
      figure.grid.unit = name;
      figure.matrices = {{name, name, {name, name}, {name, name}, {1, 2, 3, 4}, false}};
      break;
    case FigureForm::lanes:
      figure.y.categories = {name, name};
      figure.boxes = {{0, 2, 0, Kind::compute, false}, {1, 3, 1, Kind::idle, false, Name::awaitRows}};
      break;
    case FigureForm::table:
      figure.table = {{name, name, "x"}, {{name, name, "1"}, {name, name, "2"}}};
      figure.table.note = name;
      break;
    case FigureForm::cards:
      figure.table = {{"figure", name, name}, {{name, name, "1"}, {name, name, "2"}}};
      figure.series = {{name, {}, {}}, {name, {}, {}}};
      break;
  }
  return figure;
}

constexpr FigureForm kForms[] = {FigureForm::lines,       FigureForm::points,      FigureForm::rowPoints,
                                 FigureForm::stackedBars, FigureForm::groupedBars, FigureForm::heatMap,
                                 FigureForm::matrices,    FigureForm::lanes,       FigureForm::table,
                                 FigureForm::cards};

struct Elements {
  std::set<QString> names;
  QString title, description;
};

Elements elementsOf(const QByteArray& xml) {
  QXmlStreamReader reader(xml);
  Elements elements;
  while (!reader.atEnd())
    if (reader.readNext() == QXmlStreamReader::StartElement) {
      const QString name = reader.name().toString();
      elements.names.insert(name);
      if (name == "title") elements.title = reader.readElementText();
      if (name == "desc") elements.description = reader.readElementText();
    }
  CHECK(reader.errorString().toStdString() == "");
  return elements;
}

/// The packet of metadata, which is XML of its own.
QByteArray metadataOf(const QByteArray& pdf) {
  const qsizetype from = pdf.indexOf("<?xpacket begin");
  return pdf.mid(from, pdf.indexOf("<?xpacket end", from) - from);
}

QString shown(const std::string& name) { return QString::fromStdString(name); }

}  // namespace

TEST_CASE("any name is text in SVG, PDF and PNG, in every form of figure", "[figure]") {
  const Elements plain = elementsOf(toSvg(named(FigureForm::lines, "plain"), {}));
  std::size_t turn = 0;
  for (const std::string& name : test::hostileNames()) {
    const FigureForm drawn =
        kForms[turn++ % std::size(kForms)];  // PDF and PNG write names alike for all forms
    for (const FigureForm form : kForms) {
      CAPTURE(name.substr(0, 100), static_cast<int>(form));
      const Figure figure = named(form, shown(name));
      const Elements svg = elementsOf(toSvg(figure, {}));
      CHECK(svg.title == drawable(figure.title));
      CHECK(svg.description == drawable(provenanceLine(figure)));
      for (const QString& element : svg.names) {
        CAPTURE(element.toStdString());
        CHECK_FALSE(QStringList{"script", "b", "svg:svg", "input"}.contains(element));
      }
      if (form != drawn) continue;
      const QByteArray pdf = toPdf(figure, {});
      CHECK(elementsOf(metadataOf(pdf)).names.contains("li"));
      CHECK(pdf.count("/MediaBox [") == 1);
      CHECK(pdf.count("\nxref\n") == 1);
      CHECK(QImage::fromData(toPng(figure, {})).size() == FigureStyle{}.size.toSize());
    }
  }
}

TEST_CASE("any name is a field of a figure's CSV, and every column has a name of its own", "[figure]") {
  for (const std::string& name : test::hostileNames())
    for (const FigureForm form : kForms) {
      CAPTURE(name.substr(0, 100), static_cast<int>(form));
      const QByteArray bytes = toCsv(named(form, shown(name)));
      const Csv table(std::string_view(bytes.data(), static_cast<std::size_t>(bytes.size())));
      CHECK(std::set<std::string>(table.head().begin(), table.head().end()).size() == table.head().size());
      if (form == FigureForm::lines) CHECK(table.at(0, "series") == shown(name).toStdString());
    }
}

TEST_CASE("a formula gets an apostrophe in the CSV for a spreadsheet alone", "[figure]") {
  Figure figure = named(FigureForm::lines, "=1+1");
  figure.series[0].y = {-3, 4};
  CHECK(toCsv(figure).contains("\n=1+1,1,-3,"));
  CHECK(toCsv(figure, CsvFor::spreadsheet).contains("\n'=1+1,1,-3,"));
}

TEST_CASE("whole numbers below 0 are no formulas in the CSV for a spreadsheet", "[figure]") {
  Figure table;
  table.form = FigureForm::table;
  table.table.columns = table.table.headings = {"a", "b", "c", "d"};
  table.table.rows = {{"–", "–", "–", "–"}};
  table.table.values = {{int{-1}, qlonglong{-2}, -2.5, QString("-3")}};
  CHECK(toCsv(table, CsvFor::spreadsheet).endsWith("\n-1,-2,-2.5,'-3\n"));
  Figure grid;
  grid.form = FigureForm::matrices;
  FigureMatrix& matrix = grid.matrices.emplace_back();
  matrix.rows = {"0"}, matrix.columns = {"all"}, matrix.columnNumbers = {"-1"}, matrix.values = {7};
  CHECK(toCsv(grid, CsvFor::spreadsheet).endsWith(",0,-1,7\n"));
}

TEST_CASE("what looks like markup is shown as it stands in tooltips and labels", "[figure]") {
  for (const std::string& name : test::hostileNames()) {
    if (name.find_first_of("\x01\r\t") != std::string::npos || !Qt::mightBeRichText(shown(name))) continue;
    CAPTURE(name.substr(0, 100));
    QTextDocument document;
    document.setHtml(plainRich(shown(name)));
    CHECK(document.toPlainText().simplified() == shown(name).simplified());
  }
  CHECK(plainRich("run 3 & 4") == "run 3 & 4");
}
