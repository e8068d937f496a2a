#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "datasets/contract/format.h"

namespace halo {

/// The JSON in `file`, packed or plain. Throws DamagedInput with the place where it stops being JSON or where
/// lists and objects lie too deep. An object that has a key for the second time is refused likewise.
nlohmann::json readJson(const std::filesystem::path& file);

/// The beginning of a value, for messages.
std::string shownJson(const nlohmann::json& value);

/// The row that a key names; −1: none.
using RowOf = std::function<Index(const std::string& key)>;
/// The same where all keys of an object may tell it together; what it returns is asked for them in order.
using RowsOf = std::function<RowOf(const nlohmann::json::object_t& members)>;

/// Labels from an object { "vertex": class } or { "vertex": [0, 1, …] }, null or another sign of no_label.h
/// for none; every vertex once. `unknown` is said of a key that names none: " is no vertex of the graph". A
/// label map without some vertices is remarked.
LabelFile readLabelMap(const std::filesystem::path& file, Index vertices, const RowsOf& rows,
                       const std::string& unknown, std::vector<std::string>& remarks);
inline constexpr const char* kNoVertex = " is no vertex of the graph";
/// Remarks vertices that an object leaves out, if it does.
void remarkMissing(const std::filesystem::path& file, Index missing, Index vertices,
                   std::vector<std::string>& remarks);

/// `text` as a whole number in [0, bound), in its one spelling; −1 otherwise.
Index rowNumber(std::string_view text, Index bound);

}  // namespace halo
