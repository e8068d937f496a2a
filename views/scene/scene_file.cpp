#include "views/scene/scene_file.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "engine/base/declaration.h"
#include "engine/base/index.h"
#include "engine/base/new_file.h"
#include "engine/experiment/read_value.h"
#include "engine/experiment/toml_text.h"

namespace halo {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMostEpochs = 1'000'000'000, kMostLayers = 1'000;
constexpr std::int64_t kMostRanks = 65'535, kMostNs = 1'000'000'000'000'000'000;

const std::array<Parameter, 13> kKeys = {{
    {"scene", "version of this layout", Integer{kVersion, kVersion, kVersion}},
    {"name", "what the window calls it", Text{""}},
    {"align", "what stands at one place of the time axis", Choice{"start", kAlignments}},
    {"epoch", "of align = \"epoch\" and \"layer\"", Integer{0, 0, kMostEpochs}},
    {"layer", "of align = \"layer\"", Integer{0, 0, kMostLayers}},
    {"accuracy", "of align = \"accuracy\"; by default the highest that all runs reach", Real{0, 0, 1}},
    {"scope", "what figures are of", Choice{"epochs", kFigureScopes}},
    {"first_epoch", "of scope = \"epochs\"; by default the second; those that fill a pipeline never count",
     Integer{0, 0, kMostEpochs}},
    {"last_epoch", "of scope = \"epochs\"; by default the last of each run", Integer{0, 0, kMostEpochs}},
    {"base", "how the time up to an epoch is counted", Choice{"epochs", kTimeBases}},
    {"clock", "in which time runs are shown that recorded both", Choice{"modelled", kTimeClocks}},
    {"lanes", "in which order the timeline has its lanes", Choice{"runs", kOrdersOfLanes}},
    {"ranks", "by what ranks stand together of runs with other numbers of them",
     Choice{"automatic", kRankRules}},
}};
const std::array<Parameter, 2> kChipKeys = {{
    {"recording", "a file, from the folder of the scene", Text{""}},
    {"color", "place of its colour; by default the first that is free", Integer{0, 0, kMostChips - 1}},
}};

const std::array<Parameter, 3> kNoteKeys = {{
    {"rank", "whose lanes it stands at", Integer{0, 0, kMostRanks}},
    {"at_ns", "when, from the begin of the first epoch", Integer{0, -kMostNs, kMostNs}},
    {"text", "what it says", Text{""}},
}};

std::string quoted(const QString& text) { return toText(Value(text.toStdString())); }

/// The word of a choice, as TOML has it.
template <class Words, class Choice>
std::string word(const Words& words, Choice choice) {
  return toText(Value(std::string(words[at(choice)])));
}

std::filesystem::path pathOf(const QString& text) { return text.toStdString(); }

/// From the folder of the scene where it lies there or below.
std::string storedPath(const QString& recording, const std::filesystem::path& file) {
  const std::filesystem::path place = pathOf(recording), from = place.lexically_relative(file.parent_path());
  const bool below = !from.empty() && *from.begin() != "..";
  return toText(Value((below ? from : place).string()));
}

template <class Numbers>
std::string listOf(const Numbers& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

/// Reads tables by their declarations; collects what is wrong.
class SceneReader {
 public:
  explicit SceneReader(std::filesystem::path file) : file_(std::move(file)) {}

  SceneState read(const toml::table& table) {
    const Values values = valuesOf(table, kKeys, "", "chip");
    if (!table.contains("scene"))
      wrong(table.source(), "scene", "missing; scene = 1 says which layout this is");
    SceneState state;
    state.name = QString::fromStdString(values.text("name"));
    state.alignment = static_cast<Alignment>(placeOf(kAlignments, values.text("align")));
    state.epoch = values.integer("epoch");
    state.layer = static_cast<int>(values.integer("layer"));
    if (table.contains("accuracy")) state.accuracy = values.real("accuracy");
    state.scope = static_cast<FigureScope>(placeOf(kFigureScopes, values.text("scope")));
    if (table.contains("first_epoch")) state.epochs.first = values.integer("first_epoch");
    if (table.contains("last_epoch")) state.epochs.last = values.integer("last_epoch");
    if (state.epochs.last < state.epochs.first && state.epochs.last)
      wrong(table.source(), "last_epoch", "is before first_epoch; a scope goes forward");
    state.base = static_cast<TimeBase>(placeOf(kTimeBases, values.text("base")));
    state.clock = static_cast<TimeClock>(placeOf(kTimeClocks, values.text("clock")));
    state.lanes = static_cast<OrderOfLanes>(placeOf(kOrdersOfLanes, values.text("lanes")));
    state.ranks = static_cast<RankRule>(placeOf(kRankRules, values.text("ranks")));
    if (const toml::node* chips = table.get("chip")) readChips(*chips, state);
    std::ranges::stable_sort(problems_, {}, [](const Problem& p) { return std::pair(p.line, p.column); });
    if (!problems_.empty()) throw InputError(std::move(problems_));
    return state;
  }

 private:
  template <class Words>
  static std::ptrdiff_t placeOf(const Words& words, const std::string& word) {
    return std::ranges::find(words, word) - words.begin();
  }
  void wrong(const toml::source_region& at, const std::string& key, const std::string& message) {
    problems_.push_back(placed(file_.string(), at, key, message));
  }

  Values valuesOf(const toml::table& table, std::span<const Parameter> parameters, const std::string& path,
                  const std::string& besides) {
    return readTable(parameters, table, path, besides, [this](const auto&... problem) { wrong(problem...); });
  }

  void readChips(const toml::node& node, SceneState& state) {
    const toml::array* chips = node.as_array();
    if (chips == nullptr || !chips->is_array_of_tables())
      return wrong(node.source(), "chip", "cannot be used; [[chip]] heads the table of one configuration");
    for (const toml::node& chip : *chips) readChip(*chip.as_table(), state);
    if (state.chips.size() > at(kMostChips))
      wrong(node.source(), "chip",
            "too many; a scene has at most " + std::to_string(kMostChips) + " configurations");
  }

  void readChip(const toml::table& table, SceneState& state) {
    toml::table others = table;  // what is no list
    others.erase("pinned");
    others.erase("note");
    const Values values = valuesOf(others, kChipKeys, "chip.", "runs");
    const std::string& recording = values.text("recording");
    if (recording.empty()) wrong(table.source(), "chip.recording", "missing; the file that the runs are in");
    Chip chip;
    const auto path = (file_.parent_path() / recording).lexically_normal();
    chip.recording = QString::fromStdString(path.string());
    chip.color = table.contains("color") ? static_cast<int>(values.integer("color")) : freeColor(state.chips);
    chip.runs = runsOf(table);
    chip.pinned = pinnedOf(table);
    chip.notes = notesOf(table);
    for (const Chip& other : state.chips) {
      if (other.recording == chip.recording && other.runs == chip.runs)
        wrong(table.source(), "chip", "the same runs stand in two chips; once is enough");
      if (other.color == chip.color)
        wrong(table.source(), "chip.color", "two chips have this colour; each needs its own");
    }
    state.chips.push_back(std::move(chip));
  }

  static int freeColor(const std::vector<Chip>& chips) {
    int color = 0;
    while (std::ranges::find(chips, color, &Chip::color) != chips.end()) ++color;
    return color;
  }

  std::vector<std::int64_t> runsOf(const toml::table& table) {
    constexpr const char* kRight = "a list of numbers of runs, such as [1, 2], each once";
    std::vector<std::int64_t> runs;
    const toml::node* node = table.get("runs");
    const toml::array* list = node == nullptr ? nullptr : node->as_array();
    if (list == nullptr || list->empty()) {
      wrong(node == nullptr ? table.source() : node->source(), "chip.runs",
            std::string("missing; ") + kRight);
      return runs;
    }
    for (const toml::node& entry : *list) {
      const auto* run = entry.as_integer();
      if (run == nullptr || run->get() < 1 || std::ranges::find(runs, run->get()) != runs.end())
        wrong(entry.source(), "chip.runs", shown(entry) + " cannot be used; " + kRight);
      else
        runs.push_back(run->get());
    }
    return runs;
  }

  std::set<std::int64_t> pinnedOf(const toml::table& table) {
    std::set<std::int64_t> ranks;
    const toml::node* node = table.get("pinned");
    if (node == nullptr) return ranks;
    const toml::array* list = node->as_array();
    const auto isRank = [](const toml::node& entry) {
      return entry.is_integer() && entry.as_integer()->get() >= 0;
    };
    if (list == nullptr || !std::ranges::all_of(*list, isRank)) {
      wrong(node->source(), "chip.pinned", "cannot be used; a list of numbers of ranks, such as [0, 3]");
      return ranks;
    }
    for (const toml::node& entry : *list) ranks.insert(entry.as_integer()->get());
    return ranks;
  }

  std::vector<ChipNote> notesOf(const toml::table& table) {
    std::vector<ChipNote> notes;
    const toml::node* node = table.get("note");
    if (node == nullptr) return notes;
    const toml::array* list = node->as_array();
    if (list == nullptr || !list->is_array_of_tables()) {
      wrong(node->source(), "chip.note", "cannot be used; [[chip.note]] heads the table of one note");
      return notes;
    }
    for (const toml::node& entry : *list) {
      const Values values = valuesOf(*entry.as_table(), kNoteKeys, "chip.note.", "");
      if (values.text("text").empty()) wrong(entry.source(), "chip.note.text", "missing; what the note says");
      notes.push_back(
          {values.integer("rank"), values.integer("at_ns"), QString::fromStdString(values.text("text"))});
    }
    return notes;
  }

  std::filesystem::path file_;
  std::vector<Problem> problems_;
};

}  // namespace

std::string sceneText(const SceneState& state, const std::filesystem::path& file) {
  std::string out = "# What Haloscope compares: resources/manual/reference/scene-files.md\nscene = 1\n";
  const auto add = [&](const char* key, const std::string& value) { out += key + (" = " + value) + "\n"; };
  if (!state.name.isEmpty()) add("name", quoted(state.name));
  add("align", word(kAlignments, state.alignment));
  if (state.alignment == Alignment::epoch || state.alignment == Alignment::layer)
    add("epoch", std::to_string(state.epoch));
  if (state.alignment == Alignment::layer) add("layer", std::to_string(state.layer));
  if (state.accuracy) add("accuracy", toText(Value(*state.accuracy)));
  add("scope", word(kFigureScopes, state.scope));
  if (state.epochs.first) add("first_epoch", std::to_string(*state.epochs.first));
  if (state.epochs.last) add("last_epoch", std::to_string(*state.epochs.last));
  add("base", word(kTimeBases, state.base));
  if (state.clock != TimeClock::modelled) add("clock", word(kTimeClocks, state.clock));
  if (state.lanes != OrderOfLanes::runs) add("lanes", word(kOrdersOfLanes, state.lanes));
  if (state.ranks != RankRule::automatic) add("ranks", word(kRankRules, state.ranks));
  for (const Chip& chip : state.chips) {
    out += "\n[[chip]]\n";
    add("recording", storedPath(chip.recording, file));
    add("runs", listOf(chip.runs));
    add("color", std::to_string(chip.color));
    if (!chip.pinned.empty()) add("pinned", listOf(chip.pinned));
    for (const ChipNote& note : chip.notes) {
      out += "[[chip.note]]\n";
      add("rank", std::to_string(note.rank));
      add("at_ns", std::to_string(note.ns));
      add("text", quoted(note.text));
    }
  }
  return out;
}

SceneState sceneOf(const std::string& text, const std::filesystem::path& file) {
  return SceneReader(file).read(parseToml(text, file.string()));
}

void writeScene(const SceneState& state, const std::filesystem::path& file) {
  requireReplaceable(file);
  try {
    NewFile newFile(file);
    newFile.write(sceneText(state, std::filesystem::absolute(file)));
    newFile.putInPlace();
  } catch (const std::system_error& error) {
    throw EnvironmentError(file.string() + ": cannot be written: " + error.code().message());
  }
}

SceneState readScene(const std::filesystem::path& file) {
  const std::string name = file.string();
  if (const std::string other = insteadOfFile(name); !other.empty())
    throw InputError({.file = name, .message = other + "; a scene file"});
  return sceneOf(readTomlFile(file, "a scene file"), std::filesystem::absolute(file));
}

}  // namespace halo
