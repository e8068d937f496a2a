#pragma once

#include <span>
#include <utility>
#include <vector>

#include "engine/base/matrix.h"

namespace halo {

/// Pairs of a vertex and one that it lists.
using Listed = std::vector<std::pair<Index, Index>>;

/// Whether both vertices of a pair list each other wherever both have a list, which are those of `heads`;
/// false where no pair shows it. Sorts the pairs.
bool mutual(Listed& pairs, std::vector<Index> heads);

/// What lines `vertex count number …`, the count that of the numbers after it, are most likely.
enum class CountedLists {
  none,     // no lists of degrees
  perhaps,  // they may be, but a line may begin with two vertices as well
  certain   // only as lists of degrees do all vertices list each other, and each once
};

/// Of lines that all count so. `heads`: the first number of each; `pairs`: with every number behind it, line
/// by line.
CountedLists countedLists(std::vector<Index> heads, Listed pairs);

/// What a person is told of them.
inline constexpr const char* kDegreeLists =
    "the second number on every line counts those after it, as in lists of `vertex degree neighbour …`";

/// Lines of numbers, the first of each a vertex that lists the others.
struct ListedLines {
  std::span<const Index> heads, numbers;  // the first numbers; pairs of one and another, one behind another
  std::span<const std::size_t> ends;      // pairs up to the end of each line; none: not known
};

/// Whether the numbers on each line are the neighbours of the vertex with the number of the line, from 0 or
/// from 1 on. All list each other only when read so. A vertex without neighbours has no line.
bool areByLine(const ListedLines& lists);

/// Whether a line `vertex count` stands above as many lines of one neighbour each, again and again, as
/// networkx writes multiline lists.
bool areMultiline(const ListedLines& lists);

/// Whether every other number of each list is a weight, as in lines `vertex neighbour weight neighbour weight
/// …`. Only when read so do all vertices list each other, and with the same weight. As in ListedLines.
bool areWeighted(std::span<const Index> heads, std::span<const Index> numbers);

}  // namespace halo
