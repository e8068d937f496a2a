#include "engine/record/comparison/reached.h"

#include <catch2/catch.hpp>
#include <limits>

#include "engine/record/comparison/scope.h"

using namespace halo;

namespace {

EpochRow epochOf(std::int64_t epoch, std::int64_t beginNs, std::int64_t wallNs, std::optional<double> valid) {
  EpochRow row;
  row.epoch = epoch;
  row.beginNs = beginNs;
  row.wallNs = wallNs;
  row.valid = valid;
  return row;
}

std::vector<std::int64_t> numbersOf(const std::vector<EpochRow>& epochs) {
  std::vector<std::int64_t> numbers;
  for (const EpochRow& row : epochs) numbers.push_back(row.epoch);
  return numbers;
}

}  // namespace

TEST_CASE("what a run took to a score is the sum of its epochs, and beside it the time on the clock",
          "[comparison]") {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const double lost = std::numeric_limits<double>::quiet_NaN();
  const ScoredRun run{{epochOf(0, 5 * kSecond, kSecond, 0.2), epochOf(1, 7 * kSecond, kSecond, std::nullopt),
                       epochOf(2, 9 * kSecond, 2 * kSecond, lost), epochOf(3, 12 * kSecond, kSecond, 0.6)},
                      {{0, 10}, {1, 20}, {2, 30}, {3, 40}}};
  const auto point = reached(run, Score::valid, 0.5);
  REQUIRE(point);
  CHECK(point->epoch == 3);
  CHECK(point->epochSeconds == 5);
  CHECK(point->wallSeconds == 8);
  CHECK(point->bytes == 100);
  CHECK(reached(run, Score::valid, 0.2)->epoch == 0);
  CHECK_FALSE(reached(run, Score::valid, 0.61));
  CHECK(bestScore(run, Score::valid) == 0.6);
  CHECK_FALSE(bestScore(run, Score::test));
}

TEST_CASE("runs are held against each other by the first score that all of them measured", "[comparison]") {
  ScoredRun valid{{epochOf(0, 0, 1, 0.5)}, {}}, test{{epochOf(0, 0, 1, std::nullopt)}, {}};
  test.epochs[0].test = 0.25;
  CHECK(commonScore(std::vector{valid}) == Score::valid);
  CHECK_FALSE(commonScore(std::vector{valid, test}));
  valid.epochs[0].test = 0.75;
  CHECK(commonScore(std::vector{valid, test}) == Score::test);
}

TEST_CASE("the epochs in scope are those that are timed", "[comparison]") {
  std::vector<EpochRow> epochs;
  for (std::int64_t e = 3; e < 9; ++e) epochs.push_back(epochOf(e, 10 * e, 5, {}));
  epochs[2].filling = true;  // epoch 5
  using Numbers = std::vector<std::int64_t>;
  CHECK(numbersOf(epochsIn(epochs, {})) == Numbers{4, 6, 7, 8});
  CHECK(numbersOf(epochsIn(epochs, {3, 6})) == Numbers{3, 4, 6});
  CHECK(numbersOf(epochsIn(epochs, {0, {}})) == Numbers{3, 4, 6, 7, 8});
  CHECK(numbersOf(epochsIn(epochs, {{}, 4})) == Numbers{4});
  CHECK(epochsIn(epochs, {20, {}}).empty());
  CHECK(numbersOf(epochsIn(std::vector{epochs[0]}, {})) == Numbers{3});
  CHECK(epochsIn({}, {}).empty());
  CHECK(leftOut(epochs, {}) == LeftOut{1, 1});
  CHECK(leftOut(epochs, {3, 6}) == LeftOut{0, 1});
  CHECK(leftOut(epochs, {{}, 4}) == LeftOut{1, 0});
  CHECK(leftOut(epochs, {6, {}}) == LeftOut{0, 0});
  CHECK(leftOut(std::vector{epochs[0]}, {}) == LeftOut{0, 0});
}
