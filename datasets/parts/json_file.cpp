#include "datasets/parts/json_file.h"

#include <algorithm>
#include <charconv>

#include "datasets/input/limits.h"
#include "datasets/parts/json_place.h"
#include "datasets/text/class_number.h"
#include "datasets/text/no_label.h"
#include "datasets/text/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Deeper than this nothing is meant, and what visits it calls itself for every level.
constexpr std::size_t kDeepest = 64;

using Json = nlohmann::json;

/// Builds what the library's own parser would, but for what is too deep and for keys given twice.
class Builder {
 public:
  explicit Builder(const std::filesystem::path& file) : file_(file) {}

  Json root;
  enum class Wrong { nothing, syntax, tooLarge, tooDeep, doubledKey } wrong = Wrong::nothing;
  std::size_t byte = 0;  // from 1, of a syntax error
  std::string doubled;   // key

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }  // in no text
  bool start_object(std::size_t) { return open(Json::value_t::object); }
  bool start_array(std::size_t) { return open(Json::value_t::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    auto& members = open_.back()->get_ref<Json::object_t&>();
    weigh();
    const auto [member, fresh] = members.try_emplace(std::move(name));
    member_ = &member->second;
    if (fresh) return true;
    doubled = member->first;
    wrong = Wrong::doubledKey;
    return false;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    byte = position;
    wrong = dynamic_cast<const Json::out_of_range*>(&error) ? Wrong::tooLarge : Wrong::syntax;
    return false;
  }
  /// To the innermost object or list that is open; `on`: to the value that begins in it.
  std::vector<JsonStep> steps(bool on) const {
    std::vector<JsonStep> path;
    for (std::size_t i = 1; i < open_.size(); ++i) path.push_back(stepTo(*open_[i - 1], open_[i]));
    if (on && !open_.empty()) path.push_back(stepTo(*open_.back(), member_));
    return path;
  }

 private:
  /// To a value of an object, or to the last one of a list; where it is none of the list, behind that.
  static JsonStep stepTo(const Json& in, const Json* value) {
    if (in.is_array()) return in.size() - (!in.empty() && &in.back() == value ? 1 : 0);
    for (const auto& [key, member] : in.get_ref<const Json::object_t&>())
      if (&member == value) return key;
    return std::string();
  }

  /// A value of two letters takes forty times as many bytes here. The library ends the program where memory
  /// ends while it takes a tree apart, so that a tree must never come near that.
  void weigh() {
    constexpr std::size_t kStep = 1 << 16;
    if (++values_ % kStep == 0)
      growth_.require(static_cast<double>(std::filesystem::file_size(file_)), "what was read so far",
                      {.file = file_.string()}, kStep * sizeof(Json));
  }
  template <class Value>
  Json* place(Value&& value) {
    weigh();
    if (open_.empty()) return &(root = std::forward<Value>(value));
    if (open_.back()->is_object()) return &(*member_ = std::forward<Value>(value));
    auto& elements = open_.back()->get_ref<Json::array_t&>();
    return &elements.emplace_back(std::forward<Value>(value));
  }
  template <class Value>
  bool add(Value&& value) {
    place(std::forward<Value>(value));
    return true;
  }
  bool open(Json::value_t type) {
    if (open_.size() == kDeepest) {
      wrong = Wrong::tooDeep;
      return false;
    }
    open_.push_back(place(type));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  const std::filesystem::path& file_;
  MemoryGrowth growth_;
  std::size_t values_ = 0;
  std::vector<Json*> open_;  // from the outermost
  Json* member_ = nullptr;   // whose key was read
};

/// What Python's json.dumps writes though it is no JSON.
std::string pythonsSaid(std::string_view text, std::size_t at) {
  for (const std::string_view word : {"NaN", "Infinity"}) {
    const std::size_t begin = text.find(word, at - std::min(at, word.size()));
    if (begin != std::string_view::npos && begin <= at)
      return ": " + std::string(word) +
             ", as json.dumps of Python writes it; null says that there is no value";
  }
  return "";
}

[[noreturn]] void refuse(const Builder& built, std::string_view text, const std::filesystem::path& file) {
  using Wrong = Builder::Wrong;
  std::size_t at = std::min(std::max<std::size_t>(built.byte, 1) - 1, text.size());
  if (built.wrong == Wrong::tooLarge)  // the parser stands behind the number
    at = text.find_last_not_of("+-.0123456789Ee", at) + 1;
  if (built.wrong == Wrong::tooDeep) at = jsonPlace(text, built.steps(true));
  if (built.wrong == Wrong::doubledKey) at = secondKey(text, built.steps(false), built.doubled);
  const auto [line, column] = lineAndColumn(text, at);
  const std::string message =
      built.wrong == Wrong::tooDeep ? "lists and objects lie more than " + std::to_string(kDeepest) +
                                          " deep; a data set needs a few levels"
      : built.wrong == Wrong::doubledKey ? "stands twice in one object; every key once"
      : built.wrong == Wrong::tooLarge
          ? "holds a number that is too large for any computer's"
          : "is not valid JSON from byte " + std::to_string(built.byte) + " on" + pythonsSaid(text, at);
  throw DamagedInput({.file = file.string(),
                      .line = line,
                      .column = column,
                      .key = built.doubled.empty() ? "" : shown(built.doubled),
                      .message = message});
}

bool isMinusOne(const Json& value) {
  if (value.is_string()) return saysMinusOne(value.get_ref<const std::string&>());
  return value.is_number() && value.get<double>() == -1;
}

bool saysNone(const Json& value) {
  if (value.is_string()) return saysNoLabel(value.get_ref<const std::string&>());
  return value.is_null() || (value.is_number() && saysNoLabel(value.get<double>()));
}

void readLabel(const Json& value, Index row, const std::string& key, const std::filesystem::path& file,
               LabelFile& map) {
  if (!value.is_number() || !isClass(value.get<double>()))
    damagedJson(file, {key}, shown(key), shownJson(value) + " is no class; " + kClassRange);
  map.labels[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(value.get<double>());
}

void readLabelList(const Json& list, Index row, const std::string& key, const std::filesystem::path& file,
                   LabelFile& map) {
  if (!list.is_array() || std::cmp_not_equal(list.size(), map.classes))
    damagedJson(file, {key}, shown(key),
                "is not a list of " + std::to_string(map.classes) + " numbers 0 or 1, as the first one is");
  for (std::size_t c = 0; c < list.size(); ++c) {
    const double flag = list[c].is_number() ? list[c].get<double>() : -1;
    if (flag != 0 && flag != 1)
      damagedJson(file, {key, c}, shown(key), "element " + std::to_string(c) + " is neither 0 nor 1");
    map.multiLabels(row, static_cast<Index>(c)) = static_cast<Scalar>(flag);
  }
}

/// Whether every label is a list of one number.
bool areSingle(const Json& labels) {
  return std::ranges::all_of(
      labels, [](const Json& label) { return saysNone(label) || (label.is_array() && label.size() == 1); });
}

/// As for vertices without any label; `first` is the first value that says one.
LabelFile emptyLabels(const Json::const_iterator& first, bool lists, Index vertices,
                      const std::filesystem::path& file) {
  LabelFile map;
  if (!lists) {
    map.labels.assign(static_cast<std::size_t>(vertices), -1);
    return map;
  }
  if (first->empty())
    damagedJson(file, {first.key()}, shown(first.key()), "is an empty list; a 0 or 1 for every class");
  map.classes = static_cast<std::int32_t>(first->size());
  requireDenseFits(vertices, map.classes, map.classes, file);
  map.multiLabels.setZero(vertices, map.classes);
  return map;
}

}  // namespace

Json readJson(const std::filesystem::path& file) {
  const Growing<char> contents = contentsOf(file);
  const std::string_view text = viewOf(contents);
  Builder built(file);
  if (!Json::sax_parse(text, &built)) refuse(built, text, file);
  // the library takes a zero byte for the end of its input and looks at nothing behind it
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    built.byte = zero + 1;
    refuse(built, text, file);
  }
  return std::move(built.root);
}

std::string shownJson(const Json& value) {
  constexpr std::size_t kLongest = 40;
  std::string text = value.dump(-1, ' ', true);  // escaped to ASCII: a cut splits no letter
  if (text.size() > kLongest) text.replace(kLongest, std::string::npos, "...");
  return text;
}

LabelFile readLabelMap(const std::filesystem::path& file, Index vertices, const RowsOf& rows,
                       const std::string& unknown, std::vector<std::string>& remarks) {
  const Json json = readJson(file);
  if (!json.is_object() || json.empty()) damagedJson(file, {}, "", "is not an object of vertex and class");
  const auto first = std::find_if_not(json.begin(), json.end(), saysNone);
  const bool single = first != json.end() && areSingle(json);
  const bool lists = first != json.end() && first->is_array() && !single;
  if (single)
    remarks.push_back(file.filename().string() +
                      ": a list of one number a vertex, which is read as its class");
  LabelFile map = emptyLabels(first, lists, vertices, file);
  const auto& members = json.get_ref<const Json::object_t&>();
  const RowOf rowOf = rows(members);
  std::vector<bool> seen(static_cast<std::size_t>(vertices));
  for (const auto& [key, entry] : members) {
    const Json& value = single && entry.is_array() ? entry[0] : entry;
    const Index row = rowOf(key);
    if (row < 0) damagedJson(file, {key}, shown(key), "has a class but" + unknown);
    if (seen[static_cast<std::size_t>(row)])
      damagedJson(file, {key}, shown(key), "names a vertex that another key names; a class a vertex");
    seen[static_cast<std::size_t>(row)] = true;
    map.minusOne = map.minusOne || isMinusOne(value);
    if (saysNone(value)) continue;
    if (lists)
      readLabelList(value, row, key, file, map);
    else
      readLabel(value, row, key, file, map);
  }
  remarkMissing(file, vertices - static_cast<Index>(json.size()), vertices, remarks);
  return map;
}

void remarkMissing(const std::filesystem::path& file, Index missing, Index vertices,
                   std::vector<std::string>& remarks) {
  if (missing > 0)
    remarks.push_back(file.filename().string() + " has no entry for " + std::to_string(missing) + " of " +
                      std::to_string(vertices) + " vertices");
}

Index rowNumber(std::string_view text, Index bound) {
  Index value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool integral = error == std::errc() && end == text.data() + text.size();
  const bool usual =
      !text.empty() && text[0] >= '0' && text[0] <= '9' && (text[0] != '0' || text.size() == 1);
  return integral && usual && value < bound ? value : -1;
}

}  // namespace halo
