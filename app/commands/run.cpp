#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "app/commands/command.h"
#include "app/commands/list.h"
#include "app/commands/progress.h"
#include "app/known.h"
#include "datasets/catalogue.h"
#include "engine/base/problem.h"
#include "engine/methods/method.h"
#include "engine/model/model.h"
#include "engine/run/supervisor.h"

namespace halo {
namespace {

std::atomic<int> stopAsked = 0;   // 1: after this epoch; 2: now
std::atomic<int> stopSignal = 0;  // the last that arrived

extern "C" void onStopSignal(int signal) {
  stopSignal = signal;
  stopAsked = signal == SIGINT ? std::min(2, stopAsked + 1) : 2;
}

void catchSignals() {
  struct sigaction action {};
  action.sa_handler = onStopSignal;
  sigemptyset(&action.sa_mask);
  // a shell starts `command &` of a script with SIGINT ignored: who then sends one means it all the same
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);  // nohup stays what it is
}

struct RunArguments {
  std::vector<std::string> files, set, only;
  bool resume = false, dryRun = false;
};

std::vector<Override> overridesOf(const std::vector<std::string>& set) {
  std::vector<Override> overrides;
  std::vector<Problem> problems;
  for (const std::string& one : set) {
    const auto equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      problems.push_back({"", 0, 0, "--set",
                          "'" + one + "' cannot be used; section.key=value, for example training.epochs=10"});
    else
      overrides.push_back({one.substr(0, equals), one.substr(equals + 1)});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return overrides;
}

/// Keeps the runs of the methods named by --only, and refuses names that no run has.
void keepOnly(std::vector<Experiment>& experiments, const std::vector<std::string>& only) {
  if (only.empty()) return;
  std::set<std::string> methods;
  for (Experiment& experiment : experiments) {
    for (const RunSettings& run : experiment.runs) methods.insert(run.method);
    std::erase_if(experiment.runs,
                  [&](const RunSettings& run) { return std::ranges::find(only, run.method) == only.end(); });
  }
  std::vector<Problem> problems;
  for (const std::string& name : only)
    if (!methods.contains(name))
      problems.push_back(
          {"", 0, 0, "--only",
           fmt::format("no run has the method '{}'; there are {}", name, fmt::join(methods, " "))});
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// The problem as one of the experiment's, unless another of its runs has the same.
void note(const Experiment& experiment, Problem problem, std::vector<Problem>& problems) {
  problem.file = experiment.file.string();
  const auto same = [&](const Problem& known) { return describe(known) == describe(problem); };
  if (std::ranges::none_of(problems, same)) problems.push_back(std::move(problem));
}

/// What methods refuse once the data set is known, before any worker is started for it. A data set that
/// cannot be read is left to the run, which tells why.
void refuseByShape(const std::vector<Experiment>& experiments) {
  std::vector<Problem> problems;
  std::map<std::string, DatasetShape> known;
  const auto shapeOf = [&](const RunSettings& run) {
    std::string key;
    for (const auto& [name, value] : run.flat())
      if (name.starts_with("dataset.")) key += name + "=" + value + "\n";
    const auto found = known.find(key);
    return found != known.end() ? found->second : known[key] = datasetShape(run.dataset);
  };
  for (const Experiment& experiment : experiments)
    for (const RunSettings& run : experiment.runs) {
      const MethodEntry* method = find<MethodEntry>(run.method);
      if (method == nullptr || method->refuseWidths == nullptr) continue;
      try {
        const DatasetShape shape = shapeOf(run);
        const std::vector<Index> widths = layerWidths(run.model, shape.features, shape.classes);
        for (const Problem& problem : method->refuseWidths(run, widths)) note(experiment, problem, problems);
      } catch (const InputError&) {
      } catch (const DamagedInput&) {
      }
    }
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// Every file read, or every problem of all of them.
std::vector<Experiment> readAll(const RunArguments& arguments) {
  Known known = knownHere();
  known.filesMustExist = true;
  const std::vector<Override> set = overridesOf(arguments.set);
  std::vector<Experiment> experiments;
  std::vector<Problem> problems;
  for (const std::string& file : arguments.files) try {
      experiments.push_back(readExperiment(file, known, set));
      const auto& notYet = experiments.back().notYet;
      if (arguments.only.empty()) problems.insert(problems.end(), notYet.begin(), notYet.end());
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
  if (!problems.empty()) throw InputError(std::move(problems));
  keepOnly(experiments, arguments.only);
  refuseByShape(experiments);
  return experiments;
}

void dropFinished(std::vector<Experiment>& experiments, const Common& common) {
  if (!std::filesystem::exists(common.db) || isBlank(common.db)) return;
  const auto database = openRecording(common);
  const Runs runs(*database);
  for (Experiment& experiment : experiments)
    std::erase_if(experiment.runs, [&](const RunSettings& run) {
      const auto done = runs.ofFingerprint(run.fingerprint());
      const auto completed = std::ranges::find(done, std::string("completed"), &RunRow::status);
      if (completed == done.end()) return false;
      if (!common.quiet) say(fmt::format("{}: already done as run {}\n", run.name, completed->id));
      return true;
    });
}

void printPlan(const std::vector<Experiment>& experiments, bool json) {
  for (const Experiment& experiment : experiments)
    for (const RunSettings& run : experiment.runs) {
      if (json)
        printJson({{"name", run.name}, {"fingerprint", run.fingerprint()}, {"parameters", run.flat()}});
      else
        print(run.name + "\n");
    }
}

/// What the whole batch ends with.
int exitStatusOf(const std::vector<RunOutcome>& outcomes) {
  if (stopSignal != 0) return 128 + stopSignal;
  std::set<int> failures;
  for (const RunOutcome& outcome : outcomes)
    if (outcome.exitStatus != 0) failures.insert(outcome.exitStatus);
  if (failures.empty()) return 0;
  if (failures.contains(5)) return 5;
  const bool someCompleted =
      std::ranges::any_of(outcomes, [](const RunOutcome& o) { return o.exitStatus == 0; });
  if (someCompleted) return 3;
  return failures.size() == 1 ? *failures.begin() : 1;
}

std::vector<RunOutcome> runAll(Database& database, const std::vector<Experiment>& experiments,
                               const Common& common, std::size_t count) {
  ProgressView view(common, count, ::isatty(STDERR_FILENO) != 0);
  SuperviseOptions options{siblingProgram("haloscope-worker"), &stopAsked, {}};
  std::vector<RunOutcome> outcomes;
  for (const Experiment& experiment : experiments) {
    if (experiment.runs.empty()) continue;
    options.tags = fmt::format("{}", fmt::join(experiment.tags, ","));
    std::int64_t id = Runs(database).addExperiment(experiment.name, experiment.text);
    for (const RunSettings& run : experiment.runs) {
      if (!Runs(database).hasExperiment(id))  // deleted with the run before this one
        id = Runs(database).addExperiment(experiment.name, experiment.text);
      outcomes.push_back(superviseRun(database, id, run, options, view));
      // what the machine lacks, the next run would lack too
      if (stopAsked != 0 || outcomes.back().exitStatus == 5) return outcomes;
    }
  }
  return outcomes;
}

int runCommand(const Common& common, const RunArguments& arguments) {
  std::vector<Experiment> experiments = readAll(arguments);
  if (arguments.resume) dropFinished(experiments, common);
  if (arguments.dryRun) {
    printPlan(experiments, common.json);
    return 0;
  }
  std::size_t count = 0;
  for (const Experiment& experiment : experiments) count += experiment.runs.size();
  if (count == 0) {
    if (!common.quiet) say("nothing left to run\n");
    return 0;
  }
  catchSignals();
  Database database(common.db, Access::create);
  const std::vector<RunOutcome> outcomes = runAll(database, experiments, common, count);
  std::vector<RunRow> rows;
  for (const RunOutcome& outcome : outcomes)
    if (const auto row = Runs(database).find(outcome.run)) rows.push_back(*row);
  if (!common.json) {
    printRuns(database, rows, false);
    print(fmt::format("recorded in {}\n", common.db.string()));
  }
  if (outcomes.size() < count && !common.quiet)
    say(fmt::format("{} of {} runs were not started; --resume goes on with them\n", count - outcomes.size(),
                    count));
  return exitStatusOf(outcomes);
}

}  // namespace

void addRun(CLI::App& app, Common& common, Action& action) {
  auto* command = app.add_subcommand("run", "Trains what experiment files ask for and records it");
  const auto arguments = std::make_shared<RunArguments>();
  command->add_option("FILE", arguments->files, "Experiment files (TOML)")->required();
  command
      ->add_option("--set", arguments->set,
                   "key=value over the file's, like training.epochs=10 (may be repeated)")
      ->allow_extra_args(false);
  command->add_option("--only", arguments->only, "Only runs of this method (may be repeated)")
      ->allow_extra_args(false);
  command->add_flag("--resume", arguments->resume, "Leave out runs that the recording already has completed");
  command->add_flag("--dry-run", arguments->dryRun, "Only check the files and list the runs");
  command->callback([&common, &action, arguments] {
    action = [&common, arguments] { return runCommand(common, *arguments); };
  });
}

}  // namespace halo
