#include "engine/record/comparison/learning.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "engine/record/comparison/staleness.h"

using namespace halo;

namespace {

/// Epochs of 1 s with 1 s between them and 10 bytes each.
ScoredRun runOf(const std::vector<std::optional<double>>& valid) {
  ScoredRun run;
  for (std::size_t i = 0; i < valid.size(); ++i) {
    EpochRow& row = run.epochs.emplace_back();
    row.epoch = static_cast<std::int64_t>(i);
    row.beginNs = 2'000'000'000 * row.epoch;
    row.wallNs = 1'000'000'000;
    row.valid = valid[i];
    run.bytes[row.epoch] = 10;
  }
  return run;
}

LearningCurve curveOf(double score, double seconds, double bytes) {
  return {{}, BestScore{score, seconds, seconds, bytes}};
}

LayerRow probed(std::int64_t epoch, std::int64_t rank, std::int64_t layer, std::optional<double> error) {
  LayerRow row;
  row.epoch = epoch, row.rank = rank, row.layer = layer, row.pass = Pass::forward;
  row.stalenessRelative = error;
  return row;
}

}  // namespace

TEST_CASE("a learning curve has means and ends of the seeds, where all of them measured", "[comparison]") {
  const std::vector<ScoredRun> runs = {runOf({0.1, 0.4, std::nullopt, 0.6}), runOf({0.3, 0.2, 0.9, 0.8})};
  const LearningCurve curve = learningOf(runs, Score::valid, {});
  REQUIRE(curve.epochs.size() == 3);
  CHECK(curve.epochs[1].epoch == 1);
  CHECK(curve.epochs[1].score == Approx(0.3));
  CHECK(curve.epochs[1].low == 0.2);
  CHECK(curve.epochs[1].high == 0.4);
  CHECK(curve.epochs[2].epoch == 3);
  CHECK(curve.epochs[2].epochSeconds == Approx(4));
  CHECK(curve.epochs[2].wallSeconds == Approx(7));
  CHECK(curve.epochs[2].bytes == Approx(40));
  REQUIRE(curve.best);
  CHECK(curve.best->score == Approx(0.75));        // of 0.6 and 0.9
  CHECK(curve.best->epochSeconds == Approx(3.5));  // after four epochs and after three
  const LearningCurve part = learningOf(runs, Score::valid, {1, 2});
  REQUIRE(part.epochs.size() == 1);
  CHECK(part.epochs[0].epochSeconds == Approx(2));  // from the run's begin on
  CHECK(part.best->score == Approx(0.75));
}

TEST_CASE("a run without a score leaves its configuration without a best one", "[comparison]") {
  const std::vector<ScoredRun> runs = {runOf({0.1}), runOf({std::nan("")})};
  CHECK_FALSE(learningOf(runs, Score::valid, {}).best);
  CHECK(learningOf(runs, Score::valid, {}).epochs.empty());
  CHECK_FALSE(learningOf({}, Score::valid, {}).best);
}

TEST_CASE("where a run lost its loss the curve has no score, but the place", "[comparison]") {
  std::vector<ScoredRun> runs = {runOf({0.1, 0.4, 0.5}), runOf({0.3, 0.2, 0.9})};
  runs[1].epochs[1].loss = std::nan("");
  runs[0].epochs[2].loss = HUGE_VAL;
  const LearningCurve curve = learningOf(runs, Score::valid, {});
  REQUIRE(curve.epochs.size() == 1);
  CHECK(curve.epochs[0].score == Approx(0.2));
  REQUIRE(curve.lost.size() == 2);
  CHECK(curve.lost[0].epoch == 1);
  CHECK(curve.lost[0].epochSeconds == Approx(2));
  CHECK(curve.lost[0].bytes == 20);
  CHECK(std::isnan(curve.lost[0].score));
  CHECK(std::isinf(curve.lost[1].score));
  CHECK(learningOf(runs, Score::valid, {2, 2}).lost.size() == 1);
}

TEST_CASE("on the front is who is beaten by nobody in score, time and bytes", "[comparison]") {
  const std::vector<LearningCurve> all = {
      curveOf(0.9, 5, 100), curveOf(0.8, 5, 100), curveOf(0.8, 4, 200), curveOf(0.9, 5, 100), {}};
  CHECK(onFront(all, &BestScore::epochSeconds) == std::vector<bool>{true, false, true, true, false});
}

TEST_CASE("staleness is the mean over workers and then over runs, where all of these probed",
          "[comparison]") {
  const std::vector<std::vector<LayerRow>> runs = {
      {probed(0, 0, 1, 0.1), probed(0, 1, 1, 0.3), probed(2, 0, 1, 0.5), probed(3, 0, 1, std::nullopt)},
      {probed(0, 0, 1, 0.4), probed(0, 0, 2, 0.0), probed(2, 0, 1, 0.1)}};
  const auto curves = stalenessOf(runs, {});
  REQUIRE(curves.size() == 1);  // layer 2 was probed by one run alone
  CHECK(curves[0].layer == 1);
  CHECK(curves[0].errors.at(0) == Approx(0.3));
  CHECK(curves[0].errors.at(2) == Approx(0.3));
  CHECK_FALSE(isFresh(curves[0]));
  CHECK(stalenessOf(runs, {1, 2}).at(0).errors.size() == 1);
  const std::vector<std::vector<LayerRow>> fresh = {{probed(0, 0, 1, 0.0)}};
  CHECK(isFresh(stalenessOf(fresh, {}).at(0)));
}

TEST_CASE("cosine and age are means over the workers that have one", "[comparison]") {
  std::vector<std::vector<LayerRow>> runs = {
      {probed(0, 0, 1, 0.1), probed(0, 1, 1, 0.3), probed(0, 2, 1, 0)}};
  runs[0][0].stalenessCosine = 0.5, runs[0][1].stalenessCosine = 0.9;
  runs[0][0].stalenessAge = 1, runs[0][1].stalenessAge = 2;
  const StalenessCurve curve = stalenessOf(runs, {}).at(0);
  CHECK(curve.cosines.at(0) == Approx(0.7));
  CHECK(curve.ages.at(0) == 1.5);
  runs.push_back({probed(0, 0, 1, 0.1)});  // of a recording that has none
  CHECK(stalenessOf(runs, {}).at(0).cosines.empty());
}
