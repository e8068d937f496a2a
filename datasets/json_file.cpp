#include "datasets/json_file.h"

#include <charconv>

#include "datasets/text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& key,
                          const std::string& message) {
  throw DamagedInput({file.string(), 0, 0, key, message});
}

void readLabel(const nlohmann::json& value, Index row, const std::string& key,
               const std::filesystem::path& file, LabelMap& map) {
  if (!value.is_number()) damaged(file, key, "is not a class; a whole number, or a list of 0 and 1");
  const double label = value.get<double>();
  if (label < 0 || label > 1e6 || label != static_cast<double>(static_cast<std::int32_t>(label)))
    damaged(file, key, value.dump() + " is not a class; a whole number from 0");
  map.labels[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(label);
}

void readLabelList(const nlohmann::json& list, Index row, const std::string& key,
                   const std::filesystem::path& file, LabelMap& map) {
  if (!list.is_array() || std::cmp_not_equal(list.size(), map.classes))
    damaged(file, key,
            "is not a list of " + std::to_string(map.classes) + " numbers 0 or 1, as the first one is");
  for (std::size_t c = 0; c < list.size(); ++c) {
    const double flag = list[c].is_number() ? list[c].get<double>() : -1;
    if (flag != 0 && flag != 1) damaged(file, key, "element " + std::to_string(c) + " is neither 0 nor 1");
    map.multiLabels(row, static_cast<Index>(c)) = static_cast<Scalar>(flag);
  }
}

}  // namespace

nlohmann::json readJson(const std::filesystem::path& file) {
  const std::string text = contentsOf(file);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t end = std::min(error.byte, text.size());
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n') + 1;
    throw DamagedInput(
        {file.string(), line, 0, "", "is not valid JSON from byte " + std::to_string(error.byte) + " on"});
  } catch (const nlohmann::json::out_of_range&) {
    damaged(file, "", "holds a number that is too large for any computer's");
  }
}

LabelMap readLabelMap(const std::filesystem::path& file, Index vertices,
                      const std::function<Index(const std::string& key)>& row) {
  const nlohmann::json json = readJson(file);
  if (!json.is_object() || json.empty()) damaged(file, "", "is not an object of vertex and class");
  LabelMap map;
  const nlohmann::json& first = json.begin().value();
  if (first.is_array()) {
    map.classes = static_cast<std::int32_t>(first.size());
    map.multiLabels.setZero(vertices, map.classes);
  } else {
    map.labels.assign(static_cast<std::size_t>(vertices), -1);
  }
  for (const auto& [key, value] : json.items()) {
    const Index vertex = row(key);
    if (vertex < 0) damaged(file, shown(key), "has a class but is no vertex of the graph");
    if (first.is_array())
      readLabelList(value, vertex, shown(key), file, map);
    else
      readLabel(value, vertex, shown(key), file, map);
  }
  return map;
}

Index rowNumber(const std::string& text, Index bound) {
  Index value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 && value < bound ? value : -1;
}

}  // namespace halo
