#include "app/commands/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "app/program/held_signals.h"
#include "engine/base/host_name.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

void put(const std::string& bytes, std::FILE* stream) { std::fwrite(bytes.data(), 1, bytes.size(), stream); }

}  // namespace

void addCommands(CLI::App& app, Common& common, Action& action) {
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--db", common.db, "The recording")
      ->envname("HALO_DB")
      ->capture_default_str()
      ->type_name("FILE");
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
}

CLI::Option* several(CLI::Option* option) {
  return option->type_size(1)
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->take_all()
      ->allow_extra_args(true);
}
CLI::Option* repeatable(CLI::Option* option) { return several(option)->allow_extra_args(false); }

std::vector<Override> overridesOf(const std::vector<std::string>& set, const std::string& form) {
  std::vector<Override> overrides;
  std::vector<Problem> problems;
  for (const std::string& setting : set) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      problems.push_back({.key = "--set", .message = "'" + setting + "' cannot be used; " + form});
    else
      overrides.push_back({setting.substr(0, equals), setting.substr(equals + 1)});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return overrides;
}

CLI::Validator realWithin(double low, double high) {
  const auto check = [low, high](const std::string& text) {
    double value = 0;
    const bool within = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
    return within ? "" : fmt::format("Value {} not in range {} to {}", text, low, high);
  };
  return {check, fmt::format("FLOAT in [{} - {}]", low, high), ""};
}

CLI::Validator oneOf(std::vector<std::string> words) {
  const std::string list = fmt::format("{}", fmt::join(words, " "));
  const std::string description = fmt::format("{{{}}}", fmt::join(words, ","));
  const auto check = [list, words = std::move(words)](const std::string& text) -> std::string {
    if (std::ranges::find(words, text) != words.end()) return "";
    const std::string near = nearest(text, words);
    return fmt::format("'{}' cannot be used; one of {}{}", text, list,
                       near.empty() ? "" : "; did you mean '" + near + "'?");
  };
  return {check, description, ""};
}

CLI::Validator seed() {
  return CLI::Range(std::uint64_t{0}, static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

void print(const std::string& text) { put(visible(text), stdout); }
void printDocument(const std::string& bytes) {
  ::isatty(STDOUT_FILENO) != 0 ? print(bytes) : put(bytes, stdout);
}
void say(const std::string& text) { put(visible(text), stderr); }
void redrawLine(const std::string& text) { put("\r" + onOneLine(text) + "\x1b[K", stderr); }
// `visible` escapes what is left as JSON does
void printJson(const Json& object) {
  print(object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::unique_ptr<Database> openRecording(const Common& common, Access access) {
  if (access == Access::readOnly) {
    auto recording = openToShow(common.db);
    stopOnSignals(*recording);
    return recording;
  }
  auto database = std::make_unique<Database>(common.db, access);
  Runs(*database).markInterrupted(hostName());
  return database;
}

RunRow findRun(Database& database, const std::string& word) {
  const std::vector<RunRow> all = Runs(database).all();
  if (all.empty()) throw InputError({.file = database.file().string(), .message = "holds no runs yet"});
  if (word == "last") return all.back();
  for (const RunRow& run : all)
    if (std::to_string(run.id) == word) return run;
  throw InputError(
      {.key = "RUN",
       .message = fmt::format("there is no run '{}' in {}; `haloscope list` shows {} to {}, or say last",
                              word, database.file().string(), all.front().id, all.back().id)});
}

std::vector<RunRow> findRuns(Database& database, const std::vector<std::string>& words) {
  std::vector<RunRow> runs;
  for (const std::string& word : words) {
    RunRow run = findRun(database, word);
    if (std::ranges::find(runs, run.id, &RunRow::id) == runs.end()) runs.push_back(std::move(run));
  }
  return runs;
}

void refuseToOverwrite(const std::vector<std::filesystem::path>& files, bool force) {
  std::vector<Problem> problems;
  std::error_code ignored;  // what cannot be looked at cannot be written either
  for (const auto& file : files)
    // a link that leads nowhere is somebody's too
    if (!force && std::filesystem::exists(std::filesystem::symlink_status(file, ignored)))
      problems.push_back({.file = file.string(), .message = "is already there; --force overwrites it"});
  if (!problems.empty()) throw InputError(std::move(problems));
}

void refuseLink(const std::filesystem::path& folder) {
  std::error_code ignored;  // what cannot be looked at cannot be written either
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(folder, ignored)))
    throw InputError(
        {.file = folder.string(),
         .message = "is a link, and what is written would land where it leads; remove it, or name another "
                    "folder with -o"});
}

}  // namespace halo
