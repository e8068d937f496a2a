#include "engine/record/analysis/stage_times.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

StageRow row(std::int64_t iteration, BatchStage stage, std::int64_t actor, std::int64_t busyNs) {
  StageRow row;
  row.iteration = iteration, row.stage = stage, row.actor = actor, row.busyNs = busyNs;
  row.beginNs = 1000 * iteration;
  return row;
}

}  // namespace

TEST_CASE("a stage takes as long as its slowest actor, and over batches the median", "[record]") {
  std::vector<StageRow> rows;
  for (const std::int64_t i : {0, 1, 2}) {
    rows.push_back(row(i, BatchStage::sample, 0, 10 + i));
    for (const std::int64_t actor : {1, 2}) {
      rows.push_back(row(i, BatchStage::propagate, actor, 100 * actor));
      rows.back().modelledNs = 50 * actor + i;
      rows.back().predictedNs = 40 * actor;
      rows.back().waitNs = 3;
      if (i == 1) rows.back().plannedNs = 45 * actor;
    }
  }
  const std::vector<StageSeries> series = stagesOver(rows);
  REQUIRE(series.size() == 2);
  CHECK(series[0].stage == BatchStage::sample);
  CHECK(series[0].measuredNs == 11);  // not modelled: what it was busy
  CHECK_FALSE(series[0].predictedNs);
  CHECK_FALSE(series[0].plannedNs);
  CHECK(series[1].stage == BatchStage::propagate);
  CHECK(series[1].measuredNs == 101);
  CHECK(series[1].predictedNs == 80.0);
  CHECK(series[1].plannedNs == 90.0);  // of the one that has it
  REQUIRE(series[1].batches.size() == 3);
  CHECK(series[1].batches[2].iteration == 2);
  CHECK(series[1].batches[2].measuredNs == 102);
  CHECK(series[1].batches[2].waitNs == 6);
  CHECK_FALSE(series[1].batches[2].plannedNs);

  const std::vector<StageSeries> card = stagesOver(rows, 1);
  REQUIRE(card.size() == 1);
  CHECK(card[0].measuredNs == 51);
  CHECK(card[0].predictedNs == 40.0);
  CHECK(stagesOver({}).empty());
}

TEST_CASE("what waits before a stage is a line of steps, by time", "[record]") {
  std::vector<StageRow> rows;
  const std::vector<std::int64_t> queued = {0, 1, 1, 2, 0};
  for (std::int64_t i = 0; const std::int64_t waiting : queued) {
    rows.push_back(row(i++, BatchStage::load, 4, 10));
    rows.back().queued = waiting;
  }
  rows.push_back(row(0, BatchStage::sample, 9, 1));
  const std::vector<QueueLine> lines = queuesOver(rows);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].stage == BatchStage::sample);
  CHECK(lines[0].actor == 9);
  CHECK(lines[1].actor == 4);
  CHECK(lines[1].steps == std::vector<QueueStep>{{0, 0}, {1000, 1}, {3000, 2}, {4000, 0}});
}
