#include "engine/partition/hypergraph/refine.h"

#include "engine/partition/hypergraph/gain_rows.h"
#include "engine/partition/hypergraph/searches.h"

namespace halo {
namespace {

constexpr std::size_t kRowBytes = std::size_t{1} << 30;

/// Of Σ weight × (λ − 1).
class Gains : public GainRows {
 public:
  Gains(NetParts& state, std::int64_t limit)
      : GainRows(state, limit, kRowBytes), state_(state), finder_(state, limit) {}

  std::int64_t cost() const { return state_.connectivity(); }
  NodeMove bestOfAny(Vertex node) { return has(node) ? best(node) : finder_.best(node); }

 private:
  NetParts& state_;
  MoveFinder finder_;  // for nodes without a row
};

}  // namespace

void refine(NetParts& state, std::int64_t limit, const RefineEffort& effort, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::partition, 2);
  Gains gains(state, limit);
  Searches searches(state, gains, effort, random);
  if (effort.cooling.passes == 0)
    searches.payingMoves();
  else
    anneal(state, gains, effort.cooling, effort.unit, random);
  searches.rounds();
}

}  // namespace halo
