#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "app/commands/command.h"
#include "app/commands/list.h"
#include "app/commands/look.h"
#include "app/commands/progress.h"
#include "app/commands/run_files.h"
#include "app/commands/simulations.h"
#include "app/program/failure.h"
#include "app/program/places.h"
#include "datasets/catalogue.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"
#include "engine/methods/contract/fairness.h"
#include "engine/record/tables/read_back.h"
#include "engine/run/launch/launcher.h"
#include "engine/run/supervisor/supervisor.h"

namespace halo {
namespace {

std::atomic<int> stopAsked = 0;   // 1: after this epoch; 2: now
std::atomic<int> stopSignal = 0;  // the last that arrived

extern "C" void onStopSignal(int signal) {
  stopSignal = signal;
  stopAsked = signal == SIGINT ? std::min(2, stopAsked + 1) : 2;
}

/// A page of a mapped file is gone: the index of the recording's log, cut within a transaction. The log
/// itself is whole.
extern "C" void onCutFile(int) {
  constexpr std::string_view kWords =
      "a file beside the recording was cut by another program while it was in use; what was recorded before "
      "is kept: leave these files alone, and go on with --resume\n";
  (void)!::write(STDERR_FILENO, kWords.data(), kWords.size());
  ::_exit(kEnvironment);
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
  ::signal(SIGBUS, onCutFile);
}

/// Nothing where there is no recording, or only a file in which one was to begin.
std::unique_ptr<Database> recordingIfAny(const Common& common) try {
  if (!std::filesystem::exists(common.db)) return nullptr;
  return openRecording(common);
} catch (const RecordEmpty&) {
  return nullptr;
}

/// Calls each(simulation, whether training runs come before it).
template <class Experiments, class Each>
void eachSimulation(Experiments& experiments, Each each) {
  bool trains = false;
  for (auto& experiment : experiments) {
    trains = trains || !experiment.runs.empty();
    for (auto& simulation : experiment.simulations) each(experiment, simulation, trains);
  }
}

void dropFinished(std::vector<Experiment>& experiments, Database* database, const Common& common) {
  if (database == nullptr) return;
  const Runs runs(*database);
  const auto isDone = [&](const auto& run) {
    const auto earlierRuns = runs.ofFingerprint(run.fingerprint());
    const auto completed = std::ranges::find(earlierRuns, std::string("completed"), &RunRow::status);
    if (completed == earlierRuns.end()) return false;
    if (!common.quiet) say(fmt::format("{}: already done as run {}\n", onOneLine(run.name), completed->id));
    return true;
  };
  for (Experiment& experiment : experiments) std::erase_if(experiment.runs, isDone);
  std::set<const SimulateSettings*> finished;
  eachSimulation(experiments, [&](const Experiment&, const SimulateSettings& simulation, bool trains) {
    SimulateSettings settled = simulation;
    try {
      if (sim::resolve(settled, *database, trains) && isDone(settled)) finished.insert(&simulation);
    } catch (const InputError&) {  // told beside what else is wrong
    }
  });
  for (Experiment& experiment : experiments)
    std::erase_if(experiment.simulations,
                  [&](const SimulateSettings& simulation) { return finished.contains(&simulation); });
}

/// What simulations of something in the recording ask of it, as far as it is there.
void refuseByRecording(const std::vector<Experiment>& experiments, Database* database, const Common& common) {
  std::vector<Problem> problems;
  eachSimulation(experiments, [&](const Experiment& experiment, const SimulateSettings& simulation,
                                  bool trains) {
    if (!sim::isOfRecording(simulation) || (database == nullptr && trains)) return;
    if (database == nullptr)
      return note(
          experiment,
          simulation.placed({.key = "simulate." + simulation.kind,
                             .message = common.db.string() +
                                        " has no run that could be simulated; `haloscope run` records one"}),
          problems);
    try {
      SimulateSettings settled = simulation;
      sim::resolve(settled, *database, trains);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) note(experiment, problem, problems);
    }
  });
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// What cannot be simulated of the data sets that the files name, before anything is recorded.
void refuseByCounts(const std::vector<Experiment>& experiments) {
  const sim::Resources resources(resourceFolder());
  std::vector<Problem> problems;
  eachSimulation(experiments, [&](const Experiment& experiment, const SimulateSettings& simulation, bool) {
    for (const Problem& problem : sim::refuseByCounts(simulation, {resources, nullptr}))
      note(experiment, problem, problems);
  });
  if (!problems.empty()) throw InputError(std::move(problems));
}

void printPlan(const std::vector<Experiment>& experiments, bool json) {
  const auto line = [&](const auto& run) {
    if (json)
      printJson({{"name", run.name}, {"fingerprint", run.fingerprint()}, {"parameters", run.flat()}});
    else
      print(onOneLine(run.name) + "\n");
  };
  for (const Experiment& experiment : experiments) {
    for (const RunSettings& run : experiment.runs) line(run);
    for (const SimulateSettings& simulation : experiment.simulations) line(simulation);
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

/// Training runs and simulations of one file after the other, until somebody stops them.
class Batch {
 public:
  /// resumes: runs that ended early go on where they can.
  Batch(Database& database, const Common& common, std::size_t count, std::set<std::string> remarked,
        bool resumes)
      : database_(database),
        resumes_(resumes),
        view_(common, count, ::isatty(STDERR_FILENO) != 0, std::move(remarked)) {}

  std::vector<RunOutcome> run(const std::vector<Experiment>& experiments) {
    for (const Experiment& experiment : experiments) {
      options_.tags = fmt::format("{}", fmt::join(experiment.tags, ","));
      id_ = 0;
      for (const RunSettings& run : experiment.runs) {
        options_.goesOn = resumes_ ? resumableRun(database_, run) : 0;
        if (!goesOn(superviseRun(database_, idOf(experiment), run, options_, view_))) return outcomes_;
      }
      options_.goesOn = 0;
      for (const SimulateSettings& simulation : experiment.simulations)
        if (!goesOn(simulateRun(database_, idOf(experiment), simulation, resources_, options_, view_)))
          return outcomes_;
    }
    return outcomes_;
  }

 private:
  /// The experiment's row, made again where it was deleted with the run before this one.
  std::int64_t idOf(const Experiment& experiment) {
    if (id_ == 0 || !Runs(database_).hasExperiment(id_))
      id_ = Runs(database_).addExperiment(experiment.name, experiment.text);
    return id_;
  }

  bool goesOn(RunOutcome outcome) {
    outcomes_.push_back(std::move(outcome));
    // what the machine lacks, the next run would lack too
    return stopAsked == 0 && outcomes_.back().exitStatus != 5 && !outcomes_.back().unrecorded;
  }

  Database& database_;
  bool resumes_;
  ProgressView view_;
  SuperviseOptions options_{
      .worker = siblingProgram("haloscope-worker"), .stop = &stopAsked, .stopSignal = &stopSignal};
  const sim::Resources resources_{resourceFolder()};
  std::int64_t id_ = 0;
  std::vector<RunOutcome> outcomes_;
};

/// Of devices that summed real rows: how far off.
void printExecuted(Database& database, const std::vector<RunRow>& rows) {
  const Runs runs(database);
  for (const RunRow& row : rows) {
    const auto latest = runs.latest(row.id);
    const auto error = latest.find("executed_relative_error");
    if (error == latest.end()) continue;
    print(fmt::format("run {}: {} sums of {} are those of the definition, relative error {:.2g} at most\n",
                      row.id, runs.parameters(row.id).at("result.executed_outputs"), row.method,
                      error->second));
  }
}

std::size_t countOf(const std::vector<Experiment>& experiments) {
  std::size_t count = 0;
  for (const Experiment& experiment : experiments)
    count += experiment.runs.size() + experiment.simulations.size();
  return count;
}

/// Runs them all and prints what came of them.
int runAll(Database& database, const Common& common, const std::vector<Experiment>& experiments,
           std::set<std::string> remarked, bool resumes) {
  const std::size_t count = countOf(experiments);
  const std::vector<RunOutcome> outcomes =
      Batch(database, common, count, std::move(remarked), resumes).run(experiments);
  const bool recorded = std::ranges::none_of(outcomes, &RunOutcome::unrecorded);
  if (recorded) database.requireInPlace();  // else nobody would find what is said to be there
  const auto rowsNow = [&] {
    std::vector<RunRow> rows;
    for (const RunOutcome& outcome : outcomes)
      if (auto row = Runs(database).find(outcome.run)) {
        if (outcome.unrecorded) row->status = outcome.status;  // which the file may have had no room for
        rows.push_back(*row);
      }
    return rows;
  };
  if (!common.json) {
    const std::vector<RunRow> rows = rowsNow();
    printRuns(database, rows, false);
    printExecuted(database, rows);
  }
  if (recorded) {
    const std::vector<RunRow> rows = rowsNow();  // printing takes its time, and somebody may delete one
    database.close();
    requireReadBack(common.db, rows);
    if (!common.json) print(fmt::format("recorded in {}\n", onOneLine(common.db.string())));
  }
  if (outcomes.size() < count && !common.quiet)
    say(fmt::format("{} of {} runs were not started; --resume goes on with them\n", count - outcomes.size(),
                    count));
  return exitStatusOf(outcomes);
}

/// The batch in its recording.
int recordAll(const Common& common, const std::vector<Experiment>& experiments,
              std::set<std::string> remarked, bool resumes) try {
  const auto database = openRecording(common, Access::create);
  try {
    return runAll(*database, common, experiments, std::move(remarked), resumes);
  } catch (const RecordMoved& error) {  // between two runs, or after the last
    throw RecordMoved(fmt::format("{}; {}", error.what(), database->keepMoved()));
  }
} catch (const RecordError& error) {
  tellUnrecorded(common, error);
  throw;
}

int runCommand(const Common& common, const RunArguments& arguments) {
  requireOnlyOne();
  std::vector<Experiment> experiments = readFiles(arguments);
  // not open meanwhile: looking may take long, and a signal shall end it at once
  if (arguments.resume) dropFinished(experiments, recordingIfAny(common).get(), common);
  std::set<std::string> remarked =
      lookFirst(experiments, RunPlaces(overridesOf(arguments)), common, arguments.dryRun);
  if (!common.quiet)
    for (const Experiment& experiment : experiments) {
      const std::vector<RunSettings> simulated = simulatedMethods(experiment);
      for (const std::string& sentence : unlikeByAuto(experiment.runs, simulated))
        say(fmt::format("{}: {}\n", experiment.name, sentence));
      for (const std::string& sentence : unlikeByAuto(simulated, experiment.runs))
        say(fmt::format("{}: of its simulations, {}\n", experiment.name, sentence));
    }
  refuseByRecording(experiments, recordingIfAny(common).get(), common);
  refuseByCounts(experiments);
  if (arguments.dryRun) {
    printPlan(experiments, common.json);
    return 0;
  }
  if (countOf(experiments) == 0) {
    if (!common.quiet) say("nothing left to run\n");
    return 0;
  }
  requireLaunchable(common, experiments);
  catchSignals();
  return recordAll(common, experiments, std::move(remarked), arguments.resume);
}

}  // namespace

void addRun(CLI::App& app, Common& common, Action& action) {
  const auto add = [&](const char* name, const char* help, bool training) {
    auto* command = app.add_subcommand(name, help);
    const auto arguments = std::make_shared<RunArguments>();
    arguments->training = training;
    command->add_option("FILE", arguments->files, "Experiment files (TOML); - reads one from standard input")
        ->required();
    command
        ->add_option("--set", arguments->set,
                     "Goes over the file's value, like training.epochs=10 (may be repeated)")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command
        ->add_option("--only", arguments->only,
                     training ? "Only runs of this method (may be repeated)"
                              : "Only simulations of this accelerator, method or kind (may be repeated)")
        ->type_name("NAME")
        ->allow_extra_args(false);
    command->add_flag(
        "--resume", arguments->resume,
        "Leave out runs that the recording has completed, and go on with mini-batch runs that ended early");
    command->add_flag("--dry-run", arguments->dryRun,
                      "Only check the files, look at the data sets and list the runs");
    command->callback([&common, &action, arguments] {
      action = [&common, arguments] { return runCommand(common, *arguments); };
    });
  };
  add("run", "Trains and simulates what experiment files ask for and records it", true);
  add("simulate", "Only the simulations that experiment files ask for", false);
}

}  // namespace halo
