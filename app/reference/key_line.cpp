#include "app/reference/key_line.h"

#include <fmt/format.h>

#include <cmath>

namespace halo {
namespace {

/// " s", " GiB": the unit of a key, which the last words of its name are; "": it has none.
std::string unitOf(std::string_view key) {
  // of two that fit, the longer stands first
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {{"vertex_cache_mb", "MB"},
                                                                      {"cache_mb", "MiB"},
                                                                      {"device_mb", "MiB"},
                                                                      {"reserve_mb", "MiB"},
                                                                      {"gb_per_s", "GB/s"},
                                                                      {"gb_per_rank", "GB"},
                                                                      {"bytes_per_cycle", "bytes a cycle"},
                                                                      {"pj_per_byte", "pJ/byte"},
                                                                      {"gbps", "GB/s"},
                                                                      {"gbit", "Gbit/s"},
                                                                      {"gflops", "GFLOP/s"},
                                                                      {"tflops", "TFLOP/s"},
                                                                      {"gib", "GiB"},
                                                                      {"gb", "GB"},
                                                                      {"mb", "MB"},
                                                                      {"kb", "KB"},
                                                                      {"bytes", "bytes"},
                                                                      {"mhz", "MHz"},
                                                                      {"us", "µs"},
                                                                      {"ns", "ns"},
                                                                      {"nm", "nm"},
                                                                      {"pj", "pJ"},
                                                                      {"s", "s"},
                                                                      {"w", "W"}};
  for (const auto& [words, unit] : kUnits)
    if (key == words || (key.ends_with(words) && key[key.size() - words.size() - 1] == '_'))
      return " " + std::string(unit);
  return "";
}

std::string inManual(std::int64_t number) { return std::to_string(number); }
/// 100000.0, not 1e+05.
std::string inManual(double number) {
  constexpr double kLargestWritten = 1e15;
  if (number != std::floor(number) || std::abs(number) > kLargestWritten) return toText(number);
  return std::to_string(static_cast<std::int64_t>(number)) + ".0";
}

std::string allowedOf(const Key& key) {
  const Member member = key.member == nullptr ? Member() : memberOf(key, RunSettings());
  if (std::holds_alternative<std::vector<std::string>*>(member)) return "list of texts";
  if (std::holds_alternative<LinkSettings*>(member)) return "text or table";
  return allowedInManual(key.parameter);
}

std::string line(const Parameter& parameter, const std::string& byDefault, const std::string& allowed) {
  return fmt::format("| `{}` | `{}` | {} | {} |", parameter.key, byDefault, allowed, parameter.help);
}

}  // namespace

std::string allowedInManual(const Parameter& parameter) {
  const auto range = [&](const auto& type) {
    return inManual(type.low) + " to " + inManual(type.high) + unitOf(parameter.key);
  };
  return std::visit(
      Overloaded{
          [&](const Real& type) { return range(type); }, [&](const Integer& type) { return range(type); },
          [](const Choice& type) { return fmt::format("{}", fmt::join(type.options, ", ")); },
          [](const Flag&) { return std::string("true, false"); },
          [](const Text& type) { return std::string(type.numbers ? "text or whole number" : "text"); }},
      parameter.type);
}

std::string manualLine(const Key& key) {
  const std::string allowed = allowedOf(key);
  const bool isList = allowed == "list of texts";  // the parameter holds it as one text
  return line(key.parameter, isList ? writtenText(key, RunSettings()) : toText(fallback(key.parameter)),
              allowed);
}

std::string manualLine(const Parameter& parameter, const std::string& byDefault) {
  return line(parameter, byDefault, allowedInManual(parameter));
}

}  // namespace halo
