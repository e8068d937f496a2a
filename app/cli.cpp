// haloscope: the command line. Results on standard output, everything else on standard error; exit statuses
// in resources/manual/command-line.md.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

#include "app/commands/command.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

enum Exit { kDone = 0, kFailed = 1, kWrongInput = 2, kDamaged = 4, kEnvironment = 5 };

int report(int status, const std::string& message) {
  say(message + "\n");
  return status;
}

/// Turns what went wrong into a message and an exit status.
int guarded(const Action& action) {
  try {
    return action();
  } catch (const InputError& error) {
    return report(kWrongInput, error.what());
  } catch (const DamagedInput& error) {
    return report(kDamaged, error.what());
  } catch (const RecordDamaged& error) {
    return report(kDamaged, error.what());
  } catch (const EnvironmentError& error) {
    return report(kEnvironment, error.what());
  } catch (const DiskFull& error) {
    return report(kEnvironment, error.what());
  } catch (const RecordUnusable& error) {
    return report(kEnvironment, error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return report(kEnvironment,
                  fmt::format("{}: cannot be used: {}; see that the path is right and allowed to you",
                              error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return report(kEnvironment,
                  "memory does not suffice; take a smaller dataset.scale or a machine with more");
  } catch (const std::system_error& error) {
    const bool full = error.code() == std::errc::no_space_on_device;
    return report(full ? kEnvironment : kFailed, error.what());
  } catch (const std::exception& error) {
    return report(kFailed, error.what());
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

std::vector<std::string> namesOf(const CLI::App& app, bool options) {
  std::vector<std::string> names;
  if (!options)
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(command->get_name());
  else
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// The first word that is neither a command nor an option of the whole program, with what may have been
/// meant;
/// "" if there is none. CLI11 itself would only say that a command is missing.
std::string unknownWord(const CLI::App& app, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool isOption = word.starts_with("-") && word != "-";
    const std::string name = word.substr(0, isOption ? word.find('=') : word.npos);
    const std::vector<std::string> known = namesOf(app, isOption);
    if (std::ranges::find(known, name) == known.end()) {
      const std::string near = nearest(name, known);
      return fmt::format("'{}' is not {}; {}`haloscope --help` lists them", name,
                         isOption ? "an option of every command" : "a command",
                         near.empty() ? "" : "did you mean '" + near + "'? ");
    }
    if (!isOption) return "";
    const CLI::Option* option = app.get_option(name);
    if (word == name && option->get_type_size() > 0) ++i;
  }
  return "";
}

/// The first word that is an option of no command on the way to the one that was called, with what may have
/// been meant; "" if there is none. CLI11 looks first for what is missing.
std::string unknownOption(const CLI::App& app, int argc, char** argv) {
  std::vector<const CLI::App*> chain{&app};
  std::string called = "haloscope";
  while (!chain.back()->get_subcommands().empty()) {
    chain.push_back(chain.back()->get_subcommands().front());
    called += " " + chain.back()->get_name();
  }
  std::vector<std::string> known;
  for (const CLI::App* command : chain)
    for (std::string& name : namesOf(*command, true)) known.push_back(std::move(name));
  for (int i = 1; i < argc && std::string(argv[i]) != "--"; ++i) {
    const std::string word = argv[i], name = word.substr(0, word.find('='));
    if (!name.starts_with("--")) continue;
    if (std::ranges::find(known, name) == known.end()) {
      const std::string near = nearest(name, known);
      return fmt::format("'{}' is not an option of `{}`; {}`{} --help` lists them", name, called,
                         near.empty() ? "" : "did you mean '" + near + "'? ", called);
    }
    for (const CLI::App* command : chain)
      if (const CLI::Option* option = command->get_option_no_throw(name);
          option != nullptr && word == name && option->get_type_size() > 0) {
        ++i;  // its value
        break;
      }
  }
  return "";
}

int runProgram(int argc, char** argv) {
  CLI::App app("Haloscope: profiler and experiment workbench for distributed GCN training", "haloscope");
  app.set_version_flag("--version", "haloscope " HALO_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  Common common;
  Action action;
  app.add_option("--db", common.db, "The recording")->envname("HALO_DB")->capture_default_str();
  app.add_flag("--json", common.json, "One JSON object a line, units in the keys");
  app.add_flag("--quiet", common.quiet, "No progress");
  app.add_flag("--force", common.force, "Overwrite files that are there");
  addRun(app, common, action);
  addList(app, common, action);
  addCompare(app, common, action);
  addExport(app, common, action);
  addRecording(app, common, action);
  addDataset(app, common, action);
  addPartition(app, common, action);
  addMethods(app, common, action);
  addDoctor(app, common, action);
  addCompletion(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    const std::string unknown =
        app.get_subcommands().empty() ? unknownWord(app, argc, argv) : unknownOption(app, argc, argv);
    return unknown.empty() ? app.exit(error), int{kWrongInput} : report(kWrongInput, unknown);
  } catch (const CLI::ExtrasError& error) {
    const std::string unknown = unknownOption(app, argc, argv);
    return unknown.empty() ? app.exit(error), int{kWrongInput} : report(kWrongInput, unknown);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kWrongInput;
  }
  return guarded(action);
}

}  // namespace
}  // namespace halo

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error with words, for our children too
  return halo::flushed(halo::runProgram(argc, argv));
}
