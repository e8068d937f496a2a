#include "datasets/edges/dense_cells.h"

namespace halo {

std::string denseMatrix(Index n, std::string_view cells) {
  const std::string size = std::to_string(n);
  return "looks like a dense " + size + " × " + size + " matrix: " + size + " lines with " + size +
         " cells each, " + std::string(cells) +
         "; write its edges as `u v` on a line or as Matrix Market coordinates";
}

}  // namespace halo
