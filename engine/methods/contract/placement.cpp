#include "engine/methods/contract/placement.h"

#include <utility>

#include "engine/methods/contract/method_entry.h"

namespace halo {

Placement placeVertices(const MethodEntry& method, PlacementRequest request) {
  if (method.order != nullptr) request.order = method.order(request);
  Owners owners = method.place != nullptr ? method.place(request) : request.partition(request.parts);
  return {std::move(owners), std::move(request.order)};
}

}  // namespace halo
