#pragma once

#include <string>

#include "engine/experiment/keys.h"

namespace halo::test {

/// " s", " GiB": the unit of a key, which its name ends in; "": it has none.
inline std::string unitOf(std::string_view key) {
  constexpr std::pair<std::string_view, std::string_view> kUnits[] = {
      {"_s", " s"}, {"_us", " µs"}, {"_gib", " GiB"}, {"_gbit", " Gbit/s"}};
  for (const auto& [ending, unit] : kUnits)
    if (key.ends_with(ending)) return std::string(unit);
  return "";
}

inline std::string numberInManual(std::int64_t number) { return std::to_string(number); }
/// 100000.0, not 1e+05.
inline std::string numberInManual(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return number == static_cast<double>(whole) ? std::to_string(whole) + ".0" : toText(number);
}

/// What the manual says is allowed.
inline std::string allowedInManual(const Key& key) {
  const auto range = [&](const auto& type) {
    return numberInManual(type.low) + " to " + numberInManual(type.high) + unitOf(key.name());
  };
  const auto listed = [](const Choice& choice) {
    std::string options;
    for (const std::string_view option : choice.options)
      options += (options.empty() ? "" : ", ") + std::string(option);
    return options;
  };
  const Member member = key.member == nullptr ? Member() : memberOf(key, RunSettings());
  if (std::holds_alternative<std::vector<std::string>*>(member)) return "list of texts";
  if (std::holds_alternative<LinkSettings*>(member)) return "text or table";
  return std::visit(Overloaded{[&](const Real& type) { return range(type); },
                               [&](const Integer& type) { return range(type); },
                               [&](const Choice& type) { return listed(type); },
                               [](const Flag&) { return std::string("true, false"); },
                               [](const Text&) { return std::string("text"); }},
                    key.parameter.type);
}

/// The line that the manual has of a key, from its declaration alone.
inline std::string manualLine(const Key& key) {
  const bool list = allowedInManual(key) == "list of texts";  // the parameter holds it as one text
  const std::string byDefault = list ? writtenText(key, RunSettings()) : toText(fallback(key.parameter));
  return "| `" + std::string(key.name()) + "` | `" + byDefault + "` | " + allowedInManual(key) + " | " +
         std::string(key.parameter.help) + " |";
}

}  // namespace halo::test
