#include <fmt/format.h>

#include "app/commands/command.h"

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

std::vector<std::string> namesOf(const std::vector<CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

/// What may follow `command`: its own commands and options, and those of the whole program.
std::string wordsAfter(CLI::App& app, CLI::App& command) {
  std::vector<std::string> words = namesOf(commandsOf(command));
  for (const CLI::App* source : {&command, &app})
    for (const std::string& option : optionsOf(*source)) words.push_back(option);
  return fmt::format("{}", fmt::join(words, " "));
}

std::string bash(CLI::App& app) {
  std::string cases;
  for (CLI::App* command : commandsOf(app))
    cases += fmt::format("    {}) words='{}' ;;\n", command->get_name(), wordsAfter(app, *command));
  return fmt::format(
      "# bash completion for haloscope: eval \"$(haloscope completion bash)\"\n"
      "_haloscope() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} words command= i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${{COMP_WORDS[i]}} in -*) ;; *) command=${{COMP_WORDS[i]}}; break ;; esac\n"
      "  done\n"
      "  case $command in\n"
      "    '') words='{} {}' ;;\n"
      "{}"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
      "}}\n"
      "complete -o filenames -F _haloscope haloscope\n",
      fmt::join(namesOf(commandsOf(app)), " "), fmt::join(optionsOf(app), " "), cases);
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
      "#compdef haloscope\n"
      "# zsh completion for haloscope: haloscope completion zsh > \"${{fpath[1]}}/_haloscope\"\n"
      "_haloscope() {{\n"
      "  local -a commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
      "  case $words[2] in\n{}  esac\n"
      "  _files\n"
      "}}\n"
      "compdef _haloscope haloscope\n",
      commands, cases);
}

void fishOptions(std::string& out, const CLI::App& app, const std::string& condition) {
  for (const CLI::Option* option : app.get_options()) {
    std::string names, help = option->get_description();
    std::erase(help, '\'');
    for (const std::string& name : option->get_lnames()) names += " -l " + name;
    for (const std::string& name : option->get_snames()) names += " -s " + name;
    if (!names.empty()) out += fmt::format("complete -c haloscope{}{} -d '{}'\n", condition, names, help);
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
    for (const std::string& inner : namesOf(commandsOf(*command)))
      out += fmt::format("complete -c haloscope{} -a {}\n", condition, inner);
    fishOptions(out, *command, condition);
  }
  fishOptions(out, app, "");
  return out;
}

}  // namespace

void addCompletion(CLI::App& app, Action& action) {
  auto* command =
      app.add_subcommand("completion", "A script that completes commands and options in your shell");
  auto* shell = command->add_option("SHELL", "bash, zsh or fish")
                    ->required()
                    ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->callback([&app, &action, shell] {
    action = [&app, shell] {
      const auto name = shell->as<std::string>();
      print(name == "bash" ? bash(app) : name == "zsh" ? zsh(app) : fish(app));
      return 0;
    };
  });
}

}  // namespace halo
