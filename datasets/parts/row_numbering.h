#pragma once

#include <optional>
#include <string>
#include <vector>

#include "datasets/parts/table.h"

namespace halo {

/// Rows that a feature hardly gives the numbers 0, 1, 2, … in any order by chance.
inline constexpr Index kFewByChance = 8;

/// What the numbers of a column say of their rows: in which order, and in words.
struct Numbered {
  bool inOrder = false;
  std::string words;
};

/// Of the only column of a table. Nothing: its numbers do not number the rows. Cost: linear in the rows.
std::optional<Numbered> numbering(const NumberTable& table, const GraphVertices& graph);

/// Remarks a first column that would number the rows if one number were not there twice.
void remarkDoubled(const NumberTable& table, const std::string& file, std::vector<std::string>& remarks);

}  // namespace halo
