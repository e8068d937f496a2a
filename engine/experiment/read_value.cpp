#include "engine/experiment/read_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/plain_text.h"

namespace halo {
namespace {

std::optional<double> number(const toml::node& node) {
  if (const auto* real = node.as_floating_point()) return real->get();
  if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
  return std::nullopt;
}

/// Whole numbers beyond it have neighbours that a double cannot tell from them.
constexpr std::int64_t kMostExact = std::int64_t{1} << 53;

std::optional<Value> read(const Real& type, const toml::node& node, std::string& wrong) {
  const auto value = number(node);
  if (const auto* integer = node.as_integer();
      integer != nullptr && value <= type.high &&
      (integer->get() > kMostExact || integer->get() < -kMostExact)) {
    wrong = fmt::format("{} cannot be used; a whole number of at most {}, or one written like 1e18",
                        shown(node), kMostExact);
    return std::nullopt;
  }
  if (value && *value >= type.low && *value <= type.high)
    return *value == 0 ? 0.0 : *value;  // -0.0 means the same, and would be another text
  wrong = fmt::format("{} cannot be used; a number from {} to {}", shown(node), shown(type.low),
                      shown(type.high));
  return std::nullopt;
}

std::optional<Value> read(const Integer& type, const toml::node& node, std::string& wrong) {
  const auto* value = node.as_integer();
  if (value != nullptr && value->get() >= type.low && value->get() <= type.high) return value->get();
  const auto* real = node.as_floating_point();  // 2.0 would be shown as 2
  wrong = fmt::format("{} cannot be used; a whole number from {} to {}",
                      real != nullptr ? toText(real->get()) : shown(node), type.low, type.high);
  return std::nullopt;
}

std::optional<Value> read(const Flag&, const toml::node& node, std::string& wrong) {
  if (const auto* value = node.as_boolean()) return value->get();
  wrong = shown(node) + " cannot be used; true or false";
  return std::nullopt;
}

std::optional<Value> read(const Choice& type, const toml::node& node, std::string& wrong) {
  const std::vector<std::string> options(type.options.begin(), type.options.end());
  if (const auto* value = node.as_string()) {
    if (std::ranges::find(options, value->get()) != options.end()) return value->get();
    wrong = fmt::format("{} cannot be used; one of {}", shown(node), listed(options));
    if (const std::string near = nearest(value->get(), options); !near.empty())
      wrong += fmt::format("; did you mean '{}'?", near);
    return std::nullopt;
  }
  // where numbers are among the options, a person writes them without quotes
  if (const auto* value = node.as_integer())
    if (const std::string text = std::to_string(value->get());
        std::ranges::find(options, text) != options.end())
      return text;
  wrong = fmt::format("{} cannot be used; one of {}", shown(node), listed(options));
  return std::nullopt;
}

std::optional<Value> read(const Text& type, const toml::node& node, std::string& wrong) {
  if (const auto* value = node.as_string(); value != nullptr && holdsZero(value->get())) {
    wrong = shown(node) + " cannot be used; a text without " + kZeroCharacter;
    return std::nullopt;
  }
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* value = node.as_integer(); type.numbers && value != nullptr)
    return std::to_string(value->get());
  wrong = shown(node) + " cannot be used; a text in quotes" + (type.numbers ? " or a whole number" : "");
  return std::nullopt;
}

/// A message is one line.
std::string lineEndsEscaped(const std::string& text) {
  std::string line;
  for (const char c : text)
    if (c == '\n')
      line += "\\n";
    else if (c == '\t')
      line += "\\t";
    else
      line += c;
  return line;
}

}  // namespace

std::string shown(double number) { return fmt::format("{}", number); }

std::string shown(const toml::node& node) {
  if (const auto* text = node.as_string()) return "'" + lineEndsEscaped(shortened(text->get())) + "'";
  if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
  if (const auto* real = node.as_floating_point()) return shown(real->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (node.is_array()) return "a list";
  if (node.is_table()) return "a table";
  return "a date or time";
}

std::optional<Value> readValue(const Parameter& parameter, const toml::node& node, std::string& wrong) {
  return std::visit([&](const auto& type) { return read(type, node, wrong); }, parameter.type);
}

std::string insteadOfFile(const std::string& path, bool orFolder) {
  using Type = std::filesystem::file_type;
  std::error_code error;
  const Type type = std::filesystem::status(path, error).type();
  if (type == Type::regular || (type == Type::directory && orFolder)) return "";
  if (type == Type::none || type == Type::not_found) return kNotThere;
  if (type == Type::directory) return "is a folder";
  return type == Type::fifo ? "is a pipe" : "is a device or socket";
}

std::string suggestion(const std::string& word, const std::vector<std::string>& names,
                       const std::string& otherwise) {
  const std::string near = nearest(word, names);
  return near.empty() ? otherwise : fmt::format("did you mean '{}'?", near);
}

bool isUtf8(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

bool holdsControl(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = codePointAt(text, at);
    if (c.valid && steers(c.value)) return true;
    at += c.bytes;
  }
  return false;
}

std::string asName(std::string_view text) {
  std::string name;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = codePointAt(text, at);
    name += c.valid && !steers(c.value) ? text.substr(at, c.bytes) : "_";
    at += c.bytes;
  }
  return name;
}

bool holdsZero(const std::string& text) { return text.find('\0') != std::string::npos; }

std::string listed(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

Problem placed(const std::string& file, const toml::source_region& region, std::string key,
               std::string message) {
  return {file, region.begin.line, region.begin.column, std::move(key), std::move(message)};
}

namespace {

constexpr std::string_view nameOf(StepOf unit) { return unit == StepOf::epochs ? " epochs" : " iterations"; }

}  // namespace

std::optional<std::int64_t> readStep(const std::string& text, StepOf unit) {
  if (text == "all") return 1;
  if (text == "none") return 0;
  if (text == "auto" && unit == StepOf::iterations) return kAutoStep;
  constexpr std::string_view kBefore = "every ";
  const std::string_view after = nameOf(unit);
  if (!text.starts_with(kBefore) || !text.ends_with(after) || text.size() <= kBefore.size() + after.size())
    return std::nullopt;
  const char* begin = text.data() + kBefore.size();
  const char* end = text.data() + text.size() - after.size();
  std::int64_t step = 0;
  const auto [stop, error] = std::from_chars(begin, end, step);
  if (error != std::errc() || stop != end || step < 1) return std::nullopt;
  return step;
}

std::string stepText(std::int64_t step, StepOf unit) {
  if (step == kAutoStep) return "auto";
  return step == 0 ? "none" : step == 1 ? "all" : fmt::format("every {}{}", step, nameOf(unit));
}

std::string stepForms(StepOf unit) {
  return fmt::format("{}\"all\", \"none\" or \"every N{}\"", unit == StepOf::iterations ? "\"auto\", " : "",
                     nameOf(unit));
}

bool isHost(const std::string& text) {
  constexpr std::size_t kLongestHost = 253;  // RFC 1035
  const auto colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  if (name.empty() || name.size() > kLongestHost || name.front() == '-' || !std::ranges::all_of(name, safe))
    return false;
  if (colon == std::string::npos) return true;
  const std::string slots = text.substr(colon + 1);
  return !slots.empty() && slots.size() <= 5 && slots.front() != '0' &&
         std::ranges::all_of(slots, [](char c) { return c >= '0' && c <= '9'; });
}

std::vector<std::string> splitHosts(const std::string& joined) {
  std::vector<std::string> hosts;
  for (std::size_t begin = 0; begin < joined.size();) {
    const std::size_t end = std::min(joined.find(',', begin), joined.size());
    hosts.push_back(joined.substr(begin, end - begin));
    begin = end + 1;
  }
  return hosts;
}

std::string joinHosts(const std::vector<std::string>& hosts) {
  return fmt::format("{}", fmt::join(hosts, ","));
}

Values readTable(std::span<const Parameter> parameters, const toml::table& table, const std::string& path,
                 const std::string& besides, const TellWrong& wrong) {
  Values values = fallbacks(parameters);
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (name == besides) continue;
    const auto parameter = std::ranges::find(parameters, name, &Parameter::key);
    if (parameter == parameters.end()) {
      const auto names = namesOf(parameters, &Parameter::key);
      wrong(key.source(), path + name,
            "unknown key; " + suggestion(name, names, "known are " + listed(names)));
      continue;
    }
    std::string why;
    if (const auto value = readValue(*parameter, node, why))
      values[name] = *value;
    else
      wrong(node.source(), path + name, why);
  }
  return values;
}

}  // namespace halo
