#include "datasets/graph/asking.h"

#include <utility>

namespace halo {

AskStop asking(const Progress& progress, std::string what, double share) {
  if (!progress) return {};
  return [&progress, what = std::move(what), share] { progress(what, share); };
}

}  // namespace halo
