#include "engine/partition/gain_rows.h"

#include "engine/base/check.h"

namespace halo {

GainRows::GainRows(NetParts& state, std::int64_t limit, std::size_t maxBytes)
    : state_(state),
      limit_(limit),
      width_(static_cast<std::size_t>(state.parts()) + 2),
      maxRows_(maxBytes / (width_ * sizeof(std::int32_t))),
      place_(static_cast<std::size_t>(state.graph().nodeCount()), -1) {}

bool GainRows::reserve(Vertex node) {
  if (has(node)) return true;
  if (made_ == maxRows_) return false;
  place_[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(made_++);
  rows_.resize(made_ * width_, 0);
  std::int32_t* row = rowOf(node);
  const std::int32_t own = state_.owner(node), parts = state_.parts();
  for (const Vertex net : state_.graph().netsOf(node)) {
    const std::int32_t weight = state_.graph().netWeight[static_cast<std::size_t>(net)];
    for (const auto& [part, pins] : state_.touched(net)) {
      row[part] += weight;
      if (part == own && pins == 1) row[parts] += weight;
    }
    row[parts + 1] += weight;
  }
  return true;
}

Move GainRows::best(Vertex node) const {
  const std::int32_t* row = rowOf(node);
  const std::int32_t own = state_.owner(node), parts = state_.parts();
  const std::int64_t heaviest = limit_ - state_.graph().nodeWeight[static_cast<std::size_t>(node)];
  std::int32_t most = 0, part = -1;
  for (std::int32_t p = 0; p < parts; ++p) {
    if (row[p] < most || row[p] == 0 || p == own || state_.weight(p) > heaviest) continue;
    if (row[p] == most && part >= 0 && state_.weight(p) >= state_.weight(part)) continue;
    most = row[p];
    part = p;
  }
  return {std::int64_t{most} + row[parts] - row[parts + 1], part};
}

Vertex GainRows::onlyPin(Vertex net, std::int32_t part, Vertex except) const {
  for (const Vertex pin : state_.graph().pinsOf(net))
    if (state_.owner(pin) == part && pin != except) return pin;
  HALO_CHECK(false && "a part lost a pin");
}

}  // namespace halo
