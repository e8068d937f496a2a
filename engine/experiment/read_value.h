#pragma once

// Inside engine/experiment: one node of a TOML document against one declared parameter.

#include <toml++/toml.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"

namespace halo {

/// A node as a message shows it: 'text' in quotes, numbers as they are, else what kind of thing it is.
std::string shown(const toml::node& node);
/// 0.5, 1, 1e-06: a number as a message shows it.
std::string shown(double number);

/// The value that `parameter` makes of `node`; or nullopt, and in `wrong` what is wrong and what is allowed.
std::optional<Value> readValue(const Parameter& parameter, const toml::node& node, std::string& wrong);

/// What readTable() tells of: where, the dotted key, what is wrong and what is allowed.
using TellWrong = std::function<void(const toml::source_region&, const std::string&, const std::string&)>;
/// Each of `parameters` from the table, by default where it is absent or wrong; nothing else but the
/// key `besides` may stand there. `path` stands before keys in messages.
Values readTable(std::span<const Parameter> parameters, const toml::table& table, const std::string& path,
                 const std::string& besides, const TellWrong& wrong);

/// A table of one `value`, as a word of the command line writes it: quotes around a text may be left out.
toml::table valueTable(const std::string& word);

/// "did you mean 'x'?" or, with nothing near, `otherwise`.
std::string suggestion(const std::string& word, const std::vector<std::string>& names,
                       const std::string& otherwise);
/// What the system's calls, and so names and paths, end at.
constexpr const char* kZeroCharacter = "the character U+0000";
bool holdsZero(const std::string& text);
/// Whether it has characters that are no writing: what steers().
bool holdsControl(const std::string& text);
/// The text as a part of a name, "_" for each such character and for each byte that is no UTF-8.
std::string asName(std::string_view text);
/// The workers are told by JSON, which carries nothing else.
bool isUtf8(const std::string& text);
/// "a b c"
std::string listed(const std::vector<std::string>& words);
template <class Range, class Projection>
std::vector<std::string> namesOf(const Range& range, Projection projection) {
  std::vector<std::string> names;
  for (const auto& item : range) names.emplace_back(std::invoke(projection, item));
  return names;
}

inline constexpr const char* kNotThere = "is not there";
/// What stands at a path instead of a file: kNotThere, "is a folder"; "": a file does, or a folder too.
std::string insteadOfFile(const std::string& path, bool orFolder = false);

/// Where a node or key stands.
Problem placed(const std::string& file, const toml::source_region& region, std::string key = "",
               std::string message = "");

/// { bandwidth_gbit = 10.0, latency_us = 20.0 }, or what is wrong with it.
std::optional<LinkSettings> readLink(const toml::table& table, std::string& wrong);
/// As an experiment file writes it: a preset's name, or the inline table.
std::string linkText(const LinkSettings& link);

/// What is recorded of a run all the time, or now and then.
enum class StepOf : std::uint8_t { epochs, iterations };
/// "all" → 1, "none" → 0, "every N epochs" → N. Of iterations "auto" too → kAutoStep.
std::optional<std::int64_t> readStep(const std::string& text, StepOf unit);
std::string stepText(std::int64_t step, StepOf unit);
/// '"all", "none" or "every N epochs"'
std::string stepForms(StepOf unit);

/// "name" or "name:N" of letters, digits, dot, dash and underscore, not beginning with a dash.
bool isHost(const std::string& text);
std::vector<std::string> splitHosts(const std::string& joined);
std::string joinHosts(const std::vector<std::string>& hosts);

}  // namespace halo
