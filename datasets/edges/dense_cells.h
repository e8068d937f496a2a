#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/matrix.h"

namespace halo {

/// Whether numbers go up from 0 or 1, one by one.
template <class Number>
bool countUp(std::size_t count, const Number& number) {
  if (number(0) != 0 && number(0) != 1) return false;
  for (std::size_t i = 1; i < count; ++i)
    if (number(i) != number(0) + static_cast<Index>(i)) return false;
  return true;
}

/// What n lines of n whole numbers have that rows of a matrix have, and lists or edges have not.
struct DenseSigns {
  bool flags = true;         // all 0 or 1
  bool zeroDiagonal = true;  // as of a graph without loops
  bool sameDiagonal = true;  // any number in place of 0
  bool mirrored = true;      // row i, column j is as row j, column i
  bool headTwice = false;    // the first number of a row stands in it again
  bool restTwice = false;    // another number of a row does
  bool headsDiffer = true;   // the first numbers of all rows
  bool closed = true;        // every number is the first one of a row

  bool twice() const { return headTwice || restTwice; }
  /// What is special with the cells, for denseMatrix.
  std::string_view words() const {
    if (flags) return "all 0 or 1";
    if (zeroDiagonal) return mirrored ? "the same on both sides of a diagonal of 0" : "0 on the diagonal";
    return sameDiagonal && mirrored ? "the same on both sides of its diagonal"
                                    : "some numbers twice on a line";
  }
};

/// `cell(i, j)`: the number in row i and column j.
template <class Cell>
DenseSigns denseSigns(std::size_t n, const Cell& cell) {
  DenseSigns signs;
  std::vector<Index> heads, rest;
  for (std::size_t i = 0; i < n; ++i) heads.push_back(cell(i, 0));
  std::ranges::sort(heads);
  signs.headsDiffer = std::ranges::adjacent_find(heads) == heads.end();
  for (std::size_t i = 0; i < n; ++i) {
    rest.clear();
    for (std::size_t j = 0; j < n; ++j) {
      const Index number = cell(i, j);
      signs.flags &= number == 0 || number == 1;
      signs.mirrored &= number == cell(j, i);
      if (j == 0) continue;
      rest.push_back(number);
      signs.headTwice |= number == cell(i, 0);
      signs.closed = signs.closed && std::ranges::binary_search(heads, number);
    }
    signs.zeroDiagonal &= cell(i, i) == 0;
    signs.sameDiagonal &= cell(i, i) == cell(0, 0);
    std::ranges::sort(rest);
    signs.restTwice |= std::ranges::adjacent_find(rest) != rest.end();
  }
  return signs;
}

/// What a person is told of n lines with n cells each; `cells`: what is special with these.
std::string denseMatrix(Index n, std::string_view cells = "all 0 or 1");

}  // namespace halo
