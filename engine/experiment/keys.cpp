#include "engine/experiment/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/check.h"
#include "engine/experiment/document.h"

namespace halo {
namespace {

const RunSettings& defaults() {
  static const RunSettings run;
  return run;
}

/// Declarations refer to texts that last.
std::string_view lasting(const std::string& text) {
  static std::set<std::string> texts;
  return *texts.insert(text).first;
}

/// The value of a run, as the parameter of its key holds it.
Value valueIn(const Key& key, const RunSettings& run) {
  return std::visit(
      Overloaded{[&](const bool* on) -> Value {
                   const auto* choice = std::get_if<Choice>(&key.parameter.type);
                   if (choice == nullptr) return *on;
                   return std::string(choice->options[*on ? 1 : 0]);
                 },
                 [](const std::uint64_t* number) -> Value { return static_cast<std::int64_t>(*number); },
                 [](FileName file) -> Value { return *file.path; },
                 [](RecordStep step) -> Value { return stepText(*step.every, step.counted); },
                 [](const std::vector<std::string>* hosts) -> Value { return joinHosts(*hosts); },
                 [](const LinkSettings* link) -> Value { return linkText(*link); },
                 [](const auto* member) -> Value { return *member; }},
      memberOf(key, run));
}

bool isEmpty(const Value& value) {
  return std::visit([](const auto& content) { return content == std::decay_t<decltype(content)>(); }, value);
}

/// The key's parameter with the default that the member has. It stands in one place alone.
Parameter completed(const Key& key) {
  Parameter parameter = key.parameter;
  const Value value = key.member == nullptr ? Value() : valueIn(key, defaults());
  if (isEmpty(value)) return parameter;
  HALO_CHECK(isEmpty(fallback(parameter)));
  std::visit(Overloaded{[&](Real& type) { type.fallback = std::get<double>(value); },
                        [&](Integer& type) { type.fallback = std::get<std::int64_t>(value); },
                        [&](Flag& type) { type.fallback = std::get<bool>(value); },
                        [&](auto& type) { type.fallback = lasting(std::get<std::string>(value)); }},
             parameter.type);
  return parameter;
}

std::optional<Value> readHosts(const toml::node& node, std::string& wrong) {
  const toml::array* list = node.as_array();
  if (list == nullptr) {
    wrong = shown(node) + R"( cannot be used; a list like ["node1:8", "node2:8"])";
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const toml::node& item : *list) {
    const auto* name = item.as_string();
    if (name != nullptr && isHost(name->get()))
      names.push_back(name->get());
    else
      wrong += (wrong.empty() ? "" : ", ") + shown(item);
  }
  if (wrong.empty()) return joinHosts(names);
  wrong += std::string(names.size() + 1 == list->size() ? " is not a host" : " are not hosts") +
           "; a name of letters, digits, '.', '-', '_', and ':ranks' if wanted";
  return std::nullopt;
}

std::optional<Value> readRecordStep(const Parameter& parameter, StepOf unit, const toml::node& node,
                                    std::string& wrong) {
  const auto value = readValue(parameter, node, wrong);
  if (value && readStep(std::get<std::string>(*value), unit)) return value;
  wrong =
      fmt::format("{} cannot be used; {}",
                  value ? fmt::format("'{}'", std::get<std::string>(*value)) : shown(node), stepForms(unit));
  return std::nullopt;
}

/// Why the value of the key cannot be used; "": it can.
std::string wrongName(const Key& key, const Value& value, const Known& known) {
  const auto* text = std::get_if<std::string>(&value);
  if (text != nullptr && key.names.declared != nullptr)
    return notAmong(known.*key.names.declared, *text, key.names.what);
  return text != nullptr && key.wrong != nullptr ? key.wrong(*text) : "";
}

}  // namespace

Section::Section(const SectionRows& rows) : keys(rows.keys.begin(), rows.keys.end()) {
  for (Key& key : keys) {
    key.parameter = completed(key);
    parameters.push_back(key.parameter);
  }
  declaration = {rows.name, rows.help, "", parameters};
}

const Key* keyNamed(std::string_view section, std::string_view key) {
  const auto in = [&](const Section& keyed) -> const Key* {
    const auto named = std::ranges::find(keyed.keys, key, &Key::name);
    return named == keyed.keys.end() ? nullptr : &*named;
  };
  if (section == "run") return in(runSection());
  for (const Section& keyed : keyedSections())
    if (keyed.declaration.name == section) return in(keyed);
  return nullptr;
}

// Members are given as they can be changed; who asks this way only reads.
Member memberOf(const Key& key, const RunSettings& run) { return key.member(const_cast<RunSettings&>(run)); }

std::string notAmong(const std::vector<Declaration>& declarations, const std::string& name,
                     const std::string& kind) {
  if (declarationNamed(declarations, name) != nullptr) return "";
  const auto names = namesOf(declarations, &Declaration::name);
  return fmt::format("'{}' is not {}; {}", name, kind, suggestion(name, names, "one of " + listed(names)));
}

std::optional<Value> readKey(const Key& key, const toml::node& node, const Known& known,
                             std::map<std::string, LinkSettings>& links, std::string& wrong) {
  const auto plain = [&] { return readValue(key.parameter, node, wrong); };
  std::optional<Value> value =
      key.member == nullptr
          ? plain()
          : std::visit(Overloaded{[&](std::vector<std::string>*) { return readHosts(node, wrong); },
                                  [&](LinkSettings*) { return readLinkValue(node, links, wrong); },
                                  [&](RecordStep step) {
                                    return readRecordStep(key.parameter, step.counted, node, wrong);
                                  },
                                  [&](const auto&) { return plain(); }},
                       memberOf(key, defaults()));
  if (value) wrong = wrongName(key, *value, known);
  if (!wrong.empty()) value.reset();
  return value;
}

std::vector<std::string> namesFor(const Key& key, const Known& known) {
  if (key.names.declared != nullptr) return namesOf(known.*key.names.declared, &Declaration::name);
  std::vector<std::string> names;
  if (key.member == nullptr || !std::holds_alternative<LinkSettings*>(memberOf(key, defaults())))
    return names;
  names.emplace_back("none");
  for (const auto& [name, link] : known.links)
    if (name != "none") names.push_back(name);
  return names;
}

std::string writtenText(const Key& key, const RunSettings& run) {
  const Value value = valueIn(key, run);
  const auto list = [](std::vector<std::string>* hosts) {
    std::vector<std::string> quoted;
    for (const std::string& host : *hosts) quoted.push_back(toText(Value(host)));
    return fmt::format("[{}]", fmt::join(quoted, ", "));
  };
  const auto link = [&](LinkSettings*) {
    const auto& text = std::get<std::string>(value);
    return text.front() == '{' ? text : toText(value);
  };
  return std::visit(Overloaded{list, link, [&](const auto&) { return toText(value); }}, memberOf(key, run));
}

}  // namespace halo
