#include "engine/record/export/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/commands/command.h"
#include "datasets/arrays/npz.h"
#include "engine/base/new_file.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"
#include "engine/record/export/output_file.h"
#include "engine/record/tables/epoch_times.h"
#include "engine/run/protocol/lost_numbers.h"

namespace halo {
namespace {

/// Names of the weights in which there is a NaN or an infinity.
std::vector<std::string> lostWeights(const std::string& archive) try {
  std::vector<std::string> lost;
  for (const auto& [name, array] : readNpzBytes(archive, "its archive of weights"))
    if (!std::ranges::all_of(array.reals(name), [](double value) { return std::isfinite(value); }))
      lost.push_back(name);
  return lost;
} catch (const DamagedInput& error) {
  throw RecordDamaged(error.what());
}

void exportWeights(Database& database, const RunRow& run, const std::filesystem::path& file, bool force) {
  const auto artifact = Runs(database).artifact(run.id, "weights");
  if (!artifact && run.kind == "training" && run.status == "completed")
    throw RecordDamaged(fmt::format("{} is damaged: run {} completed, and its weights are missing",
                                    onOneLine(database.file().string()), run.id));
  if (!artifact)
    throw InputError(
        {.key = "RUN",
         .message = fmt::format("run {} has no weights: they are kept when a run completes, this one is {}",
                                run.id, run.status)});
  refuseToOverwrite({file}, force);
  const std::vector<std::string> lost = lostWeights(artifact->bytes);
  OutputFile out(file);
  out << artifact->bytes;
  out.close();
  if (!lost.empty()) say(fmt::format("run {}: {}\n", run.id, lostWeightsText(lost)));
}

/// Where the files of one run go: a folder for CSV, else one file.
std::filesystem::path target(const std::filesystem::path& folder, const RunRow& run,
                             const std::string& format) {
  const std::string name = fmt::format("run-{}", run.id);
  if (format == "csv") return folder / name;
  return folder / (name + (format == "weights" ? ".weights.npz" : ".trace.json"));
}

struct Wanted {
  std::string format;
  CsvFor reader = CsvFor::program;
};

/// Returns what had to be left out.
std::vector<std::string> exportRun(Database& database, const RunRow& run, const Wanted& request,
                                   const std::filesystem::path& to, bool force) {
  if (request.format == "csv") refuseLink(to);
  if (request.format != "weights") requireTimes(database, run.id);
  if (request.format == "csv") return exportCsv(database, run.id, to, force, request.reader);
  if (request.format == "chrome-trace") return exportChromeTrace(database, run.id, to, force);
  exportWeights(database, run, to, force);
  return {};
}

int exportRuns(const Common& common, const std::vector<std::string>& words, const Wanted& request,
               const std::filesystem::path& folder) {
  if (request.reader == CsvFor::spreadsheet && request.format != "csv")
    throw InputError(Problem{.key = "--for", .message = "goes with --format csv alone; leave it out"});
  if (folder.empty())
    throw InputError(Problem{.key = "--output", .message = "the name is empty; name a folder"});
  absoluteOrThrow(folder);
  const auto database = openRecording(common);
  const std::vector<RunRow> runs = findRuns(*database, words);
  MadeFolders folders;
  makeFolder(folders, folder);
  std::vector<std::string> damage;  // what is sound is exported all the same
  for (const RunRow& run : runs) {
    const auto to = target(folder, run, request.format);
    try {
      const std::vector<std::string> leftOut = exportRun(*database, run, request, to, common.force);
      damage.insert(damage.end(), leftOut.begin(), leftOut.end());
    } catch (const RecordDamaged& damaged) {
      damage.push_back(fmt::format("run {} is not exported: {}", run.id, damaged.what()));
      continue;
    }
    if (common.json)
      printJson({{"run", run.id}, {"format", request.format}, {"path", to.string()}});
    else
      print(onOneLine(to.string()) + "\n");
  }
  if (!damage.empty())
    throw RecordDamaged(fmt::format("exported without what is damaged:\n{}", fmt::join(damage, "\n")));
  return 0;
}

}  // namespace

void addExport(CLI::App& app, Common& common, Action& action) {
  auto* command = app.add_subcommand("export", "Runs as files for other programs");
  auto* runs = command->add_option("RUN", "Numbers of runs, or last")->required();
  several(runs);
  auto* format =
      command
          ->add_option(
              "--format",
              "csv: a file a table; chrome-trace: spans for chrome://tracing and Perfetto; weights: .npz")
          ->required()
          ->check(oneOf({"csv", "chrome-trace", "weights"}));
  auto* folder = command->add_option("-o,--output", "Folder to write into, made if need be")
                     ->required()
                     ->type_name("FOLDER");
  auto* reader =
      command
          ->add_option(
              "--for",
              "Who reads the CSV: program, or spreadsheet: an apostrophe before text that would be a "
              "formula there")
          ->check(CLI::IsMember({"program", "spreadsheet"}));
  command->callback([&common, &action, runs, format, folder, reader] {
    const bool sheet = reader->count() > 0 && reader->as<std::string>() == "spreadsheet";
    const Wanted request{format->as<std::string>(), sheet ? CsvFor::spreadsheet : CsvFor::program};
    action = [&common, runs, request, folder] {
      return exportRuns(common, runs->results(), request, folder->as<std::string>());
    };
  });
}

}  // namespace halo
