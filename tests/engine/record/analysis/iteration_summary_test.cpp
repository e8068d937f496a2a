#include "engine/record/analysis/iteration_summary.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

IterationRow iteration(std::int64_t epoch, std::int64_t wallNs, std::int64_t arcs) {
  IterationRow row;
  row.epoch = epoch, row.wallNs = wallNs, row.arcs = arcs;
  return row;
}

}  // namespace

TEST_CASE("times of iterations are medians after the first epoch", "[record]") {
  IterationSummary summary;
  CHECK(summary.metrics().empty());
  summary.add({{iteration(0, 9'000'000, 90)}, {}, {}});
  CHECK(summary.metrics().at("iteration_seconds") == Approx(9e-3));
  summary.add(
      {{iteration(1, 1'000'000, 20'000), iteration(1, 2'000'000, 20'000), iteration(2, 4'000'000, 20'000)},
       {},
       {}});
  CHECK(summary.metrics().at("iteration_seconds") == Approx(2e-3));
  CHECK(summary.metrics().at("mteps") == Approx(10));  // 20 000 in 2 ms
  CHECK_FALSE(summary.metrics().contains("modelled_iteration_seconds"));
  CHECK_FALSE(summary.metrics().contains("hit_ratio"));
}

TEST_CASE("modelled times go before measured ones", "[record]") {
  IterationSummary summary;
  IterationRow row = iteration(0, 5'000'000, 1000);
  row.modelledNs = 1'000'000;
  summary.add({{row}, {}, {}});
  CHECK(summary.metrics().at("modelled_iteration_seconds") == Approx(1e-3));
  CHECK(summary.metrics().at("iteration_seconds") == Approx(5e-3));
  CHECK(summary.metrics().at("mteps") == Approx(1));
}

TEST_CASE("blocks and caches are summed over epochs and workers", "[record]") {
  IterationSummary summary;
  BatchRows rows;
  for (const std::int64_t epoch : {0, 1})
    for (const std::int64_t rank : {0, 1}) {
      rows.blocks.push_back({.epoch = epoch, .rank = rank, .arcs = 500, .sampleCpuNs = 1000 * (rank + 1)});
      rows.caches.push_back({epoch, rank, 10, 6, 2, 64, 5});
    }
  summary.add(rows);
  const auto metrics = summary.metrics();
  CHECK(metrics.at("sampled_arcs_per_second") == Approx(2000 / 6e-6));
  CHECK(metrics.at("hit_ratio") == 0.75);
  CHECK(metrics.at("expected_hit_ratio") == 0.625);
  CHECK(metrics.at("missed_bytes_per_epoch") == 128);
}
