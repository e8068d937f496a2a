#include "datasets/text/vertex_names.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "datasets/text/vertex_numbers.h"

namespace halo {
namespace {

/// 0 or 1 where `numbers` begin with it and end with the last of `rows` rows.
std::optional<Index> firstOfRows(const std::vector<Index>& numbers, Index rows) {
  if (numbers.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  if (*least < 0 || *least > 1 || *most != *least + rows - 1) return std::nullopt;
  return *least;
}

bool allBelow(const std::vector<Index>& numbers, Index bound) {
  return std::all_of(numbers.begin(), numbers.end(), [&](Index n) { return n >= 0 && n < bound; });
}

}  // namespace

Index wholeNumberOf(std::string_view word) {
  const std::string_view digits = digitsOf(word);
  Index value = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() ? value : -1;
}

Index wholeNumberOf(double value) {
  return value >= 0 && value < kExactBelow && value == std::floor(value) ? static_cast<Index>(value) : -1;
}

Index GraphVertices::find(std::string_view word) const {
  if (named) return named(word);
  const Index number = wholeNumberOf(word);
  return number < count ? number : -1;
}

std::string GraphVertices::unknown() const {
  return named ? " is no vertex of the graph's file" : " is no vertex; 0 to " + std::to_string(count - 1);
}

VertexOf countedFromOne(Index vertices) {
  return [vertices](std::string_view word) {
    const Index number = wholeNumberOf(word);
    return number <= vertices ? std::max<Index>(number, 0) - 1 : -1;
  };
}

std::vector<Index> verticesNamed(const GraphVertices& graph, const VertexWords& words, RowCounts counts,
                                 const std::string& file, std::vector<std::string>& remarks) {
  std::vector<Index> own = words.numbers, rows = words.numbers;
  for (std::size_t i = 0; i < own.size(); ++i)
    own[i] = graph.named            ? graph.named(words.wordAt(static_cast<Index>(i)))
             : own[i] < graph.count ? std::max<Index>(own[i], -1)
                                    : -1;
  if (std::find(own.begin(), own.end(), -1) == own.end()) {
    if (own != rows && allBelow(rows, graph.count))
      remarks.push_back(file +
                        ": its vertex numbers are taken for those of the graph's file, not for counted from "
                        "0; a file with a line for every vertex needs none");
    return own;
  }
  const auto first = firstOfRows(rows, graph.count);
  // numbers of a graph that has its own are hardly those of rows unless every row is there
  const bool all = std::cmp_equal(rows.size(), graph.count);
  if (counts == RowCounts::no || !first || (graph.named && !all)) return own;
  remarks.push_back(
      file + " numbers the vertices from " + std::to_string(*first) +
      (graph.named ? ", unlike the graph's file: they are taken in the order of its vertices" : ""));
  for (Index& row : rows) row -= *first;
  return rows;
}

}  // namespace halo
