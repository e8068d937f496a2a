#include "engine/experiment/published_runs.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "engine/experiment/document.h"

namespace halo {
namespace {

bool isWhole(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<double> asNumber(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

}  // namespace

bool meets(const std::map<std::string, std::string>& parameters, const Published::Conditions& conditions) {
  for (const auto& [key, expected] : conditions) {
    const auto parameter = parameters.find(key);
    if (parameter == parameters.end()) return false;
    if (parameter->second == expected || parameter->second == '"' + expected + '"') continue;
    if (isWhole(expected) && isWhole(parameter->second)) return false;  // as doubles, long ones may be equal
    const auto number = asNumber(expected), value = asNumber(parameter->second);
    if (!number || !value || *number != *value) return false;
  }
  return true;
}

std::set<std::string> comparedBy(const Published& figure) {
  std::set<std::string> keys;
  const auto add = [&](const Published::Conditions& conditions, const Published::Conditions& others) {
    for (const auto& [key, value] : conditions)
      if (const auto other = others.find(key); other == others.end() || other->second != value)
        keys.insert(key);
  };
  if (!figure.over) return keys;
  add(figure.numerator, *figure.over);
  add(*figure.over, figure.numerator);
  return keys;
}

std::map<std::string, std::string> assumptionsOf(const Published& figure,
                                                 const std::map<std::string, std::string>& parameters) {
  std::map<std::string, std::string> assumptions;
  for (const std::string& key : figure.assuming)
    if (const auto set = parameters.find(key); set != parameters.end())
      assumptions[key] = withoutQuotes(set->second);
  return assumptions;
}

bool isCounted(const Published& figure, const std::map<std::string, std::string>& assumptions) {
  return figure.counted.size() == figure.assuming.size() &&
         std::ranges::all_of(figure.counted, [&](const auto& counted) {
           return !assumptions.contains(counted.first) ||
                  meets(assumptions, {{counted.first, counted.second}});
         });
}

bool isPair(const Published& figure, const std::map<std::string, std::string>& numerator,
            const std::map<std::string, std::string>& denominator) {
  const auto assumed = assumptionsOf(figure, numerator), others = assumptionsOf(figure, denominator);
  return std::ranges::all_of(others, [&](const auto& other) {
    const auto same = assumed.find(other.first);
    return same == assumed.end() || same->second == other.second || figure.over->contains(other.first);
  });
}

}  // namespace halo
