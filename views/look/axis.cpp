#include "views/look/axis.h"

#include <algorithm>
#include <cmath>

#include "views/look/units.h"

namespace halo {
namespace {

/// The smallest of 1, 2, 5 × 10^k that is at least `least`.
double roundStep(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::int64_t floorTo(std::int64_t value, std::int64_t step) {
  const std::int64_t quotient = value / step - (value % step < 0 ? 1 : 0);
  return quotient * step;
}

constexpr int kMostDecimals = 15;  // of a double

/// `largest` of the axis decides the unit of all its labels: no "8000" beside "10 k".
QString stepLabel(double value, double step, double largest) {
  if (std::abs(value) < step * 1e-9) return QStringLiteral("0");
  if (step < 1e-6 || largest >= 1e15) {  // sixteen digits tell nobody anything
    const int exponent = exponentOf(largest, kMostDecimals);
    return formatPower(value, exponent, std::clamp(exponent - exponentOf(step, 0), 0, kMostDecimals));
  }
  double unit = 1;
  const char* name = "";
  for (const char* next : {"k", "M", "G", "T"}) {
    if (largest < 1e4 || largest < 1000 * unit) break;
    unit *= 1000;
    name = next;
  }
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step / unit) + 1e-9)));
  const QString number = QString::number(value / unit, 'f', decimals);
  return *name == 0 ? number : number + QChar(0x00A0) + QString::fromUtf8(name);
}

/// Of 1, 2, 5 × 10^k: "0.01", "200", "10 T", without the noughts that a measured value would have.
QString roundLabel(double value) {
  if (value < 1e-4 || value >= 1e15) return formatPower(value, exponentOf(value, 0), 0);
  QString label = formatShort(value);
  const qsizetype unit = label.indexOf(QChar(0x00A0));
  QString number = unit < 0 ? label : label.left(unit);
  if (!number.contains('.') || number.contains('e')) return label;
  while (number.endsWith('0')) number.chop(1);
  if (number.endsWith('.')) number.chop(1);
  return unit < 0 ? number : number + label.mid(unit);
}

}  // namespace

std::vector<Tick> linearTicks(double low, double high, int count, bool counts) {
  std::vector<Tick> ticks;
  if (!std::isfinite(low) || !std::isfinite(high) || high < low) return ticks;
  if (high == low) return {{low, formatNumber(low), true}};
  const double least = counts ? 1 : 0;
  double step = std::max(least, roundStep(high / std::max(1, count) - low / std::max(1, count)));
  const double largest = std::max(std::abs(low), std::abs(high));
  // numbers that no label tells apart: the ends alone
  if (!std::isfinite(step) || step < largest * 1e-14)
    return {{low, formatNumber(low), true}, {high, formatNumber(high), true}};
  // a range just short of two round numbers still gets two
  while (step > least && std::floor(high / step + 1e-9) - std::ceil(low / step - 1e-9) < 1)
    step = std::max(least, roundStep(step / 2.5));
  const double first = std::ceil(low / step - 1e-9);
  const double last = std::floor(high / step + 1e-9);
  for (double i = first; i <= last; ++i)
    ticks.push_back({i * step, stepLabel(i * step, step, largest), true});
  return ticks;
}

std::vector<Tick> logTicks(double low, double high) {
  std::vector<Tick> ticks;
  if (!(low > 0) || !std::isfinite(high) || high < low) return ticks;
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-12));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-12));
  const bool sparse = last - static_cast<int>(std::ceil(std::log10(low) - 1e-12)) < 2;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, exponent);
      if (value < low * (1 - 1e-12) || value > high * (1 + 1e-12)) continue;
      const bool major = factor == 1.0 || sparse;
      ticks.push_back({value, major ? roundLabel(value) : QString(), major});
    }
  }
  return ticks;
}

std::int64_t timeStep(std::int64_t spanNs, double width, double spacing) {
  const double perTick =
      static_cast<double>(std::max<std::int64_t>(1, spanNs)) * spacing / std::max(1.0, width);
  return std::max<std::int64_t>(1, std::llround(roundStep(std::max(1.0, perTick))));
}

std::vector<TimeTick> timeTicks(std::int64_t beginNs, std::int64_t endNs, double width, double spacing,
                                std::int64_t zeroNs) {
  std::vector<TimeTick> ticks;
  if (endNs <= beginNs) return ticks;
  const std::int64_t step = timeStep(endNs - beginNs, width, spacing);
  const std::int64_t minor = step % 5 == 0 ? step / 5 : step;
  for (std::int64_t t = floorTo(beginNs - zeroNs + minor - 1, minor); t < endNs - zeroNs; t += minor) {
    const bool major = t % step == 0;
    ticks.push_back({t + zeroNs, major ? formatTimeAt(t, step) : QString(), major});
  }
  return ticks;
}

std::int64_t TimeScale::toNs(double pixel) const {
  return beginNs + static_cast<std::int64_t>(std::floor(pixel * nsPerPixel()));
}

}  // namespace halo
