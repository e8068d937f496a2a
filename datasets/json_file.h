#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "datasets/dataset.h"

namespace halo {

/// The JSON in `file`, packed or plain. Throws DamagedInput with the place where it stops being JSON.
nlohmann::json readJson(const std::filesystem::path& file);

/// Labels from an object { "vertex": class } or { "vertex": [0, 1, …] }; `row` gives the vertex of a key, −1:
/// unknown.
struct LabelMap {
  std::vector<std::int32_t> labels;
  Matrix multiLabels;
  std::int32_t classes = 0;
};
LabelMap readLabelMap(const std::filesystem::path& file, Index vertices,
                      const std::function<Index(const std::string& key)>& row);

/// `text` as a whole number in [0, bound); −1 otherwise.
Index rowNumber(const std::string& text, Index bound);

}  // namespace halo
