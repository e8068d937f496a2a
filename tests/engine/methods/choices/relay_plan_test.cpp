// DGCL's forwarding trees, by topologies small enough to see what is right.
#include "engine/methods/choices/relay_plan.h"
#include "engine/base/index.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "engine/base/philox.h"

using namespace halo;

namespace {

std::int64_t sumOf(const RowTable& table) {
  std::int64_t sum = 0;
  for (const auto& from : table)
    for (const std::int64_t rows : from) sum += rows;
  return sum;
}

RelayClasses randomClasses(int ranks, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 0);
  RelayClasses classes;
  for (int i = 0; i < 40; ++i) {
    const auto owner = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(ranks)));
    std::vector<std::int32_t> consumers;
    for (std::int32_t rank = 0; rank < ranks; ++rank)
      if (rank != owner && random.below(2) == 0) consumers.push_back(rank);
    if (!consumers.empty()) classes[{owner, consumers}] += static_cast<std::int64_t>(1 + random.below(50));
  }
  return classes;
}

/// Of what owners send: who passes rows of an owner on returns all of that owner's late, and nobody else.
void checkReadiness(const RelayClasses& classes, const RelayPlan& plan, const std::vector<RowTable>& tables) {
  std::set<std::pair<std::size_t, std::size_t>> passing;
  for (const auto& [name, rows] : classes)
    for (const std::int32_t sender : plan.sender.at(name))
      if (sender != name.first) passing.insert({at(name.first), at(sender)});
  for (std::size_t owner = 0; owner < tables[0].size(); ++owner)
    for (std::size_t rank = 0; rank < tables[0].size(); ++rank) {
      CAPTURE(owner, rank);
      CHECK((tables[1][owner][rank] > 0) == passing.contains({owner, rank}));
      if (passing.contains({owner, rank})) CHECK(tables[0][owner][rank] == 0);
    }
}

}  // namespace

TEST_CASE("a row crosses a slow link once, however many are beyond it", "[dgcl]") {
  const RelayClasses classes = {{{0, {1, 2, 3}}, 10}};
  const RelayPlan plan = planRelays(classes, {.ranks = 4, .group = 2, .slowness = 8});
  CHECK(plan.sender.begin()->second == std::vector<std::int32_t>{0, 0, 2});
  CHECK(plan.slowRows == 10);
  CHECK(plan.slowRowsDirect == 20);
  CHECK(plan.longest == 80);
  CHECK(plan.longestDirect == 160);
  const std::vector<RowTable> rows = relayedRows(classes, plan, 4);
  CHECK(rows[0] == RowTable{{0, 10, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  CHECK(rows[1] == RowTable{{0, 0, 10, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  CHECK(rows[2] == RowTable{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 10}, {0, 0, 0, 0}});
}

TEST_CASE("who passes rows on is who has the least to pass on so far", "[dgcl]") {
  // the same two consumers beyond the link, of two owners: each passes on what one of these sends
  const RelayClasses classes = {{{0, {2, 3}}, 10}, {{1, {2, 3}}, 9}};
  const RelayPlan plan = planRelays(classes, {.ranks = 4, .group = 2, .slowness = 8});
  CHECK(plan.longest == 8 * 19);
  CHECK(plan.sender.at({0, {2, 3}}) == std::vector<std::int32_t>{0, 2});
  CHECK(plan.sender.at({1, {2, 3}}) == std::vector<std::int32_t>{3, 1});
  // over a link that is fast enough, nobody passes anything on
  CHECK(planRelays(classes, {.ranks = 4, .group = 2, .slowness = 0.1}).slowRows == 38);
}

TEST_CASE("one group, or groups of one, leave nothing to pass on", "[dgcl]") {
  const RelayClasses classes = randomClasses(6, 1);
  for (const int group : {1, 6, 100}) {
    const RelayPlan plan = planRelays(classes, {.ranks = 6, .group = group, .slowness = 8});
    CHECK(sumOf(relayedRows(classes, plan, 6)[2]) == 0);
    CHECK(plan.longest == plan.longestDirect);
  }
}

TEST_CASE(
    "every consumer gets each row once, from one who has it, and no plan is worse than sending directly",
    "[dgcl]") {
  for (const int ranks : {3, 4, 7, 8})
    for (const int group : {2, 3, 4})
      for (const double slowness : {1.0, 8.0}) {
        CAPTURE(ranks, group, slowness);
        const RelayClasses classes = randomClasses(ranks, static_cast<std::uint64_t>(ranks * 10 + group));
        const RelayPlan plan = planRelays(classes, {ranks, group, slowness});
        REQUIRE(plan.sender.size() == classes.size());
        std::int64_t needed = 0;
        for (const auto& [name, rows] : classes) {
          const auto& [owner, consumers] = name;
          const auto& senders = plan.sender.at(name);
          REQUIRE(senders.size() == consumers.size());
          for (std::size_t k = 0; k < senders.size(); ++k) {
            needed += rows;
            if (senders[k] == owner) continue;
            const auto relay = std::ranges::find(consumers, senders[k]);
            REQUIRE(relay != consumers.end());
            CHECK(senders[at(relay - consumers.begin())] == owner);
            CHECK(senders[k] / group == consumers[k] / group);
          }
        }
        const std::vector<RowTable> tables = relayedRows(classes, plan, ranks);
        REQUIRE(tables.size() == 3);
        CHECK(sumOf(tables[0]) + sumOf(tables[1]) + sumOf(tables[2]) == needed);
        checkReadiness(classes, plan, tables);
        CHECK(plan.slowRows <= plan.slowRowsDirect);
        CHECK(plan.longest <= plan.longestDirect);
      }
}
