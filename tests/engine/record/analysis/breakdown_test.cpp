#include "engine/record/analysis/breakdown.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "engine/base/philox.h"

using namespace halo;

namespace {

/// The definition, nanosecond by nanosecond.
Breakdown slowBreakdown(std::span<const Span> spans, std::int64_t beginNs, std::int64_t endNs) {
  Breakdown b;
  for (std::int64_t t = beginNs; t < endNs; ++t) {
    const auto on = [&](Kind kind, Lane lane) {
      for (const Span& s : spans)
        if (s.kind == kind && s.lane == lane && s.beginNs <= t && t < s.endNs()) return true;
      return false;
    };
    const auto waitAt = [&](std::int64_t now) {
      ++b.idleNs;
      std::optional<Name> first;
      for (const Span& s : spans)
        if (s.kind == Kind::idle && s.lane == Lane::main && s.beginNs <= now && now < s.endNs())
          first = std::min(first.value_or(s.name), s.name);
      if (first) ++b.waitedNs[*first];
    };
    const auto reasonAt = [&](std::int64_t now) {
      std::optional<Name> first;
      for (const Span& s : spans)
        if (s.lane == Lane::wait && s.beginNs <= now && now < s.endNs())
          first = std::min(first.value_or(s.name), s.name);
      if (first) ++b.reasonNs[*first];
    };
    const bool computing = on(Kind::compute, Lane::main);
    if (computing)
      ++b.computeNs;
    else if (on(Kind::quantise, Lane::main))
      ++b.quantiseNs;
    else if (on(Kind::communication, Lane::main))
      ++b.exchangeWaitNs, reasonAt(t);
    else if (on(Kind::synchronise, Lane::main))
      ++b.synchroniseNs, reasonAt(t);
    else if (on(Kind::other, Lane::main))
      ++b.otherNs;
    else
      waitAt(t);
    if (computing && on(Kind::communication, Lane::link)) ++b.hiddenNs;
  }
  return b;
}

}  // namespace

TEST_CASE("the breakdown agrees with its definition and adds up to the window", "[record]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    PhiloxStream random(seed, Purpose::generate, 0);
    std::vector<Span> spans(random.below(12));
    for (Span& s : spans) {
      s.beginNs = static_cast<std::int64_t>(random.below(120)) - 10;
      s.durationNs = static_cast<std::int64_t>(random.below(40));
      s.kind = static_cast<Kind>(random.below(kKinds));
      s.lane = static_cast<Lane>(random.below(kLanes));
      s.name = static_cast<Name>(random.below(4));
    }
    const auto begin = static_cast<std::int64_t>(random.below(40)),
               end = begin + static_cast<std::int64_t>(random.below(70));
    const Breakdown fast = breakdown(spans, begin, end), slow = slowBreakdown(spans, begin, end);
    REQUIRE(fast.totalNs() == end - begin);
    REQUIRE(fast.computeNs == slow.computeNs);
    REQUIRE(fast.exchangeWaitNs == slow.exchangeWaitNs);
    REQUIRE(fast.quantiseNs == slow.quantiseNs);
    REQUIRE(fast.synchroniseNs == slow.synchroniseNs);
    REQUIRE(fast.otherNs == slow.otherNs);
    REQUIRE(fast.idleNs == slow.idleNs);
    REQUIRE(fast.waitedNs == slow.waitedNs);
    REQUIRE(fast.reasonNs == slow.reasonNs);
    REQUIRE(fast.hiddenNs == slow.hiddenNs);
    REQUIRE(fast.hiddenNs <= fast.computeNs);
  }
}

TEST_CASE("the breakdown of nothing is idle, and of an empty window nothing", "[record]") {
  CHECK(breakdown({}, 5, 9).idleNs == 4);
  CHECK(breakdown({}, 9, 5).totalNs() == 0);
}
