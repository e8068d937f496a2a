#include "engine/experiment/band.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace halo {
namespace {

constexpr double kAlike = 0.25, kDiffering = 0.5;  // of the value, to either side
constexpr double kSlack = 1e-9;                    // of binary fractions: 1.25 × 0.9 is not 1.125

double shareOf(const Published& figure) { return figure.differs.empty() ? kAlike : kDiffering; }

/// How far the band may reach from the value.
double reachOf(const Published& figure) {
  return std::max(shareOf(figure) * std::abs(*figure.value), figure.rounding);
}

std::string text(double value) { return fmt::format("{:.4g}", value); }
std::string text(double low, double high) { return text(low) + " to " + text(high); }

/// "25 % of 1.9, the most where neither machine nor graph differs; 50 % with differs = …"
std::string mostOf(const Published& figure, double value) {
  const std::string part = fmt::format("{:.0f} % of {}, the most where ", 100 * shareOf(figure), text(value));
  if (!figure.differs.empty())
    return part + fmt::format("{} {}", fmt::join(figure.differs, " and "),
                              figure.differs.size() == 1 ? "differs" : "differ");
  return part + R"(nothing differs; 50 % with differs = ["machine"], ["graph"] or both)";
}

std::vector<BandFault> orderFaults(const Published& figure) {
  std::vector<BandFault> faults;
  if (figure.value)
    faults.push_back(
        {"counts", fmt::format("{} is printed, and a printed number keeps its band; leave counts = \"order\" "
                               "out and give low and high, at most {}",
                               text(*figure.value),
                               text(*figure.value - reachOf(figure), *figure.value + reachOf(figure)))});
  const bool oneSided =
      (figure.low == 1) != (figure.high == 1) && std::isfinite(figure.low) != std::isfinite(figure.high);
  if (!figure.over || !oneSided)
    faults.push_back({"counts", "an order is one of two runs, so it needs over, and low = 1 or high = 1"});
  return faults;
}

/// Of a printed value.
void checkAbout(const Published& figure, std::vector<BandFault>& faults) {
  const double value = *figure.value, reach = reachOf(figure);
  const double slack = kSlack * (std::abs(value) + reach);
  const double least = value - figure.rounding, most = value + figure.rounding;
  if (figure.low > least + slack || figure.high < most - slack)
    faults.push_back({"value", fmt::format("{} as it is printed is {}, which the band of {} does not hold; a "
                                           "band holds what is printed, and ours may lie outside",
                                           text(value), text(least, most), text(figure.low, figure.high))});
  for (const bool low : {true, false}) {
    const double end = low ? figure.low : figure.high, last = low ? value - reach : value + reach;
    if (low ? end < last - slack : end > last + slack)
      faults.push_back({low ? "low" : "high",
                        fmt::format("{} is beyond {}: {}", text(end), text(last), mostOf(figure, value))});
  }
}

/// Of a range that is printed, without the values in it.
void checkRange(const Published& figure, std::vector<BandFault>& faults) {
  const double middle = (figure.low + figure.high) / 2, half = (figure.high - figure.low) / 2;
  if (half > shareOf(figure) * std::abs(middle) * (1 + kSlack))
    faults.push_back(
        {"high", fmt::format("a range of {} reaches {} to either side of its middle, more than "
                             "{}; a value for each figure",
                             text(figure.low, figure.high), text(half), mostOf(figure, middle))});
}

std::vector<BandFault> magnitudeFaults(const Published& figure) {
  std::vector<BandFault> faults;
  for (const bool low : {true, false}) {
    if (std::isfinite(low ? figure.low : figure.high)) continue;
    faults.push_back({low ? "low" : "high", "missing; a band has two sides, low and high"});
    if (figure.value)
      faults.back().message += fmt::format(
          ", here at most {}", text(*figure.value - reachOf(figure), *figure.value + reachOf(figure)));
  }
  if (!faults.empty()) return faults;
  figure.value ? checkAbout(figure, faults) : checkRange(figure, faults);
  return faults;
}

}  // namespace

std::vector<BandFault> bandFaults(const Published& figure) {
  std::vector<BandFault> faults =
      figure.counts == Published::Counts::order ? orderFaults(figure) : magnitudeFaults(figure);
  if (figure.because.find_first_not_of(" \t\n") == std::string::npos)
    faults.push_back({"because", "missing; why the band is as wide as it is, in a sentence"});
  return faults;
}

double roundingOf(std::string_view number) {
  std::string digits(number);
  std::erase(digits, '_');
  if (digits.starts_with('+') || digits.starts_with('-')) digits.erase(0, 1);
  const bool inTens = !(digits.size() > 1 && digits[0] == '0' && std::isalpha(digits[1]) != 0);
  const std::size_t exponentAt = inTens ? digits.find_first_of("eE") : std::string::npos;
  const std::size_t pointAt = digits.find('.');
  int last = 0;  // power of ten of the last digit
  if (pointAt != std::string::npos)
    last -= static_cast<int>(std::min(exponentAt, digits.size()) - pointAt - 1);
  constexpr long kFarthest = 10'000;  // far beyond what a number holds
  if (exponentAt != std::string::npos)
    last += static_cast<int>(
        std::clamp(std::strtol(digits.c_str() + exponentAt + 1, nullptr, 10), -kFarthest, kFarthest));
  return 0.5 * std::pow(10.0, last);
}

}  // namespace halo
