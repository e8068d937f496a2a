#include "app/report/gate.h"

#include <fmt/format.h>

#include <cmath>

#include "app/report/metrics.h"
#include "engine/base/problem.h"
#include "engine/experiment/read_value.h"
#include "engine/experiment/toml_text.h"

namespace halo {
namespace {

Problem at(const std::filesystem::path& file, const toml::source_region& region, std::string key,
           std::string message) {
  return {file.string(), region.begin.line, region.begin.column, std::move(key), std::move(message)};
}

std::optional<double>* member(Gate& gate, std::string_view key) {
  if (key == "min") return &gate.min;
  if (key == "max") return &gate.max;
  if (key == "max_increase_percent") return &gate.maxIncreasePercent;
  if (key == "max_decrease_percent") return &gate.maxDecreasePercent;
  return nullptr;
}

/// Why what stands at the top of the file under this name is no gate.
std::string noGate(const std::string& name) {
  Gate limits;
  if (member(limits, name) != nullptr) return "is a limit; it stands in the table of a metric, like [loss]";
  if (metricNamed(name) != nullptr)
    return "is a metric; its limits stand in a table of its name: [" + name + "] with max = …, for example";
  std::vector<std::string> names;
  for (const Metric& metric : metrics()) names.push_back(metric.key);
  const std::string near = nearest(name, names);
  if (near.empty()) return "is not a metric; `haloscope compare --json` names them";
  return "is not a table of a metric; did you mean [" + near + "]?";
}

Gate gateOf(const std::filesystem::path& file, const std::string& name, const toml::key& key,
            const toml::table& table, std::vector<Problem>& problems) {
  static const std::vector<std::string> kLimits = {"min", "max", "max_increase_percent",
                                                   "max_decrease_percent"};
  Gate gate{name, {}, {}, {}, {}};
  for (const auto& [limit, node] : table) {
    const std::string word(limit.str());
    auto* to = member(gate, word);
    const auto number = node.is_number() ? node.value<double>() : std::nullopt;
    if (to != nullptr && number && std::isfinite(*number)) {
      *to = number;
      continue;
    }
    const std::string message = to == nullptr ? "unknown key; " + suggestion(word, kLimits, "numbers")
                                              : shown(node) + " cannot be used; numbers";
    problems.push_back(at(file, to == nullptr ? limit.source() : node.source(), name + "." + word,
                          message + " for " + listed(kLimits)));
  }
  if (table.empty())
    problems.push_back(at(file, key.source(), name, "has no limit; numbers for " + listed(kLimits)));
  if (gate.min && gate.max && *gate.min > *gate.max)
    problems.push_back(at(file, key.source(), name, "min is above max; nothing can meet both"));
  return gate;
}

/// In percent; in `why` why there is none.
double changeFrom(const Baseline& baseline, std::size_t metric, double value, std::string& why) {
  const double before = orNaN(baseline.values[metric]);
  if (!baseline.incomparable.empty())
    why = baseline.incomparable;
  else if (isLost(baseline.values[metric]))
    why = "it is NaN there";
  else if (std::isnan(before))
    why = "it is not recorded there";
  else if (std::isinf(before))
    why = "it is infinite there";
  else if (before == 0 && value != 0)
    why = "it is 0 there";
  return before == value ? 0 : 100.0 * (value / before - 1.0);
}

void checkChange(const Gate& gate, std::size_t metric, double value, const Baseline& baseline,
                 std::vector<std::string>& failures) {
  if (!gate.maxIncreasePercent && !gate.maxDecreasePercent) return;
  std::string why;
  const double change = changeFrom(baseline, metric, value, why);
  if (!why.empty())
    failures.push_back(
        fmt::format("{} has no change from {} in percent: {}", gate.metric, baseline.title, why));
  else if (gate.maxIncreasePercent && change > *gate.maxIncreasePercent)
    failures.push_back(fmt::format("{} changed by {:+.2f} %, more than {:+} %", gate.metric, change,
                                   *gate.maxIncreasePercent));
  else if (gate.maxDecreasePercent && -change > *gate.maxDecreasePercent)
    failures.push_back(fmt::format("{} changed by {:+.2f} %, more than -{} %", gate.metric, change,
                                   *gate.maxDecreasePercent));
}

}  // namespace

std::vector<Gate> readGates(const std::filesystem::path& file) {
  const toml::table document = parseToml(readTomlFile(file, "a file of thresholds"), file.string());
  std::vector<Problem> problems;
  std::vector<Gate> gates;
  if (document.empty())
    problems.push_back(
        {.file = file.string(), .message = "holds no threshold; for example [loss] with max = 0.5"});
  for (const auto& [key, node] : document) {
    const std::string name(key.str());
    const toml::table* table = node.as_table();
    if (metricNamed(name) == nullptr || table == nullptr)
      problems.push_back(at(file, key.source(), name, noGate(name)));
    else
      gates.push_back(gateOf(file, name, key, *table, problems));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return gates;
}

std::vector<std::string> unmet(const std::vector<Gate>& gates, const MetricValues& values,
                               const std::optional<Baseline>& baseline) {
  std::vector<std::string> failures;
  for (const Gate& gate : gates) {
    const auto index = static_cast<std::size_t>(metricNamed(gate.metric) - metrics().data());
    const double value = orNaN(values[index]);
    if (!std::isfinite(value)) {
      failures.push_back(gate.metric + (!values[index]      ? " is not recorded"
                                        : std::isnan(value) ? " is NaN: it was measured, and is no number"
                                                            : " is infinite"));
      continue;
    }
    if (gate.min && value < *gate.min)
      failures.push_back(fmt::format("{} is {}, below {}", gate.metric, value, *gate.min));
    if (gate.max && value > *gate.max)
      failures.push_back(fmt::format("{} is {}, above {}", gate.metric, value, *gate.max));
    if (baseline) checkChange(gate, index, value, *baseline, failures);
  }
  return failures;
}

}  // namespace halo
