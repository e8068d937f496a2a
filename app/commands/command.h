#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/record/database/database.h"
#include "engine/record/rows/rows.h"
#include "engine/record/tables/runs.h"

namespace halo {

using Json = nlohmann::ordered_json;

/// The options every command understands.
struct Common {
  std::filesystem::path db = "recordings.db";
  bool json = false, quiet = false, force = false;
};

/// What the command line asks for; returns the exit status. Set by the callback of the command that was
/// named.
using Action = std::function<int()>;

// Each adds its commands to `app`.
void addRun(CLI::App& app, Common& common, Action& action);
void addList(CLI::App& app, Common& common, Action& action);  // list, show
void addCompare(CLI::App& app, Common& common, Action& action);
void addRecording(CLI::App& app, Common& common, Action& action);  // tag, delete, check
void addExport(CLI::App& app, Common& common, Action& action);
void addDataset(CLI::App& app, Common& common, Action& action);
void addPartition(CLI::App& app, Common& common, Action& action);
void addMethods(CLI::App& app, Common& common, Action& action);
void addDoctor(CLI::App& app, Common& common, Action& action);
void addCompletion(CLI::App& app, Action& action);

/// The options of every command, and all commands. All three live as long as what is parsed is used.
void addCommands(CLI::App& app, Common& common, Action& action);

/// A positional option that takes one word or several.
CLI::Option* several(CLI::Option* option);
/// An option that may stand more than once, with one word each time.
CLI::Option* repeatable(CLI::Option* option);

/// The words of --set; `form` is what one should look like, for the message about one that does not.
std::vector<Override> overridesOf(const std::vector<std::string>& set, const std::string& form);

/// A number from `low` to `high`; CLI::Range lets through what is none ("nan").
CLI::Validator realWithin(double low, double high);
/// One of these words; of another it says which may be meant.
CLI::Validator oneOf(std::vector<std::string> words);
/// The seeds that an experiment file may have.
CLI::Validator seed();

// The only way out: what could steer a terminal is escaped (`visible`), wherever the text comes from.
/// One JSON object as one line on standard output.
void printJson(const Json& object);
/// Text on standard output.
void print(const std::string& text);
/// A text that is the result itself, such as a log: byte by byte, but for a terminal.
void printDocument(const std::string& bytes);
/// Text on standard error.
void say(const std::string& text);
/// Text in the place of the line where the cursor stands, on standard error; "": clears it.
void redrawLine(const std::string& text);

/// The recording of `common`; runs whose supervisor has died are interrupted, in the file too where it is
/// opened for writing.
std::unique_ptr<Database> openRecording(const Common& common, Access access = Access::readOnly);
/// A run by its number, or `last`. Throws InputError with the numbers there are.
RunRow findRun(Database& database, const std::string& word);
std::vector<RunRow> findRuns(Database& database, const std::vector<std::string>& words);

/// Refuses (InputError) to touch any of `files` that exists, unless forced.
void refuseToOverwrite(const std::vector<std::filesystem::path>& files, bool force);
/// Refuses (InputError) a link, forced or not, in the place of a folder that is ours to name. What is written
/// into the folder would land wherever the link leads.
void refuseLink(const std::filesystem::path& folder);
/// A file to be written and what writes its contents.
using FileToWrite = std::pair<std::filesystem::path, std::function<void(std::ostream&)>>;
/// Writes all files, folders on the way included, or none: they are put in place when all are complete.
/// EnvironmentError with the system's words and what to do where that fails; nothing is left behind then.
void writeFiles(const std::vector<FileToWrite>& files);

}  // namespace halo
