#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "datasets/dataset.h"

namespace halo {

/// The JSON in `file`, packed or plain. Throws DamagedInput with the place where it stops being JSON, where
/// lists and objects lie too deep, and where an object has a key for the second time.
nlohmann::json readJson(const std::filesystem::path& file);

/// The beginning of a value, for messages.
std::string shownJson(const nlohmann::json& value);

/// Labels from an object { "vertex": class } or { "vertex": [0, 1, …] }, null or another sign of no_label.h
/// for none; `row` gives the vertex of a key, −1: unknown. A label map without some vertices is remarked.
struct LabelMap {
  std::vector<std::int32_t> labels;
  Matrix multiLabels;
  std::int32_t classes = 0;
};
LabelMap readLabelMap(const std::filesystem::path& file, Index vertices,
                      const std::function<Index(const std::string& key)>& row,
                      std::vector<std::string>& remarks);
/// Remarks vertices that an object leaves out, if it does.
void remarkMissing(const std::filesystem::path& file, Index missing, Index vertices,
                   std::vector<std::string>& remarks);

/// `text` as a whole number in [0, bound), in its one spelling; −1 otherwise.
Index rowNumber(std::string_view text, Index bound);

}  // namespace halo
