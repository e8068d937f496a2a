// haloscope: the command line. Results on standard output, everything else on standard error; exit statuses
// in resources/manual/reference/commands/index.md.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "app/commands/command.h"
#include "app/program/failure.h"
#include "app/program/stack.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

int report(int status, const std::string& message) {
  say(message + "\n");
  return status;
}

/// Turns what went wrong into a message and an exit status.
int guarded(const Action& action) {
  try {
    requireStack();
    return action();
  } catch (const std::exception& error) {
    const Failure failure = failureOf(error);
    return report(failure.status, failure.message);
  }
}

/// Results that could not be written are no results, nor is help.
int flushed(int status) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  // what failed before is no longer known by its words: what is tried again fails for the same reason
  if (errno == 0 && std::fputc('\n', stdout) != EOF) std::fflush(stdout);
  return report(kEnvironment, fmt::format("standard output cannot be written: {}",
                                          errno != 0 ? std::strerror(errno) : "a part of it was lost"));
}

std::vector<std::string> commandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

/// Finds the first word that is neither a command nor an option where it stands. CLI11 looks first for what
/// is missing, and has no guess of what was meant.
class WordCheck {
 public:
  explicit WordCheck(const CLI::App& app) : chain_{&app} {}

  /// What is wrong with the word, and what may have been meant; "": nothing is.
  std::string check(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
      const std::string& word = words[i];
      const bool isOption = word.size() > 1 && word.front() == '-';
      if (!isOption && takesNoWords()) return tooMany(word);
      if (!isOption && !descend(word)) return unknown(word, "a command", commandsOf(*chain_.back()));
      if (!isOption) continue;
      const bool isLong = word.starts_with("--");
      const std::string name = isLong ? word.substr(0, word.find('=')) : word.substr(0, 2);
      const CLI::Option* option = optionNamed(name);
      if (option == nullptr) return unknown(isLong ? name : word, optionOf(), options());
      if (option->get_items_expected_max() > 0 && word == name) ++i;  // its value
    }
    return "";
  }

 private:
  /// False: a command should stand here, and the word is none.
  bool descend(const std::string& word) {
    const std::vector<std::string> commands = commandsOf(*chain_.back());
    if (commands.empty()) return true;
    if (std::ranges::find(commands, word) == commands.end()) return false;
    chain_.push_back(chain_.back()->get_subcommand(word));
    return true;
  }

  bool takesNoWords() const {
    const CLI::App& command = *chain_.back();
    return chain_.size() > 1 && commandsOf(command).empty() &&
           std::ranges::none_of(command.get_options(),
                                [](const CLI::Option* option) { return option->get_positional(); });
  }
  /// Most likely a recording: other programs take one as a word.
  std::string tooMany(const std::string& word) const {
    const std::string command = commandName().substr(commandName().find(' ') + 1);
    return fmt::format("'{}' is more than `{}` takes; a recording is named by --db: `haloscope --db {} {}`",
                       word, commandName(), word, command);
  }

  const CLI::Option* optionNamed(const std::string& name) const {
    for (const CLI::App* command : chain_)
      if (const CLI::Option* option = command->get_option_no_throw(name)) return option;
    return nullptr;
  }
  std::vector<std::string> options() const {
    std::vector<std::string> names;
    for (const CLI::App* command : chain_)
      for (const CLI::Option* option : command->get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
  }

  std::string commandName() const {
    std::string words = "haloscope";
    for (std::size_t i = 1; i < chain_.size(); ++i) words += " " + chain_[i]->get_name();
    return words;
  }
  std::string optionOf() const {
    return chain_.size() == 1 ? "an option of every command"
                              : fmt::format("an option of `{}`", commandName());
  }
  /// The candidate that was mistyped or cut short; "" where none, or several, could be.
  static std::string likely(const std::string& word, const std::vector<std::string>& candidates) {
    const auto continued = [&](const std::string& candidate) { return candidate.starts_with(word); };
    if (std::ranges::count_if(candidates, continued) == 1)
      return *std::ranges::find_if(candidates, continued);
    return nearest(word, candidates);
  }
  std::string unknown(const std::string& word, const std::string& kind,
                      const std::vector<std::string>& candidates) const {
    const std::string near = likely(word, candidates);
    const std::string ofCommand =
        kind == "a command" && chain_.size() > 1 ? fmt::format(" of `{}`", commandName()) : "";
    return fmt::format("'{}' is not {}{}; {}`{} --help` lists them", word, kind, ofCommand,
                       near.empty() ? "" : "did you mean '" + near + "'? ", commandName());
  }

  std::vector<const CLI::App*> chain_;  // commands named so far
};

int runProgram(int argc, char** argv) {
  CLI::App app("Haloscope: profiler and experiment workbench for distributed GCN training", "haloscope");
  app.set_version_flag("--version", "haloscope " HALO_VERSION);
  Common common;
  Action action;
  addCommands(app, common, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // help, version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    const std::string unknown = WordCheck(app).check({argv + 1, argv + argc});
    // the words of the command line are in what the parser says
    return report(kWrongInput, unknown.empty()
                                   ? onOneLine(error.what()) + "\nRun with --help for more information."
                                   : onOneLine(unknown));
  }
  return guarded(action);
}

}  // namespace
}  // namespace halo

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error with words, for our children too
  return halo::flushed(halo::runProgram(argc, argv));
}
