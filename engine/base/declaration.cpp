#include "engine/base/declaration.h"

#include <charconv>

#include "engine/base/check.h"

namespace halo {
namespace {

template <class T>
const T& get(const Values& values, std::string_view key) {
  const auto entry = values.find(key);
  HALO_CHECK(entry != values.end() && std::holds_alternative<T>(entry->second));
  return std::get<T>(entry->second);
}

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

double Values::real(std::string_view key) const { return get<double>(*this, key); }
std::int64_t Values::integer(std::string_view key) const { return get<std::int64_t>(*this, key); }
bool Values::flag(std::string_view key) const { return get<bool>(*this, key); }
const std::string& Values::text(std::string_view key) const { return get<std::string>(*this, key); }

Value fallback(const Parameter& parameter) {
  return std::visit(Overloaded{[](const Choice& t) -> Value { return std::string(t.fallback); },
                               [](const Text& t) -> Value { return std::string(t.fallback); },
                               [](const auto& t) -> Value { return t.fallback; }},
                    parameter.type);
}

Values fallbacks(std::span<const Parameter> parameters) {
  Values values;
  for (const Parameter& parameter : parameters) values.emplace(parameter.key, fallback(parameter));
  return values;
}

std::string toText(const Value& value) {
  return std::visit(Overloaded{[](bool b) -> std::string { return b ? "true" : "false"; },
                               [](std::int64_t i) { return std::to_string(i); },
                               [](double d) {
                                 char buffer[32];
                                 const auto end = std::to_chars(buffer, buffer + sizeof buffer, d).ptr;
                                 std::string text(buffer, end);
                                 if (text.find_first_of(".en") == std::string::npos) text += ".0";
                                 return text;
                               },
                               [](const std::string& s) { return quoted(s); }},
                    value);
}

}  // namespace halo
