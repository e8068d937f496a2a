#include "engine/partition/hypergraph/gain_rows.h"

#include <bit>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {

GainRows::GainRows(NetParts& state, std::int64_t limit, std::size_t maxBytes)
    : state_(state),
      limit_(limit),
      alone_(state.parts()),
      total_(alone_ + 1),
      touched_(total_ + 1),
      width_(at(touched_ + (state.parts() + kBits - 1) / kBits)),
      maxRows_(maxBytes / (width_ * sizeof(std::int32_t))),
      place_(at(state.graph().nodeCount()), -1) {}

bool GainRows::reserve(Vertex node) {
  if (has(node)) return true;
  if (made_ == maxRows_) return false;
  place_[at(node)] = static_cast<std::int32_t>(made_++);
  rows_.resize(made_ * width_, 0);
  std::int32_t* row = rowOf(node);
  const std::int32_t own = state_.owner(node);
  for (const Vertex net : state_.graph().netsOf(node)) {
    const std::int32_t weight = state_.graph().netWeight[at(net)];
    for (const auto& [part, pins] : state_.touched(net)) {
      row[part] += weight;
      if (part == own && pins == 1) row[alone_] += weight;
    }
    row[total_] += weight;
  }
  for (std::int32_t part = 0; part < state_.parts(); ++part)
    if (row[part] != 0) row[touched_ + part / kBits] |= std::int32_t(1U << (part % kBits));
  return true;
}

NodeMove GainRows::best(Vertex node) const {
  const std::int32_t* row = rowOf(node);
  const std::int32_t own = state_.owner(node);
  const std::int64_t heaviest = limit_ - state_.graph().nodeWeight[at(node)];
  std::int32_t most = 0, part = -1;
  for (std::int32_t word = 0; word * kBits < state_.parts(); ++word)
    for (auto bits = static_cast<std::uint32_t>(row[touched_ + word]); bits != 0; bits &= bits - 1) {
      const std::int32_t p = word * kBits + std::countr_zero(bits);
      if (row[p] < most || p == own || state_.weight(p) > heaviest) continue;
      if (row[p] == most && part >= 0 && state_.weight(p) >= state_.weight(part)) continue;
      most = row[p];
      part = p;
    }
  return {std::int64_t{most} + row[alone_] - row[total_], part};
}

Vertex GainRows::onlyPin(Vertex net, std::int32_t part, Vertex except) const {
  for (const Vertex pin : state_.graph().pinsOf(net))
    if (state_.owner(pin) == part && pin != except) return pin;
  HALO_CHECK(false && "a part lost a pin");
}

}  // namespace halo
