#pragma once

#include <algorithm>
#include <bit>

#include "engine/kernels/opencl/opencl_device.h"

// What starts of kernels have in common.
namespace halo::card {

constexpr Index kItems = 256;       // of a group that works element by element
constexpr Index kMostColumns = 64;  // of a group that works row by row
constexpr Index kMostChunks = 64;   // of a reduction over rows

inline int number(Index count) { return static_cast<int>(count); }
inline std::size_t groups(Index count, Index size) { return at((count + size - 1) / size); }

/// A group's items along rows of this width: the power of two above, so that narrow rows share a group.
inline Index columnItems(Index width) {
  return static_cast<Index>(std::bit_ceil(at(std::clamp<Index>(width, 1, kMostColumns))));
}

/// Groups along both, in one row as the kernels number them.
inline std::size_t groups(Index rows, Index rowsEach, Index columns, Index columnsEach) {
  return groups(rows, rowsEach) * groups(columns, columnsEach);
}

/// A reduction over rows in chunks: few, and none too small to be worth a group. The shape alone decides.
struct Chunks {
  Chunks(Index rows, Index least)
      : rowsEach(std::max(least, (rows + kMostChunks - 1) / kMostChunks)),
        count((rows + rowsEach - 1) / rowsEach) {}
  Index rowsEach, count;
};

/// sums = Σ of the chunks' parts in the scratch memory, in order
inline void sumParts(OpenClDevice& device, Index chunks, CardMatrix& sums) {
  device.launch(CardKernel::sumChunks, {groups(sums.size(), kItems)}, {at(kItems)}, number(sums.size()),
                number(chunks), device.scratch(), sums.elements);
}

/// A kernel that goes over all elements of a matrix.
template <class... Arguments>
void launchElements(OpenClDevice& device, CardKernel kernel, Index size, const Arguments&... arguments) {
  device.launch(kernel, {groups(size, kItems)}, {at(kItems)}, static_cast<std::uint64_t>(size), arguments...);
}

}  // namespace halo::card
