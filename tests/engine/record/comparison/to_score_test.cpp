// What seeds took to a score: means with intervals over the seeds, and what changes from the baseline.
#include "engine/record/comparison/to_score.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

ToAccuracy runsOf(const std::vector<double>& seconds) {
  ToAccuracy to;
  for (const double each : seconds)
    to.runs.push_back({static_cast<std::int64_t>(to.runs.size()) + 1,
                       Reached{3, each, 2 * each, static_cast<std::int64_t>(1'000 * each)}});
  return to;
}

/// The first against others on the same data.
Comparison comparedOf(const std::vector<std::vector<double>>& seconds) {
  Comparison comparison;
  for (const std::vector<double>& each : seconds) comparison.reached.push_back(runsOf(each));
  comparison.changes.resize(seconds.size() - 1);
  for (Change& change : comparison.changes) change.sameData = true;
  return comparison;
}

}  // namespace

TEST_CASE("time to a score is a mean over seeds with an interval, beside the median", "[comparison]") {
  const Comparison comparison = comparedOf({{4, 5, 9}, {1, 2, 3}});
  const auto first = toScore(comparison, 0, &Reached::epochSeconds);
  REQUIRE(first);
  CHECK(first->mean == Approx(6));
  CHECK(first->median == 5);
  REQUIRE(first->interval);
  CHECK(first->interval->low >= 4);
  CHECK(first->interval->low < 6);
  CHECK(first->interval->high > 6);
  CHECK(first->interval->high <= 9);
  CHECK_FALSE(first->delta);
  const auto second = toScore(comparison, 1, &Reached::wallSeconds);
  REQUIRE(second);
  CHECK(second->mean == 4);
  CHECK(second->delta == Approx(4 - 12));
  REQUIRE(second->change);
  CHECK_FALSE(second->change->isWithinNoise());
  CHECK(toScore(comparison, 1, &Reached::bytes)->mean == Approx(2'000));
}

TEST_CASE("seeds that scatter more than two configurations differ are within noise", "[comparison]") {
  const Comparison comparison = comparedOf({{1, 5, 9}, {2, 5, 9.5}});
  const auto second = toScore(comparison, 1, &Reached::epochSeconds);
  REQUIRE((second && second->change));
  CHECK(second->delta == Approx(0.5));
  CHECK(second->change->isWithinNoise());
}

TEST_CASE("what two seeds took has no interval, and what one of them never reached no mean", "[comparison]") {
  Comparison comparison = comparedOf({{1, 2, 3}, {4, 6}, {1, 2, 3}});
  const auto two = toScore(comparison, 1, &Reached::epochSeconds);
  REQUIRE(two);
  CHECK(two->median == 5);
  CHECK_FALSE(two->interval);
  CHECK(two->delta == Approx(3));
  CHECK_FALSE(two->change);
  comparison.changes[1].sameData = false;
  CHECK_FALSE(toScore(comparison, 2, &Reached::epochSeconds)->delta);
  comparison.reached[2].runs[1].reached.reset();
  CHECK_FALSE(toScore(comparison, 2, &Reached::epochSeconds));
  comparison.reached[0].runs[1].reached.reset();
  CHECK(toScore(comparison, 1, &Reached::epochSeconds)->mean == Approx(5));
  CHECK_FALSE(toScore(comparison, 1, &Reached::epochSeconds)->delta);
  CHECK_FALSE(toScore({}, 0, &Reached::epochSeconds));
}
