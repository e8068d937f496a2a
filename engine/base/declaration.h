#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace halo {

// The types a parameter can have: each with its default and what is allowed.
struct Real {
  double fallback = 0, low = 0, high = 0;
};
struct Integer {
  std::int64_t fallback = 0, low = 0, high = 0;
};
struct Flag {
  bool fallback = false;
};
struct Choice {
  std::string_view fallback;
  std::span<const std::string_view> options;
};
struct Text {
  std::string_view fallback;
  bool numbers = false;  // may be a whole number, written without quotes
};

/// One setting, declared once: parser, help, form and manual read this.
struct Parameter {
  std::string_view key;
  std::string_view help;  // one line, no full stop
  std::variant<Real, Integer, Flag, Choice, Text> type;
};

/// What a method, partitioner, layer kind or accelerator says of itself.
struct Declaration {
  std::string_view name;
  std::string_view help;    // one line
  std::string_view source;  // paper and section
  std::span<const Parameter> parameters = {};
};

using Value = std::variant<bool, std::int64_t, double, std::string>;

/// Values by key, complete: every declared parameter is there.
class Values : public std::map<std::string, Value, std::less<>> {
 public:
  using map::map;
  double real(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  bool flag(std::string_view key) const;
  const std::string& text(std::string_view key) const;
};

Value fallback(const Parameter& parameter);
Values fallbacks(std::span<const Parameter> parameters);
/// As the experiment file would write it: 0.5, true, "metis" (with quotes).
std::string toText(const Value& value);

}  // namespace halo
