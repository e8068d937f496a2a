#include "engine/record/analysis/model_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace halo {
namespace {

constexpr std::array<const char*, 5> kParts = {"iteration", "sample", "load", "transfer", "propagate"};

/// As it was written, without quotes.
std::string valueOf(const std::map<std::string, std::string>& parameters, const char* key) {
  const auto parameter = parameters.find(key);
  if (parameter == parameters.end()) return "";
  std::string value = parameter->second;
  std::erase(value, '"');
  return value;
}

}  // namespace

bool ModelVerdict::Part::fits() const { return std::abs(error) <= kMost; }

bool ModelVerdict::holds() const { return std::ranges::all_of(parts, &Part::fits); }

std::string ModelVerdict::sentence() const {
  std::string all;
  for (const Part& part : parts)
    if (!measured || holds() || !part.fits())
      all += fmt::format("{}{} {:+.1f} %", all.empty() ? "" : ", ", part.name, 100 * part.error);
  if (!measured) return "model against model, no machine is measured: " + all;
  return fmt::format("{}: {}; {:.0f} % either way are allowed, by the figures of platform {}",
                     holds() ? "comes out" : "does not come out", all, 100 * kMost, platform);
}

std::optional<ModelVerdict> modelVerdict(const RunRow& run,
                                         const std::map<std::string, std::string>& parameters,
                                         const std::map<std::string, double>& latest) {
  ModelVerdict verdict;
  for (const char* part : kParts) {
    const std::string metric =
        part == kParts.front() ? "prediction_error" : std::string("prediction_error_") + part;
    if (const auto error = latest.find(metric); error != latest.end() && std::isfinite(error->second))
      verdict.parts.push_back({part, error->second});
  }
  if (verdict.parts.empty()) return std::nullopt;
  const std::string device = valueOf(parameters, "run.device");
  verdict.measured = run.kind != "simulation" && (device == "host" || device == "opencl");
  verdict.platform = valueOf(parameters, "run.platform");
  return verdict;
}

}  // namespace halo
