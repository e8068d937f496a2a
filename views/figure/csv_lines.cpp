#include "views/figure/csv_lines.h"

#include <charconv>
#include <cmath>
#include <set>

#include "engine/base/index.h"

namespace halo {

void CsvLines::headings(const QStringList& names) {
  std::set<QString> used;
  for (const QString& original : names) {
    QString name = original;
    for (int i = 2; !used.insert(name).second; ++i) name = QString("%1 %2").arg(original).arg(i);
    text(name);
  }
  end();
}

CsvLines& CsvLines::text(const QString& value) {
  const QByteArray bytes = value.toUtf8();
  const std::string field = csvText({bytes.data(), at(bytes.size())}, reader_);
  return put(QByteArray(field.data(), std::ssize(field)));
}

CsvLines& CsvLines::text(std::string_view value) {
  return text(QString::fromUtf8(value.data(), std::ssize(value)));
}

CsvLines& CsvLines::words(QString value) {
  return text(value.replace(QChar(0x00A0), QChar(' ')).replace(QChar(0x202F), QChar(' ')));
}

CsvLines& CsvLines::number(double value) {
  if (std::isnan(value)) return put({});
  char digits[32];
  const auto last = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return put(QByteArray(digits, last - digits));
}

CsvLines& CsvLines::cell(const QVariant& value) {
  if (value.typeId() == QMetaType::Double) return number(value.toDouble());
  // whatever its width: for a spreadsheet a text that begins with a minus is quoted, which a number is not
  for (const auto integerType : {QMetaType::LongLong, QMetaType::Long, QMetaType::Int, QMetaType::Short})
    if (value.typeId() == integerType) return put(QByteArray::number(value.toLongLong()));
  return text(value.toString());
}

void CsvLines::end() {
  out_ += '\n';
  first_ = true;
}

CsvLines& CsvLines::put(const QByteArray& field) {
  if (!first_) out_ += ',';
  first_ = false;
  out_ += field;
  return *this;
}

QString withUnit(const QString& name, const QString& unit) {
  return unit.isEmpty() ? name : name + " [" + unit + "]";
}

QString orElse(const QString& name, const char* other) { return name.isEmpty() ? QString(other) : name; }

}  // namespace halo
