#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

/// Names of the two ends of an edge, in this order, but for words that say that they are vertices. Words
/// stand between blanks, in small letters without accents.
struct EndNames {
  std::string_view sources, targets;
};
/// Words that each say by themselves which end a column holds.
std::span<const EndNames> certainEnds();
/// Pairs that say it together, in whatever columns they stand.
std::span<const EndNames> pairedEnds();
/// Pairs that say it of the first two columns: behind them they tell times or other things.
std::span<const EndNames> leadingEnds();

/// A name of a column, taken apart.
struct NameParts {
  explicit NameParts(std::string_view name);
  /// Whether the name as a whole is one of `list`, words for a vertex left out.
  bool is(std::string_view list) const;
  /// The same, or a word of it, but for single letters and digits.
  bool says(std::string_view list) const;

  std::vector<std::string> words;  // of "destIP2" and "dest ip 2" the same three
  std::string plain, core;         // letters and digits; the same without words for a vertex
};

/// What is no end of an edge: a weight, a time, a kind.
bool namesAttribute(const NameParts& name);
/// What numbers the edges, where other columns hold the ends.
bool namesIndex(const NameParts& name);

}  // namespace halo
