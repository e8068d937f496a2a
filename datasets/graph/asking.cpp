#include "datasets/graph/asking.h"

#include <utility>

namespace halo {

AskStop asking(const Progress& progress, std::string step, double share) {
  if (!progress) return {};
  return [&progress, step = std::move(step), share] { progress(step, share); };
}

}  // namespace halo
