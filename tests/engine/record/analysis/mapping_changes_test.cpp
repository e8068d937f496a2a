#include "engine/record/analysis/mapping_changes.h"

#include <catch2/catch.hpp>

#include "tests/engine/record/acting_rows.h"

using namespace halo;

TEST_CASE("a decision is told by what it moved, and what that gained", "[record]") {
  const std::vector<MappingChange> changes = mappingChanges(acting::decisions());
  REQUIRE(changes.size() == 5);
  CHECK_FALSE(changes[0].before);
  CHECK(movedText(changes[0]) == "start");
  CHECK(movedText(changes[1]) == "9 seeds from cpu to cards");
  CHECK(changes[1].gain == Approx(0.1));
  CHECK(movedText(changes[2]) == "1 thread from load to train");
  CHECK(changes[2].gain == Approx(1.0 / 900));
  CHECK(movedText(changes[3]) == "25 % of the sampling from cpu to cards");
  CHECK(movedText(changes[4]) == "rest");
  CHECK_FALSE(changes[4].gain);
}

TEST_CASE("after an undone decision stands the mapping before it", "[record]") {
  const std::vector<MappingChange> changes = mappingChanges(acting::decisions());
  CHECK(changes[2].before->decision == 1);
  CHECK(changes[3].before->decision == 1);  // 2 was undone
  CHECK(changes[3].threads == 0);
  CHECK(changes[4].before->decision == 3);
}

TEST_CASE("shares of seeds and threads are those of the mapping in force", "[record]") {
  const std::vector<MappingShares> shares = sharesOver(acting::decisions(), 100);
  REQUIRE(shares.size() == 5);
  CHECK(shares[0].cpuSeeds == Approx(0.4));
  CHECK(shares[0].cardSeeds == Approx(0.6));
  CHECK(shares[0].sampleThreads == Approx(6.0 / 16));
  CHECK(shares[2].epoch == 1);
  CHECK(shares[2].iteration == 0);
  CHECK(shares[2].loadThreads == Approx(4.0 / 16));
  CHECK(shares[2].trainThreads == Approx(6.0 / 16));
  CHECK(shares[3].loadThreads == Approx(5.0 / 16));
  CHECK(shares[3].cardSample == 0.25);
  CHECK(sharesOver(acting::decisions(), 0)[0].cpuSeeds == 0);
  CHECK(sharesOver({}, 100).empty());
}

TEST_CASE("each window but the first tries one thing, until there is rest", "[record]") {
  const std::vector<DecisionRow> decisions = acting::decisions();
  CHECK(windowsToRest(decisions) == 4);
  CHECK_FALSE(windowsToRest(std::span(decisions).first(4)));
}
