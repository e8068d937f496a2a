#include "views/scene/part_text.h"

#include <cmath>

#include "views/look/units.h"

namespace halo {
namespace {

constexpr int kDigits = 3;

QString textOf(std::string_view words) { return QString::fromUtf8(words.data(), std::ssize(words)); }

}  // namespace

QString partText(const PartQuantity& quantity, double value) {
  if (!std::isfinite(value)) return QStringLiteral("–");
  switch (quantity.unit) {
    case PartQuantity::Unit::count:  // of several seeds the mean is rounded
      return formatCountOf(value);
    case PartQuantity::Unit::ratio:
      return formatNumber(value, kDigits);
    case PartQuantity::Unit::flop:
      return formatShort(value);
    case PartQuantity::Unit::bytes:
      return formatBytesOf(value);
    case PartQuantity::Unit::ns:
      return formatNsOf(value, kDigits);
  }
  return {};
}

QString partTitle(const PartQuantity& quantity) { return textOf(quantity.title); }

QString partUnit(const PartQuantity& quantity) {
  switch (quantity.unit) {
    case PartQuantity::Unit::bytes:
      return QStringLiteral("bytes");
    case PartQuantity::Unit::ns:
      return QStringLiteral("ns");
    default:
      return {};
  }
}

}  // namespace halo
