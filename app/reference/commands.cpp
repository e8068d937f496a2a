// Pieces of the command line: what `haloscope --help` says, as pages say it.
#include <fmt/format.h>

#include "app/commands/command.h"
#include "app/program/desktop_options.h"
#include "app/reference/piece.h"

namespace halo {
namespace {

std::vector<const CLI::App*> commandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// What stands for the value of an option, " FILE"; "": it has none, or its words and numbers say enough.
std::string valueOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();  // "FILE", "TEXT:{csv,weights}", "FIRST:LAST"
  for (const char* ofCli : {"TEXT", "INT", "UINT", "FLOAT"})
    if (type.empty() || type == ofCli || type.starts_with(std::string(ofCli) + ":")) return "";
  const auto checked = std::min(type.find(":FLOAT"), type.find(":INT"));
  return " " + type.substr(0, checked);
}

std::string namesOf(const CLI::Option& option) {
  if (option.get_positional()) return code(option.get_name(true));
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  names.back() += valueOf(option);
  for (std::string& name : names) name = code(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "needed", the variable that gives it, its default, or nothing: a flag is off, an option absent.
std::string defaultOf(const CLI::Option& option) {
  if (option.get_required()) return "needed";
  const std::string text = option.get_default_str(), variable = option.get_envname();
  const std::string byDefault = text.empty() || text == "\"\"" ? "" : code(text);
  return variable.empty() ? byDefault : fmt::format("{}, else {}", code(variable), byDefault);
}

/// What the option's check lets through: "{csv,weights}" and "INT in [1 - 9]" of its type.
std::string allowedOf(const CLI::Option& option) {
  std::string type = option.get_type_name();
  const auto begin = type.find_first_of("{["), end = type.find_last_of("}]");
  if (begin == std::string::npos || end == std::string::npos) return "";
  std::string text;
  for (const char c : type.substr(begin + 1, end - begin - 1)) text += c == ',' ? ", " : std::string(1, c);
  if (const auto dash = text.find(" - "); dash != std::string::npos) text.replace(dash, 3, " to ");
  return text;
}

std::string optionTable(const CLI::App& command) {
  MarkdownTable table({"option", "default", "allowed", "meaning"});
  for (const CLI::Option* option : command.get_options())
    if (option->get_name() != "--help")
      table.add({namesOf(*option), defaultOf(*option), allowedOf(*option), option->get_description()});
  return table.empty() ? "None of its own.\n" : table.text();
}

std::string desktopTable() {
  MarkdownTable table({"option", "default", "meaning"});
  for (const DesktopOption& option : kDesktopOptions) {
    const std::string value = option.value.empty() ? "" : fmt::format(" {}", option.value);
    const std::string letter = option.letter.empty() ? "" : fmt::format("`-{}`, ", option.letter);
    table.add({letter + fmt::format("`--{}{}`", option.name, value),
               option.byDefault.empty() ? "" : code(option.byDefault), std::string(option.help)});
  }
  return table.text();
}

}  // namespace

void addCommands(Pieces& pieces) {
  const std::filesystem::path folder = "reference/commands";
  CLI::App app("", "haloscope");
  Common common;
  Action action;
  addCommands(app, common, action);
  MarkdownTable all({"command", "what it does"});
  for (const CLI::App* command : commandsOf(app)) {
    const std::string name = command->get_name(), title = fmt::format("`haloscope {}`", name);
    const std::filesystem::path page = folder / (name + ".md");
    all.add({fmt::format("[{}]({}.md)", title, name), command->get_description()});
    const auto below = commandsOf(*command);
    if (below.empty()) pieces["options " + name] = {page, title, optionTable(*command)};
    MarkdownTable parts({"command", "what it does"});
    for (const CLI::App* part : below) {
      const std::string words = name + " " + part->get_name();
      parts.add({fmt::format("`haloscope {}`", words), part->get_description()});
      if (part->get_options().size() > 1) pieces["options " + words] = {page, title, optionTable(*part)};
    }
    if (!below.empty()) pieces["commands " + name] = {page, title, parts.text()};
  }
  pieces["options haloscope-desktop"] = {folder / "haloscope-desktop.md", "`haloscope-desktop`",
                                         desktopTable()};
  pieces["commands"] = {folder / "index.md", "Commands", all.text()};
  pieces["options"] = {folder / "index.md", "Commands", optionTable(app)};
}

}  // namespace halo
