#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "datasets/arrays/npz.h"

namespace halo {

/// Where the bytes of one array come from, and what is known of them before they do.
struct NpySource {
  std::function<std::size_t(char* to, std::size_t count)> read;  // 0 only at the end
  double unpackedBytes = -1;                                     // header and elements; −1: unknown
  double packedBytes = 0;                                        // of the file
  double heldBytes = 0;                                          // by arrays that were read before this one
  MemoryGrowth reading;                                          // since the file was begun
  ShapeCheck fits;                                               // asked before the elements are read
  std::string file, member;                                      // for messages
};

/// Reads header and elements: no byte is held that the header does not declare, and none before its room is
/// asked for (limits.h). Throws DamagedInput, also if bytes are left over.
NpyArray readArray(const NpySource& source);

}  // namespace halo
