#include "engine/methods/contract/style.h"

namespace halo {

std::int64_t EpochCycle::epochs() const {
  std::int64_t sum = 0;
  for (const EpochTurn& turn : turns) sum += turn.count;
  return sum;
}

}  // namespace halo
