// haloscope: the command line. Results on standard output, everything else on standard error; exit statuses
// in resources/manual/command-line.md.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
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

/// Results that could not be written are no results.
int flushed(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  return report(kEnvironment, fmt::format("standard output cannot be written: {}", std::strerror(errno)));
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
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kWrongInput;
  }
  return flushed(guarded(action));
}

}  // namespace
}  // namespace halo

int main(int argc, char** argv) { return halo::runProgram(argc, argv); }
