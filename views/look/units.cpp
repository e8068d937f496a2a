#include "views/look/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace halo {
namespace {

struct Unit {
  double ns;
  const char* name;
};
constexpr std::array<Unit, 4> kTimeUnits = {{{1.0, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};

/// Decimals that give `digits` significant ones to a value in [1, 1000).
int decimalsFor(double value, int digits) {
  const int before = value >= 100 ? 3 : value >= 10 ? 2 : 1;
  return std::max(0, digits - before);
}

QString withUnit(double value, int decimals, const char* unit) {
  return QString::number(value, 'f', decimals) + QChar(0x00A0) + QString::fromUtf8(unit);
}

QString minutes(std::int64_t ns) {
  const std::int64_t seconds = ns / 1'000'000'000 + (ns % 1'000'000'000 >= 500'000'000 ? 1 : 0);
  return QString("%1 min %2 s")
      .arg(seconds / 60)
      .arg(seconds % 60, 2, 10, QChar('0'))
      .replace(' ', QChar(0x00A0));
}

/// The smallest number has no negative of its own.
std::int64_t negative(std::int64_t number) {
  return number == std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::max()
                                                            : -number;
}

constexpr double kLargestWhole = 9e18;

/// What is NaN, or too large for a whole number.
QString beyondWhole(double value, const char* unit) {
  if (std::isnan(value)) return QStringLiteral("–");
  if (std::isinf(value)) return value < 0 ? QStringLiteral("−∞") : QStringLiteral("∞");
  return formatNumber(value, 3) + (*unit == 0 ? QString() : QChar(0x00A0) + QString::fromUtf8(unit));
}

}  // namespace

QString formatNs(std::int64_t ns, int digits) {
  if (ns < 0) return QChar(0x2212) + formatNs(negative(ns), digits);
  if (ns < 1000) return withUnit(static_cast<double>(ns), 0, "ns");
  if (ns >= 600'000'000'000) return minutes(ns);
  std::size_t unit = 1;
  while (unit + 1 < kTimeUnits.size() && static_cast<double>(ns) >= kTimeUnits[unit + 1].ns) ++unit;
  double value = static_cast<double>(ns) / kTimeUnits[unit].ns;
  // what rounds up to 1000 belongs to the next unit
  if (unit + 1 < kTimeUnits.size() && std::round(value * std::pow(10, decimalsFor(value, digits))) >=
                                          1000 * std::pow(10, decimalsFor(value, digits)))
    value = static_cast<double>(ns) / kTimeUnits[++unit].ns;
  return withUnit(value, decimalsFor(value, digits), kTimeUnits[unit].name);
}

QString formatNsOf(double ns, int digits) {
  if (std::abs(ns) < kLargestWhole) return formatNs(std::llround(ns), digits);
  return beyondWhole(ns * 1e-9, "s");
}

QString formatBytesOf(double bytes) {
  return std::abs(bytes) < kLargestWhole ? formatBytes(std::llround(bytes)) : beyondWhole(bytes, "B");
}

QString formatCountOf(double count) {
  return std::abs(count) < kLargestWhole ? formatCount(std::llround(count)) : beyondWhole(count, "");
}

QString formatSignedNs(double ns, int digits) {
  if (!std::isfinite(ns)) return "–";
  return (ns < 0 ? "−" : "+") + formatNsOf(std::abs(ns), digits);
}

QString formatCycles(std::int64_t ns, double mhz) {
  constexpr double kToHalf = 500;  // up to here a nanosecond is at most half a cycle
  const double nsPerCycle = 1e3 / mhz;
  const bool exact = mhz <= kToHalf || (nsPerCycle >= 1 && nsPerCycle == std::round(nsPerCycle));
  const QString count = formatCountOf(static_cast<double>(ns) / nsPerCycle);
  return exact ? count : QStringLiteral("≈ ").replace(' ', QChar(0x00A0)) + count;
}

QString formatSeconds(double seconds, int digits) {
  if (!std::isfinite(seconds)) return QStringLiteral("–");
  if (seconds < 0) return QChar(0x2212) + formatSeconds(-seconds, digits);
  const double ns = seconds * 1e9;
  if (!(ns < kLargestWhole)) return beyondWhole(seconds, "s");
  if (seconds == 0 || std::abs(ns - std::round(ns)) < 1e-6 * ns || ns >= 1000) return formatNsOf(ns, digits);
  // below a picosecond the decimals of that
  return ns >= 1 ? withUnit(ns, decimalsFor(ns, digits), "ns")
                 : formatNumber(ns * 1e3, digits) + QChar(0x00A0) + "ps";
}

QString formatTimeAt(std::int64_t ns, std::int64_t stepNs) {
  if (ns == 0) return QStringLiteral("0");
  if (ns < 0) return QChar(0x2212) + formatTimeAt(negative(ns), stepNs);
  const std::int64_t step = std::max<std::int64_t>(1, stepNs);
  std::size_t unit = 0;
  while (unit + 1 < kTimeUnits.size() && static_cast<double>(ns) >= kTimeUnits[unit + 1].ns) ++unit;
  const double inUnit = static_cast<double>(step) / kTimeUnits[unit].ns;
  int decimals = 0;
  // a step like 0.25 needs one more decimal than its size says
  for (double s = inUnit; decimals < 9 && std::abs(s - std::round(s)) > 1e-6 * s; s *= 10) ++decimals;
  return withUnit(static_cast<double>(ns) / kTimeUnits[unit].ns, decimals, kTimeUnits[unit].name);
}

QString formatBytes(std::int64_t bytes) {
  if (bytes < 0) return QChar(0x2212) + formatBytes(negative(bytes));
  if (bytes < 1024) return withUnit(static_cast<double>(bytes), 0, "B");
  constexpr std::array<const char*, 6> names = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (unit + 1 < names.size() && value >= 1023.95) {
    value /= 1024;
    ++unit;
  }
  return withUnit(value, value >= 1000 ? 0 : decimalsFor(value, 3), names[unit]);
}

QString formatCount(std::int64_t count) {
  QString digits = QString::number(count < 0 ? negative(count) : count);
  for (qsizetype at = digits.size() - 3; at > 0; at -= 3) digits.insert(at, QChar(0x202F));
  return count < 0 ? QChar(0x2212) + digits : digits;
}

std::pair<const char*, double> secondsUnit(double largest) {
  if (largest >= 1) return {"s", 1};
  return largest >= 1e-3 ? std::pair("ms", 1e3) : std::pair("µs", 1e6);
}

std::pair<const char*, double> bytesUnit(double largest) {
  constexpr std::array<const char*, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  double scale = 1;
  std::size_t unit = 0;
  for (; unit + 1 < kNames.size() && largest * scale >= 1024; ++unit) scale /= 1024;
  return {kNames[unit], scale};
}

QString formatPower(double value, int exponent, int decimals) {
  constexpr char16_t kDigits[] = u"⁰¹²³⁴⁵⁶⁷⁸⁹";
  QString power = QStringLiteral("10");
  if (exponent < 0) power += QChar(0x207B);
  for (const QChar digit : QString::number(std::abs(exponent))) power += QChar(kDigits[digit.digitValue()]);
  // in two steps: 10^-320 and its like are no doubles
  const double mantissa = value / std::pow(10.0, exponent / 2) / std::pow(10.0, exponent - exponent / 2);
  const QString number = QString::number(std::abs(mantissa), 'f', decimals);
  const QString sign = value < 0 ? QString(QChar(0x2212)) : QString();
  return number == "1" ? sign + power
                       : sign + number + QStringLiteral(" × ").replace(' ', QChar(0x00A0)) + power;
}

int exponentOf(double value, int decimals) {
  if (value == 0) return 0;
  return QString::number(value, 'e', decimals).section('e', 1).toInt();
}

QString formatShort(double value) {
  if (!std::isfinite(value)) return QStringLiteral("–");
  if (std::abs(value) >= 999.5e12) return formatPower(value, exponentOf(value, 2), 2);
  constexpr std::array<const char*, 5> names = {"", "k", "M", "G", "T"};
  double size = std::abs(value);
  std::size_t unit = 0;
  while (unit + 1 < names.size() && size >= 999.5) {
    size /= 1000;
    ++unit;
  }
  if (unit == 0) return formatNumber(value, 3);
  const QString number = withUnit(size, decimalsFor(size, 3), names[unit]);
  return value < 0 ? QChar(0x2212) + number : number;
}

QString formatShare(double share) {
  if (!std::isfinite(share)) return QStringLiteral("–");
  constexpr double kShown = 0.0005;
  if (share > 0 && share < kShown) return QStringLiteral("< 0.1 %").replace(' ', QChar(0x00A0));
  return withUnit(share > -kShown && share <= 0 ? 0 : share * 100, 1, "%");  // never "-0.0 %"
}

QString formatNumber(double value, int digits) {
  if (!std::isfinite(value)) return QStringLiteral("–");
  if (value == 0) return QStringLiteral("0");
  const double size = std::abs(value);
  const int decimals = std::max(0, digits - 1);
  if (size < 1e-4 || size >= 1e9) return formatPower(value, exponentOf(value, decimals), decimals);
  const int magnitude = static_cast<int>(std::floor(std::log10(size)));
  return QString::number(value, 'f', std::max(0, digits - 1 - magnitude));
}

}  // namespace halo
