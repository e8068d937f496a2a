#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <sstream>

#include "app/commands/command.h"
#include "datasets/arrays/npz.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"
#include "engine/experiment/tag.h"
#include "engine/experiment/toml_text.h"
#include "engine/methods/contract/forward_products.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/record/check/check_recording.h"
#include "engine/record/database/database_errors.h"
#include "simulator/cluster/replay/replay.h"

namespace halo {
namespace {

std::vector<std::string> splitTags(const std::string& joined) {
  std::vector<std::string> tags;
  std::istringstream in(joined);
  for (std::string tag; std::getline(in, tag, ',');)
    if (!tag.empty()) tags.push_back(tag);
  return tags;
}

/// The runs with their new tags, once these are recorded.
std::vector<RunRow> retagged(Database& database, const std::vector<std::string>& words,
                             const std::vector<std::string>& add, const std::vector<std::string>& remove) {
  Transaction transaction(database);  // another program's tags come before these are read, or after
  std::vector<RunRow> runs = findRuns(database, words);
  for (RunRow& run : runs) {
    std::vector<std::string> tags = splitTags(run.tags);
    for (const std::string& tag : remove)
      if (std::erase(tags, tag) == 0)
        say(fmt::format("run {} has no tag '{}' to remove\n", run.id, onOneLine(tag)));
    for (const std::string& tag : add)
      if (std::ranges::find(tags, tag) == tags.end()) tags.push_back(tag);
    run.tags = fmt::format("{}", fmt::join(tags, ","));
    Runs(database).setTags(run.id, run.tags);
  }
  transaction.commit();
  return runs;
}

void tell(const Common& common, const RunRow& run) {
  if (common.json)
    printJson({{"run", run.id}, {"tags", run.tags}});
  else
    print(fmt::format("run {}: {}\n", run.id, run.tags.empty() ? "no tags" : onOneLine(run.tags)));
}

int tag(const Common& common, const std::vector<std::string>& words, const std::vector<std::string>& add,
        const std::vector<std::string>& remove) {
  const auto refuse = [](const char* option, const std::string& text, const std::string& right) {
    throw InputError(
        {.key = option,
         .message = fmt::format("'{}' cannot be used; {}", text.size() <= kLongestName ? text : "…", right)});
  };
  for (const std::string& tag : add)
    if (const std::string right = wrongTag(tag); !right.empty()) refuse("--add", tag, right);
  for (const std::string& tag : remove)  // one that was stored before may be anything else
    if (tag.empty() || tag.find(',') != std::string::npos) refuse("--remove", tag, "a text without commas");
  if (add.empty() && remove.empty()) {
    const auto database = openRecording(common, Access::readOnly);
    for (const RunRow& run : findRuns(*database, words)) tell(common, run);
    return 0;
  }
  for (const RunRow& run : retagged(*openRecording(common, Access::readWrite), words, add, remove))
    tell(common, run);
  return 0;
}

int remove(const Common& common, const std::vector<std::string>& words) {
  const auto database = openRecording(common, Access::readWrite);
  const std::vector<RunRow> runs = findRuns(*database, words);
  std::vector<Problem> problems;
  for (const RunRow& run : runs)
    if (run.status == "running" && !common.force)
      problems.push_back(
          {.key = "RUN",
           .message = fmt::format("run {} is still running; stop it first, or --force", run.id)});
  if (!problems.empty()) throw InputError(std::move(problems));
  for (const RunRow& run : runs) {
    Runs(*database).remove(run.id);
    if (common.json)
      printJson({{"deleted_run", run.id}, {"name", run.name}});
    else
      print(fmt::format("deleted run {}: {}\n", run.id, onOneLine(run.name)));
  }
  return 0;
}

/// Whether the run's method, with its keys, gives what one worker gives.
bool isExact(const MethodEntry& method, const std::map<std::string, std::string>& parameters) {
  const auto holds = [&](const auto& fixed) {
    const auto parameter = parameters.find("run." + fixed.first);
    return parameter != parameters.end() && parameter->second == toText(fixed.second);
  };
  return std::ranges::all_of(method.exactWith, holds) && (method.exact || !method.exactWith.empty());
}

/// Epochs that what the run sent may be on its way; none where its keys do not say.
std::optional<std::int64_t> lateEpochs(const MethodEntry& method, const RunRow& run,
                                       const std::map<std::string, std::string>& parameters) {
  bool known = method.style != nullptr && run.workers >= 1 && run.workers <= INT_MAX;
  RunSettings settings;
  settings.parameters =
      cluster::recordedParameters(method, parameters, [&](const std::string&) { known = false; });
  if (!known) return std::nullopt;
  return method.style(settings, static_cast<int>(run.workers)).depth;
}

MethodTraits traitsOf(const RunRow& run, const std::map<std::string, std::string>& parameters) {
  const MethodEntry* method = find<MethodEntry>(run.method);
  if (method == nullptr) return {.products = forwardProducts(run.model)};  // of another version
  return {.exact = isExact(*method, parameters),
          .lateEpochs = lateEpochs(*method, run, parameters),
          .probed = method->probed,
          .slicesInput = method->slicesInput,
          .products = forwardProducts(run.model)};
}

std::string unreadableNpz(const std::string& bytes) {
  try {
    readNpzBytes(bytes, "its archive");
    return {};
  } catch (const DamagedInput& error) {
    return error.what();
  }
}

std::string unreadableExperiment(const std::string& text) {
  try {
    parseToml(text, "the recorded experiment");
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

RecordingCheck checked(Database& database) {
  const Transaction oneState(database, Hold::read);  // runs may be going on
  return checkRecording(database, {traitsOf, unreadableNpz, unreadableExperiment});
}

int check(const Common& common) {
  const auto database = openRecording(common);
  const RecordingCheck check = checked(*database);
  std::size_t runs = 0;
  try {
    runs = Runs(*database).all().size();
  } catch (const RecordError&) {  // among what was found
  }
  const std::string file = onOneLine(common.db.string());
  if (common.json)
    printJson({{"file", common.db.string()},
               {"ok", check.faults.empty()},
               {"runs", runs},
               {"faults", check.faults},
               {"notes", check.notes}});
  else if (check.faults.empty())
    print(fmt::format("{}: ok, {} runs\n", file, runs));
  if (!common.json)
    for (const std::string& note : check.notes) print(fmt::format("  {}\n", onOneLine(note)));
  if (check.faults.empty()) return 0;
  std::string list;  // names that the recording brings along begin no line
  for (const std::string& fault : check.faults) list += (list.empty() ? "" : "\n  ") + onOneLine(fault);
  throw RecordDamaged(
      check.damaged
          ? fmt::format("{}: is damaged: {}\nCopy what can still be read: {}", file, list,
                        recoverCommand(file))
          : fmt::format(
                "{}: contradicts itself: {}\nIt was changed after it was recorded, or Haloscope has a "
                "bug; its figures are not to be relied on",
                file, list));
}

}  // namespace

void addRecording(CLI::App& app, Common& common, Action& action) {
  auto* tagging = app.add_subcommand("tag", "Shows or changes the tags of runs");
  auto* runs = tagging->add_option("RUN", "Numbers of runs, or last")->required();
  auto* add = tagging->add_option("--add", "Add a tag (may be repeated)")->type_name("TAG");
  auto* drop = tagging->add_option("--remove", "Remove a tag (may be repeated)")->type_name("TAG");
  several(runs);
  repeatable(add);
  repeatable(drop);
  const auto words = [](const CLI::Option* option) { return option->results(); };
  tagging->callback([&common, &action, runs, add, drop, words] {
    action = [&common, runs, add, drop, words] { return tag(common, words(runs), words(add), words(drop)); };
  });

  auto* deleting = app.add_subcommand("delete", "Deletes runs with everything of them");
  auto* doomed = deleting->add_option("RUN", "Numbers of runs, or last")->required();
  several(doomed);
  deleting->callback([&common, &action, doomed] {
    action = [&common, doomed] { return remove(common, doomed->results()); };
  });

  app.add_subcommand("check", "Whether the recording is sound")->callback([&common, &action] {
    action = [&common] { return check(common); };
  });
}

}  // namespace halo
