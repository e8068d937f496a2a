// The CSV form of figures: plain numbers, one unit a column, stated in its heading.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "views/figure/figure.h"

namespace halo {

namespace {

class CsvLines {
 public:
  explicit CsvLines(CsvFor reader) : reader_(reader) {}

  /// One that is there already gets a number behind it: readers take a column by its name.
  void headings(const QStringList& names) {
    std::set<QString> used;
    for (const QString& wanted : names) {
      QString name = wanted;
      for (int i = 2; !used.insert(name).second; ++i) name = QString("%1 %2").arg(wanted).arg(i);
      text(name);
    }
    end();
  }
  CsvLines& text(const QString& value) {
    const QByteArray bytes = value.toUtf8();
    const std::string field = csvText({bytes.data(), static_cast<std::size_t>(bytes.size())}, reader_);
    return put(QByteArray(field.data(), static_cast<qsizetype>(field.size())));
  }
  CsvLines& text(std::string_view value) {
    return text(QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size())));
  }
  /// Words of ours, whose numbers have no-break spaces in a picture.
  CsvLines& words(QString value) {
    return text(value.replace(QChar(0x00A0), QChar(' ')).replace(QChar(0x202F), QChar(' ')));
  }
  CsvLines& number(double value) {
    if (std::isnan(value)) return put({});
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return put(QByteArray(digits, end - digits));
  }
  CsvLines& cell(const QVariant& value) {
    if (value.typeId() == QMetaType::Double) return number(value.toDouble());
    if (value.typeId() == QMetaType::LongLong) return put(QByteArray::number(value.toLongLong()));
    return text(value.toString());
  }
  void end() {
    out_ += '\n';
    first_ = true;
  }
  const QByteArray& bytes() const { return out_; }

 private:
  CsvLines& put(const QByteArray& field) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += field;
    return *this;
  }

  CsvFor reader_;
  QByteArray out_;
  bool first_ = true;
};

QString withUnit(const QString& name, const QString& unit) {
  return unit.isEmpty() ? name : name + " [" + unit + "]";
}

QString orElse(const QString& name, const char* other) { return name.isEmpty() ? QString(other) : name; }

void label(const FigureSeries& series, std::size_t i, CsvLines& out) {
  if (i < series.labelValues.size())
    out.number(series.labelValues[i]);
  else
    out.words(i < series.labels.size() ? series.labels[i] : QString());
}

void pointLines(const Figure& figure, CsvLines& out) {
  const bool banded =
      std::ranges::any_of(figure.series, [](const FigureSeries& s) { return !s.low.empty(); });
  const bool labelled = !figure.labelTitle.isEmpty(), rows = figure.form == FigureForm::rowPoints;
  QStringList headings{"series", orElse(rows ? figure.y.label() : figure.x.label(), rows ? "row" : "x"),
                       orElse(rows ? figure.x.label() : figure.y.label(), "value")};
  if (banded)
    headings << "lowest"
             << "highest";
  if (labelled) headings << figure.labelTitle;
  out.headings(headings);
  const auto bandEnds = [&](const FigureSeries* s, std::size_t i) {
    if (!banded) return;
    for (const auto end : {&FigureSeries::low, &FigureSeries::high})
      out.number(s != nullptr && i < (s->*end).size() ? (s->*end)[i] : std::nan(""));
  };
  for (const FigureSeries& s : figure.series)
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (figure.form != FigureForm::lines && !std::isfinite(s.x[i])) continue;
      out.words(s.name);
      rows ? out.text(figure.rowOf(s.y[i])) : out.number(s.x[i]);
      out.number(rows ? s.x[i] : s.y[i]);
      bandEnds(&s, i);
      if (labelled) label(s, i, out);
      out.end();
    }
  for (const FigureNote& note : figure.notes) {
    if (!note.ring) continue;
    out.words(note.text).number(note.x).number(*note.y);
    bandEnds(nullptr, 0);
    if (labelled) out.text(QString());
    out.end();
  }
}

/// The series that has the words over the group; where there are none any.
const FigureSeries& labelledSeries(const Figure& figure, std::size_t category) {
  const auto found = std::ranges::find_if(figure.series, [&](const FigureSeries& s) {
    return category < s.labels.size() && !s.labels[category].isEmpty();
  });
  return found == figure.series.end() ? figure.series.front() : *found;
}

void barLines(const Figure& figure, CsvLines& out) {
  QStringList headings{orElse(figure.x.label(), "category")};
  for (const FigureSeries& s : figure.series) headings << withUnit(s.name, figure.y.unit);
  if (!figure.labelTitle.isEmpty()) headings << figure.labelTitle;
  out.headings(headings);
  for (qsizetype i = 0; i < figure.x.categories.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    out.text(QString(figure.x.categories[i]).replace('\n', ' '));
    for (const FigureSeries& s : figure.series) out.number(s.y[at]);
    if (!figure.labelTitle.isEmpty()) label(labelledSeries(figure, at), at, out);
    out.end();
  }
}

void gridLines(const Figure& figure, CsvLines& out) {
  QStringList headings{orElse(figure.y.label(), "row")};
  for (const QString& column : figure.x.categories)
    headings << withUnit((figure.x.title + " " + column).trimmed(), figure.grid.unit);
  out.headings(headings);
  std::size_t cell = 0;
  for (const QString& row : figure.y.categories) {
    out.text(row);
    for (qsizetype c = 0; c < figure.x.categories.size(); ++c) out.number(figure.grid.values[cell++]);
    out.end();
  }
}

void matrixLines(const Figure& figure, CsvLines& out) {
  out.headings({"matrix", figure.y.title, figure.x.title, figure.labelTitle});
  for (const FigureMatrix& matrix : figure.matrices) {
    std::size_t cell = 0;
    for (const QString& row : matrix.rows)
      for (const QString& column : matrix.columns)
        out.words(matrix.title).text(row).text(column).number(matrix.values[cell++]).end();
  }
}

void laneLines(const Figure& figure, CsvLines& out) {
  const bool waits =
      std::ranges::any_of(figure.boxes, [](const FigureBox& box) { return box.waits.has_value(); });
  const bool shares = std::ranges::any_of(figure.boxes, [](const FigureBox& box) { return box.share != 1; });
  QStringList headings{"lane", "kind", withUnit("begin", figure.x.unit), withUnit("end", figure.x.unit)};
  if (waits) headings << "waits for";
  if (shares) headings << "share";
  out.headings(headings);
  for (const FigureBox& box : figure.boxes) {
    out.text(figure.y.categories[box.lane])
        .text(box.color ? std::string_view("total") : text(box.kind))
        .number(box.begin)
        .number(box.end);
    if (waits) out.text(box.waits ? causeText(*box.waits) : std::string_view());
    if (shares) out.number(box.waits ? std::nan("") : box.share);
    out.end();
  }
}

void tableLines(const FigureTable& table, CsvLines& out) {
  out.headings(table.headings.isEmpty() ? table.columns : table.headings);
  for (const QVariantList& row : table.values) {
    for (const QVariant& value : row) out.cell(value);
    out.end();
  }
  if (!table.headings.isEmpty()) return;
  for (const QStringList& row : table.rows) {
    for (const QString& field : row) out.text(field);
    out.end();
  }
}

}  // namespace

QByteArray toCsv(const Figure& figure, CsvFor reader) {
  CsvLines out(reader);
  switch (figure.form) {
    case FigureForm::lines:
    case FigureForm::points:
    case FigureForm::rowPoints:
      pointLines(figure, out);
      break;
    case FigureForm::stackedBars:
    case FigureForm::groupedBars:
      barLines(figure, out);
      break;
    case FigureForm::heatMap:
      gridLines(figure, out);
      break;
    case FigureForm::matrices:
      matrixLines(figure, out);
      break;
    case FigureForm::lanes:
      laneLines(figure, out);
      break;
    case FigureForm::table:
      tableLines(figure.table, out);
      break;
  }
  return out.bytes();
}

}  // namespace halo
