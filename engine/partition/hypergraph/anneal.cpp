#include "engine/partition/hypergraph/anneal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr int kLook = 5;         // passes after which the boundary is looked for anew
constexpr double kHopeless = 7;  // temperatures; a node whose best move loses more rests until then

/// Whether a move of some gain is taken at a temperature.
class Acceptance {
 public:
  Acceptance(double temperature, std::int64_t unit)
      : unit_(unit), least_(-kHopeless * temperature * static_cast<double>(unit)) {
    for (std::size_t loss = 0; loss < kLosses; ++loss)
      chance_[loss] = static_cast<std::uint32_t>(
          std::min(4294967295.0, 4294967296.0 * std::exp(-static_cast<double>(loss) / kSteps / temperature)));
  }
  bool takes(std::int64_t gain, PhiloxStream& random) const {
    if (gain >= 0) return true;
    const std::int64_t loss = -gain * kSteps / unit_;
    return loss < static_cast<std::int64_t>(kLosses) && random.next() < chance_[at(loss)];
  }
  bool hopeless(std::int64_t gain) const { return static_cast<double>(gain) < least_; }

 private:
  static constexpr std::int64_t kSteps = 16;           // of a unit, that losses are told apart by
  static constexpr std::size_t kLosses = 32 * kSteps;  // larger ones are never taken
  std::int64_t unit_;
  double least_;
  std::array<std::uint32_t, kLosses> chance_;
};

void move(GainRows& gains, Vertex node, std::int32_t part) {
  gains.move(
      node, part, [](Vertex) {}, [](Vertex) {});
}

}  // namespace

void anneal(NetParts& state, GainRows& gains, const Cooling& cooling, std::int64_t unit,
            PhiloxStream& random) {
  const std::int64_t before = state.connectivity();
  const Owners start = state.owners();
  std::vector<Vertex> boundary;
  for (int pass = 0; pass < cooling.passes; ++pass) {
    if (pass % kLook == 0) {
      boundary.clear();
      for (Vertex v = 0; v < state.graph().nodeCount(); ++v)
        if (state.onBoundary(v) && gains.reserve(v)) boundary.push_back(v);
    }
    const double cooled = static_cast<double>(pass) / std::max(1, cooling.passes - 1);
    const Acceptance acceptance(cooling.from + (cooling.to - cooling.from) * cooled, unit);
    std::erase_if(boundary, [&](Vertex v) {
      const NodeMove best = gains.best(v);
      if (best.part < 0 || acceptance.hopeless(best.gain)) return true;
      if (acceptance.takes(best.gain, random)) move(gains, v, best.part);
      return false;
    });
  }
  if (state.connectivity() <= before) return;
  for (Vertex v = 0; v < state.graph().nodeCount(); ++v)
    if (const std::int32_t part = start[at(v)]; state.owner(v) != part) move(gains, v, part);
}

}  // namespace halo
