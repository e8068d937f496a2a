#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/index.h"

namespace halo {

/// What the dictionary in front of an .npy array says.
struct NpyHeader {
  std::string type;  // without its byte order
  bool bigEndian = false, fortran = false;
  std::vector<Index> shape;
};

/// Reads the dictionary as numpy does: `descr`, `fortran_order` and `shape`, each once, nothing else and
/// nothing behind it. False: `problem` says what is wrong with the header, as the end of a sentence about it.
bool parseNpyHeader(std::string_view dictionary, NpyHeader& header, std::string& problem);

}  // namespace halo
