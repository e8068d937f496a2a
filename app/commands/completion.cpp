#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/commands/command.h"
#include "datasets/catalogue.h"
#include "datasets/contract/format.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/model/layer.h"
#include "engine/partition/contract/partitioner.h"

namespace halo {
namespace {

std::vector<CLI::App*> commandsOf(CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

/// "--db --json -o …" of one command.
std::vector<std::string> optionsOf(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    for (const std::string& name : option->get_snames()) words.push_back("-" + name);
  }
  return words;
}

/// Those that take a value, for a pattern of `case`.
std::string takingValues(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::Option* option : app.get_options())
    if (option->get_type_size() > 0)
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  return fmt::format("{}", fmt::join(words, "|"));
}

std::vector<std::string> namesOf(const std::vector<CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

/// What may follow `command`: its own commands and options, and those of the whole program, each once.
std::string wordsAfter(CLI::App& app, CLI::App& command) {
  std::vector<std::string> words = namesOf(commandsOf(command));
  for (const CLI::App* source : {&command, &app})
    for (const std::string& option : optionsOf(*source))
      if (std::ranges::find(words, option) == words.end()) words.push_back(option);
  return fmt::format("{}", fmt::join(words, " "));
}

template <class Entry>
std::string registered() {
  std::string words;
  for (const auto& [name, entry] : registry<Entry>()) words += (words.empty() ? "" : " ") + name;
  return words;
}

std::string dataSets(bool generatedOnly) {
  std::string words;
  for (const CatalogueEntry& entry : catalogue())
    if (!generatedOnly || (entry.kind != "published" && entry.name != "karate")) words += entry.name + " ";
  return words;
}

/// The words a place can hold, by "COMMAND PREVIOUS" (an option's value) or "COMMAND INNER" (its first word).
std::vector<std::pair<std::string, std::string>> valuesOfOptions() {
  return {{"export --format", "csv chrome-trace weights"},
          {"export --for", "program spreadsheet"},
          {"dataset --format", registered<FormatEntry>()},
          {"partition --format", registered<FormatEntry>()},
          {"partition --method", registered<PartitionerEntry>()},
          {"run --only", registered<MethodEntry>()},
          {"list --status", "queued running completed failed cancelled interrupted"},
          {"dataset --to", "ogb edge-list matrix-market metis"},
          {"dataset --normalize-features", "none row"},
          {"dataset --order", "given degree rcm random"}};
}
std::vector<std::pair<std::string, std::string>> firstWords(CLI::App& app) {
  return {{"completion", "bash zsh fish"},
          {"methods", registered<MethodEntry>() + " " + registered<PartitionerEntry>() + " " +
                          registered<LayerEntry>() + " " + registered<FormatEntry>()},
          {"partition", dataSets(false)},
          {"dataset info", dataSets(false)},
          {"dataset convert", dataSets(false)},
          {"dataset map", dataSets(false)},
          {"dataset generate", dataSets(true)},
          {"dataset", fmt::format("{}", fmt::join(namesOf(commandsOf(*app.get_subcommand("dataset"))), " "))},
          {"show", "last"},
          {"compare", "last"},
          {"export", "last"},
          {"tag", "last"},
          {"delete", "last"}};
}

/// Lines of a `case`, each setting `variable`.
std::string cases(const std::string& variable, const std::vector<std::pair<std::string, std::string>>& all) {
  std::string lines;
  for (const auto& [pattern, words] : all)
    lines += fmt::format("    '{}') {}='{}' ;;\n", pattern, variable, words);
  return lines;
}

std::string bash(CLI::App& app) {
  std::vector<std::pair<std::string, std::string>> options;
  std::string inner;  // commands that have commands
  for (CLI::App* command : commandsOf(app)) {
    options.emplace_back(command->get_name(), wordsAfter(app, *command));
    for (CLI::App* below : commandsOf(*command))
      options.emplace_back(command->get_name() + " " + below->get_name(), wordsAfter(app, *below));
    if (!commandsOf(*command).empty()) inner += (inner.empty() ? "" : "|") + command->get_name();
  }
  return fmt::format(
      R"sh(# bash completion for haloscope: eval "$(haloscope completion bash)"
_haloscope() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words= command= below= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      {0}) ((i++)) ;;
      -*) ;;
      *) if [[ -z $command ]]; then command=${{COMP_WORDS[i]}}
         else case $command in {1}) [[ -n $below ]] || below=" ${{COMP_WORDS[i]}}" ;; esac; fi ;;
    esac
  done
  case "$command $previous" in
{2}  esac
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$word")); return; fi
  if [[ $word == -* ]]; then
    case $command$below in
    '') words='{3}' ;;
{4}    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    return
  fi
  case $command$below in
    '') [[ $previous == --db ]] || words='{5}' ;;
{6}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [[ -z $command && $previous != --db ]] || COMPREPLY+=($(compgen -f -- "$word"))
}}
complete -o filenames -F _haloscope haloscope
)sh",
      takingValues(app), inner, cases("words", valuesOfOptions()), fmt::join(optionsOf(app), " "),
      cases("words", options), fmt::join(namesOf(commandsOf(app)), " "), cases("words", firstWords(app)));
}

std::string zsh(CLI::App& app) {
  std::string commands, cases;
  for (CLI::App* command : commandsOf(app)) {
    std::string help = command->get_description();
    std::erase_if(help, [](char c) { return c == '\'' || c == ':'; });
    commands += fmt::format("    '{}:{}'\n", command->get_name(), help);
    cases += fmt::format("    {}) compadd -- {} ;;\n", command->get_name(), wordsAfter(app, *command));
  }
  return fmt::format(
      R"sh(#compdef haloscope
# zsh completion for haloscope: haloscope completion zsh > "${{fpath[1]}}/_haloscope"
_haloscope() {{
  local values=
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case "$words[2] $words[CURRENT-1]" in
{}  esac
  if [[ -n $values ]]; then compadd -- ${{=values}}; return; fi
  case "$words[2,CURRENT-1]" in
{}  esac
  [[ -z $values ]] || compadd -- ${{=values}}
  case $words[2] in
{}  esac
  _files
}}
compdef _haloscope haloscope
)sh",
      commands, halo::cases("values", valuesOfOptions()), halo::cases("values", firstWords(app)), cases);
}

/// " -x -a 'csv weights'" where the values of an option of `command` are known, " -r" where it takes others.
std::string fishValues(const std::string& command, const CLI::Option& option) {
  for (const auto& [place, words] : valuesOfOptions())
    for (const std::string& name : option.get_lnames())
      if (place == command + " --" + name) return fmt::format(" -x -a '{}'", words);
  return option.get_type_size() > 0 ? " -r" : "";
}

void fishOptions(std::string& out, const CLI::App& app, const std::string& condition) {
  for (const CLI::Option* option : app.get_options()) {
    std::string names, help = option->get_description();
    std::erase(help, '\'');
    for (const std::string& name : option->get_lnames()) names += " -l " + name;
    for (const std::string& name : option->get_snames()) names += " -s " + name;
    if (!names.empty())
      out += fmt::format("complete -c haloscope{}{}{} -d '{}'\n", condition, names,
                         fishValues(app.get_name(), *option), help);
  }
}

std::string fish(CLI::App& app) {
  std::string out =
      "# fish completion for haloscope: haloscope completion fish > "
      "~/.config/fish/completions/haloscope.fish\n";
  for (CLI::App* command : commandsOf(app)) {
    std::string help = command->get_description();
    std::erase(help, '\'');
    out += fmt::format("complete -c haloscope -n __fish_use_subcommand -a {} -d '{}'\n", command->get_name(),
                       help);
    const std::string condition = fmt::format(" -n '__fish_seen_subcommand_from {}'", command->get_name());
    fishOptions(out, *command, condition);
  }
  for (const auto& [place, words] : firstWords(app)) {
    std::string condition;
    std::istringstream seen(place);
    for (std::string word; seen >> word;)
      condition += (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
    out += fmt::format("complete -c haloscope -n '{}' -a '{}'\n", condition, words);
  }
  fishOptions(out, app, "");
  return out;
}

}  // namespace

void addCompletion(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("completion", "A script that completes commands and options in your shell");
  auto* shell =
      command->add_option("SHELL", "bash, zsh or fish")->required()->check(oneOf({"bash", "zsh", "fish"}));
  command->callback([&app, &action, shell] {
    action = [&app, shell] {
      const auto name = shell->as<std::string>();
      print(name == "bash" ? bash(app) : name == "zsh" ? zsh(app) : fish(app));
      return 0;
    };
  });
}

}  // namespace halo
