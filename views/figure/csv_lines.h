#pragma once

#include <QByteArray>
#include <QStringList>
#include <QVariant>
#include <string_view>

#include "engine/record/export/csv_text.h"

namespace halo {

/// Lines of a CSV text, field by field: plain numbers, RFC 4180.
class CsvLines {
 public:
  explicit CsvLines(CsvFor reader) : reader_(reader) {}

  /// The first line. One that is there already gets a number behind it: readers take a column by its name.
  void headings(const QStringList& names);
  CsvLines& text(const QString& value);
  CsvLines& text(std::string_view value);
  /// Words of ours, whose numbers have no-break spaces in a picture.
  CsvLines& words(QString value);
  /// The shortest decimal that reads back to the same double; nothing for NaN.
  CsvLines& number(double value);
  CsvLines& cell(const QVariant& value);
  void end();  // of a line
  const QByteArray& bytes() const { return out_; }

 private:
  CsvLines& put(const QByteArray& field);

  CsvFor reader_;
  QByteArray out_;
  bool first_ = true;
};

/// A heading of a column: "time [ms]".
QString withUnit(const QString& name, const QString& unit);
/// `name`, or `other` where there is none.
QString orElse(const QString& name, const char* other);

}  // namespace halo
