#include "engine/record/analysis/breakdown.h"

#include <algorithm>
#include <array>

namespace halo {
namespace {

// What a moment is charged to, the first that is under way. Transfers (lane link), waits that idle time is
// for and reasons (lane wait) are watched beside it.
enum Charge : std::size_t {
  compute,
  quantise,
  exchange,
  synchronise,
  other,
  kCharges,
  transfer = kCharges,
  waiting,
  reason,
  ignored
};

Charge chargeOf(const Span& span) {
  if (span.lane == Lane::link) return span.kind == Kind::communication ? transfer : ignored;
  if (span.lane == Lane::wait) return reason;
  if (span.lane != Lane::main) return ignored;
  switch (span.kind) {
    case Kind::compute:
      return compute;
    case Kind::quantise:
      return quantise;
    case Kind::communication:
      return exchange;
    case Kind::synchronise:
      return synchronise;
    case Kind::other:
      return other;
    case Kind::idle:
      return waiting;  // idle is what is left over; these say why
  }
  return ignored;
}

struct Edge {
  std::int64_t atNs;
  Charge charge;
  Name name;
  int step;  // +1 begins, −1 ends
};

std::vector<Edge> edgesOf(std::span<const Span> spans, std::int64_t beginNs, std::int64_t endNs) {
  std::vector<Edge> edges;
  edges.reserve(2 * spans.size() + 1);
  for (const Span& span : spans) {
    const Charge charge = chargeOf(span);
    const std::int64_t from = std::max(span.beginNs, beginNs), to = std::min(span.endNs(), endNs);
    if (charge == ignored || from >= to) continue;
    edges.push_back({from, charge, span.name, +1});
    edges.push_back({to, charge, span.name, -1});
  }
  edges.push_back({endNs, ignored, Name::count, 0});
  // a lane of one thing after another comes in order
  if (!std::ranges::is_sorted(edges, {}, &Edge::atNs)) std::ranges::sort(edges, {}, &Edge::atNs);
  return edges;
}

}  // namespace

Breakdown breakdown(std::span<const Span> spans, std::int64_t beginNs, std::int64_t endNs) {
  Breakdown result;
  if (beginNs >= endNs) return result;
  const std::array<std::int64_t*, kCharges + 1> parts = {&result.computeNs,      &result.quantiseNs,
                                                         &result.exchangeWaitNs, &result.synchroniseNs,
                                                         &result.otherNs,        &result.idleNs};
  std::array<std::int64_t, ignored + 1> active{};
  std::map<Name, std::int64_t> waits, reasons;  // under way, by name
  std::int64_t at = beginNs;
  for (const Edge& edge : edgesOf(spans, beginNs, endNs)) {
    if (edge.atNs > at) {
      std::size_t charge = 0;
      while (charge < kCharges && active[charge] == 0) ++charge;
      *parts[charge] += edge.atNs - at;
      if (charge == kCharges && !waits.empty()) result.waitedNs[waits.begin()->first] += edge.atNs - at;
      const bool waited = charge == exchange || charge == synchronise;
      if (waited && !reasons.empty()) result.reasonNs[reasons.begin()->first] += edge.atNs - at;
      if (active[transfer] > 0 && charge == compute) result.hiddenNs += edge.atNs - at;
      at = edge.atNs;
    }
    active[edge.charge] += edge.step;
    if (edge.charge == waiting && (waits[edge.name] += edge.step) == 0) waits.erase(edge.name);
    if (edge.charge == reason && (reasons[edge.name] += edge.step) == 0) reasons.erase(edge.name);
  }
  return result;
}

}  // namespace halo
