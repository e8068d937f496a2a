#include "engine/record/analysis/model_verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

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

std::string signedPercent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f %%", 100 * share);
  return text.data();
}

}  // namespace

bool ModelVerdict::Part::fits() const { return std::abs(error) <= kMost; }

bool ModelVerdict::holds() const { return std::ranges::all_of(parts, &Part::fits); }

std::string ModelVerdict::sentence() const {
  std::string all;
  for (const Part& part : parts)
    if (!measured || holds() || !part.fits())
      all += (all.empty() ? "" : ", ") + part.name + ' ' + signedPercent(part.error);
  if (!measured) return "model against model, no machine is measured: " + all;
  return (holds() ? "comes out: " : "does not come out: ") + all + "; " +
         std::to_string(std::lround(100 * kMost)) + " % either way are allowed, by the figures of platform " +
         platform;
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
