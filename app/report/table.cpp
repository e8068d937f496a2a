#include "app/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/index.h"
#include "engine/base/plain_text.h"

namespace halo {
namespace {

/// Columns on the screen: code points, since our own signs (Δ, ±, –) are one column each.
std::size_t width(const std::string& text) {
  return at(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool numeric(const std::string& text) {
  if (text.empty()) return false;
  const std::size_t first = text.front() == '-' || text.front() == '+' ? 1 : 0;
  return text == "–" || (first < text.size() && text[first] >= '0' && text[first] <= '9');
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  constexpr std::size_t kLongest = 1000;  // bytes; every row is as wide as the widest
  for (std::string& cell : row) cell = shortened(onOneLine(shortened(cell, kLongest)), kLongest);
  rows_.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  for (std::size_t c = 0; c < widths.size(); ++c)
    right.push_back(rows_.size() > 1 && std::all_of(rows_.begin() + 1, rows_.end(), [&](const auto& row) {
                      return c >= row.size() || row[c].empty() || numeric(row[c]);
                    }));
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string fill(widths[c] - width(row[c]), ' ');
      line += (c == 0 ? "" : "  ") + (right[c] ? fill + row[c] : row[c] + fill);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string shortNumber(double value) {
  if (!std::isfinite(value)) return "–";
  if (value == std::floor(value) && std::abs(value) < 1e9) return fmt::format("{:.0f}", value);
  if (std::abs(value) >= 1e-4 && std::abs(value) < 1e9) {
    const int digits = std::clamp(3 - static_cast<int>(std::floor(std::log10(std::abs(value)))), 0, 8);
    return fmt::format("{:.{}f}", value, digits);
  }
  return fmt::format("{:.3e}", value);
}

std::string changePercentText(double percent) {
  constexpr double kShown = 0.05;
  return std::abs(percent) < kShown ? "0.0 %" : fmt::format("{:+.1f} %", percent);
}

std::string byteText(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr double kMost = 1e18;  // beyond, digits alone would fill a line
  if (!(std::abs(bytes) < kMost)) return std::isnan(bytes) ? "–" : fmt::format("{:.3g} B", bytes);
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string secondsText(double seconds) {
  if (!std::isfinite(seconds)) return "–";
  if (seconds == 0) return "0 s";
  constexpr std::array<std::pair<double, const char*>, 4> kUnits = {
      {{1e12, "ps"}, {1e9, "ns"}, {1e6, "µs"}, {1e3, "ms"}}};
  for (const auto& [each, unit] : kUnits)  // what three digits round up to 1000 belongs to the next unit
    if (std::abs(seconds) * each < 999.5) return fmt::format("{:.3g} {}", seconds * each, unit);
  constexpr double kYears = 1e9;  // some thirty: no run of ours, but what somebody wrote into its recording
  if (std::abs(seconds) >= kYears) return fmt::format("{:.3g} s", seconds);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  const auto wholeSeconds = static_cast<long>(seconds);
  if (wholeSeconds < 7200) return fmt::format("{}:{:02} min", wholeSeconds / 60, wholeSeconds % 60);
  return fmt::format("{}:{:02} h", wholeSeconds / 3600, wholeSeconds / 60 % 60);
}

}  // namespace halo
