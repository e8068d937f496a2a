#include "engine/methods/minibatch/turned_block.h"

#include <algorithm>
#include <numeric>

namespace halo {

void TurnedBlock::turn(bool attends) {
  const auto columns = at(edges_.cols);
  transposed_.cols = edges_.rows();
  transposed_.offsets.assign(columns + 1, 0);
  for (const Vertex u : edges_.columns) ++transposed_.offsets[at(u) + 1];
  std::partial_sum(transposed_.offsets.begin(), transposed_.offsets.end(), transposed_.offsets.begin());
  resizeUndefined(transposed_.columns, edges_.columns.size());
  resizeUndefined(transposed_.values, edges_.values.size());
  resizeUndefined(places_, attends ? edges_.columns.size() : 0);
  for (Index row = 0; row < edges_.rows(); ++row)
    for (Index e = edges_.offsets[at(row)]; e < edges_.offsets[at(row) + 1]; ++e) {
      const std::size_t place = at(transposed_.offsets[at(edges_.columns[at(e)])]++);
      transposed_.columns[place] = static_cast<Vertex>(row);
      if (edges_.weighted()) transposed_.values[place] = edges_.values[at(e)];
      if (attends) places_[place] = e;
    }
  // each row's begin has moved to its end, which is the next one's begin
  std::shift_right(transposed_.offsets.begin(), transposed_.offsets.end(), 1);
  transposed_.offsets.front() = 0;
}

std::size_t TurnedBlock::heldBytes() const {
  std::size_t bytes = halo::heldBytes(places_);
  for (const Csr* A : {&edges_, &transposed_})
    bytes += halo::heldBytes(A->offsets) + halo::heldBytes(A->columns) + halo::heldBytes(A->values);
  return bytes;
}

}  // namespace halo
