#include "engine/record/analysis/summary.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

using namespace halo;

namespace {

EpochRow epochOf(std::int64_t epoch, std::int64_t wallNs, double loss, std::optional<double> valid) {
  EpochRow row;
  row.epoch = epoch, row.wallNs = wallNs, row.loss = loss, row.valid = valid;
  return row;
}

LayerRow layerOf(std::int64_t epoch, std::int64_t rank, std::int64_t aggregateNs, std::int64_t waitNs,
                 std::int64_t bytes, std::int64_t flop) {
  LayerRow row;
  row.epoch = epoch, row.rank = rank, row.layer = 0, row.aggregateNs = aggregateNs,
  row.exchangeWaitNs = waitNs;
  row.bytesSent = bytes, row.flop = flop, row.messages = 2, row.predictedBytes = bytes + 1;
  row.predictedMessages = 3;
  return row;
}

}  // namespace

TEST_CASE("a run without epochs has no metrics", "[record]") { CHECK(summarise({}, {}, {}, 4).empty()); }

TEST_CASE("the first epoch does not count towards the speed unless it is the only one", "[record]") {
  std::vector<EpochRow> epochs = {epochOf(0, 9'000'000'000, 2, {})};
  CHECK(summarise(epochs, {}, {}, 1).at("epoch_seconds") == Approx(9));
  CHECK(summarise(epochs, {}, {}, 1).at("mean_epoch_seconds") == Approx(9));
  epochs.push_back(epochOf(1, 1'000'000'000, 1.5, {}));
  epochs.push_back(epochOf(2, 3'000'000'000, 1.25, {}));
  auto metrics = summarise(epochs, {}, {}, 1);
  CHECK(metrics.at("epoch_seconds") == Approx(2));
  CHECK(metrics.at("epochs_per_second") == Approx(0.5));
  CHECK(metrics.at("total_seconds") == Approx(13));
  CHECK(metrics.at("loss") == 1.25);
  CHECK(metrics.at("epochs") == 3);
  epochs.push_back(epochOf(3, 2'500'000'000, 1, {}));
  CHECK(summarise(epochs, {}, {}, 1).at("epoch_seconds") == Approx(2.5));
  CHECK(summarise(epochs, {}, {}, 1).at("mean_epoch_seconds") == Approx(6.5 / 3));
  CHECK(summarise(epochs, {}, {}, 1).at("epochs_per_second") == Approx(3 / 6.5));
}

TEST_CASE("an epoch that fills the pipeline counts in no time, and in all volumes", "[record]") {
  std::vector<EpochRow> epochs = {epochOf(0, 9'000'000'000, 2, {}), epochOf(1, 3'000'000'000, 1.5, {}),
                                  epochOf(2, 1'000'000'000, 1.5, {}), epochOf(3, 5'000'000'000, 1.5, {})};
  epochs[2].filling = true;
  std::vector<LayerRow> layers;
  for (int epoch = 0; epoch < 4; ++epoch)
    layers.push_back(layerOf(epoch, 0, 500'000'000, epoch == 2 ? 0 : 1'000'000'000, 100, 1));
  auto metrics = summarise(epochs, layers, {}, 1);
  CHECK(metrics.at("epoch_seconds") == Approx(4));
  CHECK(metrics.at("mean_epoch_seconds") == Approx(4));
  CHECK(metrics.at("total_seconds") == Approx(18));
  CHECK(metrics.at("bytes_per_epoch") == Approx(100));
  CHECK(metrics.at("exchange_wait_share") == Approx(3.0 / 17));
  CHECK(metrics.at("compute_share") == Approx(1.5 / 17));
  // where there is no other, nothing tells the time of an epoch
  epochs.resize(2);
  epochs[1].filling = true;
  metrics = summarise(epochs, {}, {}, 1);
  for (const char* metric : {"epoch_seconds", "mean_epoch_seconds", "epochs_per_second"})
    CHECK(metrics.count(metric) == 0);
  CHECK(metrics.at("total_seconds") == Approx(12));
  Summary summary(1);
  summary.add(epochs, {});
  CHECK(summary.untimed().starts_with("all its epochs fill the pipeline"));
  const EpochRow timed = epochOf(2, 1, 1, {});
  summary.add(std::span(&timed, 1), {});
  CHECK(summary.untimed().empty());
  CHECK(Summary(1).untimed().empty());
  // nor does the first, however early it is asked for: what was stored then would stay
  EpochRow first = epochOf(0, 9'000'000'000, 2, {});
  CHECK(summarise(std::span(&first, 1), {}, {}, 1).at("epoch_seconds") == Approx(9));
  first.filling = true;
  CHECK(summarise(std::span(&first, 1), {}, {}, 1).count("epoch_seconds") == 0);
}

TEST_CASE("the best epoch is the first with the highest validation score", "[record]") {
  std::vector<EpochRow> epochs = {epochOf(0, 1, 3, 0.25), epochOf(1, 1, 2, 0.75), epochOf(2, 1, 1, 0.75),
                                  epochOf(3, 1, 1, {})};
  epochs[1].test = 0.5, epochs[2].test = 0.625;
  const auto metrics = summarise(epochs, {}, {}, 1);
  CHECK(metrics.at("best_valid") == 0.75);
  CHECK(metrics.at("best_epoch") == 1);
  CHECK(metrics.at("test_at_best_valid") == 0.5);
  CHECK(metrics.at("valid") == 0.75);
  CHECK(metrics.at("test") == 0.625);
  CHECK(metrics.count("train") == 0);
}

TEST_CASE("volumes are means over the epochs covered and shares are of wall time times workers", "[record]") {
  const EpochRow epochs[] = {epochOf(0, 100, 1, {}), epochOf(1, 100, 1, {}), epochOf(2, 300, 1, {})};
  // the last two epochs only, two workers: 2 · 400 ns
  const LayerRow layers[] = {layerOf(1, 0, 60, 20, 1000, 30), layerOf(1, 1, 40, 0, 500, 10),
                             layerOf(2, 0, 200, 60, 1000, 30), layerOf(2, 1, 100, 0, 500, 10)};
  const auto metrics = summarise(epochs, layers, {}, 2);
  CHECK(metrics.at("bytes_per_epoch") == 1500);
  CHECK(metrics.at("predicted_bytes_per_epoch") == 1502);
  CHECK(metrics.at("messages_per_epoch") == 4);
  CHECK(metrics.at("predicted_messages_per_epoch") == 6);
  CHECK(metrics.at("compute_share") == Approx(0.5));
  CHECK(metrics.at("exchange_wait_share") == Approx(0.1));
  CHECK(metrics.at("rest_share") == Approx(0.4));
  CHECK_FALSE(metrics.contains("idle_share"));  // what else was done is known of spans alone
  CHECK(metrics.at("balance") == Approx(1.5));
  CHECK(metrics.at("max_flop_per_epoch") == 30);
}

TEST_CASE("volume in layers leaves out what belongs to none, and knows the largest worker", "[record]") {
  const EpochRow epochs[] = {epochOf(0, 100, 1, {}), epochOf(1, 100, 1, {})};
  std::vector<LayerRow> layers;
  for (std::int64_t epoch = 0; epoch < 2; ++epoch)
    for (const std::int64_t layer : {-1, 0, 1})
      for (std::int64_t rank = 0; rank < 3; ++rank) {
        layers.push_back(layerOf(epoch, rank, 1, 1, layer < 0 ? 5000 : 100 * (rank + 1), 1));
        layers.back().layer = layer;
        layers.back().messages = layer < 0 ? 90 : 3 - rank;
      }
  const auto metrics = summarise(epochs, layers, {}, 3);
  CHECK(metrics.at("bytes_per_epoch") == 16200);
  CHECK(metrics.at("layer_bytes_per_epoch") == 1200);
  CHECK(metrics.at("max_layer_bytes_per_epoch") == 600);
  CHECK(metrics.at("layer_messages_per_epoch") == 12);
  CHECK(metrics.at("max_layer_messages_per_epoch") == 6);
  CHECK(metrics.count("staleness_features") == 0);
}

TEST_CASE("staleness is the mean of layers from 1 on over the last five epochs measured", "[record]") {
  std::vector<EpochRow> epochs;
  std::vector<LayerRow> layers;
  for (std::int64_t epoch = 0; epoch < 70; ++epoch) {
    epochs.push_back(epochOf(epoch, 100, 1, {}));
    for (const Pass pass : {Pass::forward, Pass::backward})
      for (const std::int64_t layer : {0, 1, 2}) {
        layers.push_back(layerOf(epoch, 0, 1, 1, 1, 1));
        layers.back().layer = layer;
        layers.back().pass = pass;
        if (epoch % 10 == 0)
          layers.back().stalenessRelative =
              layer == 0 ? 99 : static_cast<double>(epoch + layer) * (pass == Pass::forward ? 1 : 2);
      }
  }
  const auto metrics = summarise(epochs, layers, {}, 1);
  CHECK(metrics.at("staleness_features") == Approx(40 + 1.5));
  CHECK(metrics.at("staleness_gradients") == Approx(2 * (40 + 1.5)));
}

TEST_CASE("memory is the largest worker's, features and drops are everybody's", "[record]") {
  WorkerRow a, b;
  a.peakRssBytes = 5, b.peakRssBytes = 7, a.featureBytes = 2, b.featureBytes = 3, a.droppedSpans = 1;
  const WorkerRow workers[] = {a, b};
  const auto metrics = summarise({}, {}, workers, 2);
  CHECK(metrics.at("peak_rss_bytes") == 7);
  CHECK(metrics.at("feature_bytes") == 5);
  CHECK(metrics.at("dropped_spans") == 1);
}

TEST_CASE("figures kept up epoch by epoch are those of all rows at once", "[record]") {
  std::vector<EpochRow> epochs;
  std::vector<LayerRow> layers;
  Summary running(2);
  std::vector<std::int64_t> walls;
  for (std::int64_t e = 0; e < 60; ++e) {
    const std::int64_t wall = 1'000 + (e * 7919) % 613;  // in no order
    epochs.push_back(epochOf(e, wall, 1, {}));
    layers.push_back(layerOf(e, e % 2, wall / 2, wall / 5, 100 + e, 10 + e));
    running.add({&epochs.back(), 1}, {&layers.back(), 1});
    const auto metrics = running.metrics({});
    const auto expected = summarise(epochs, layers, {}, 2);
    for (const auto& [metric, value] : expected) {
      CAPTURE(e, metric);
      CHECK(metrics.at(metric) == Approx(value));
    }
    if (e == 0) continue;
    walls.push_back(wall);
    std::ranges::sort(walls);
    const double median = static_cast<double>(walls[walls.size() / 2] + walls[(walls.size() - 1) / 2]) / 2;
    CHECK(metrics.at("epoch_seconds") == Approx(median * 1e-9));
  }
}

TEST_CASE("a score that was measured and is no number is the last, and never the best", "[record]") {
  const double nan = std::nan("");
  const EpochRow rows[] = {epochOf(0, 1, 2, nan), epochOf(1, 1, 2, 0.5), epochOf(2, 1, 2, nan),
                           epochOf(3, 1, 2, {})};
  const auto metrics = summarise(rows, {}, {}, 1);
  CHECK(std::isnan(metrics.at("valid")));
  CHECK(metrics.at("best_valid") == 0.5);
  CHECK(metrics.at("best_epoch") == 1);
  const auto never = summarise(std::span(rows, 1), {}, {}, 1);
  CHECK(std::isnan(never.at("best_valid")));
  CHECK(never.count("best_epoch") == 0);
  CHECK(never.count("test") == 0);
  CHECK(never.count("test_at_best_valid") == 0);
  EpochRow tested = rows[0];
  tested.test = nan;  // as of every score where outputs are no numbers
  CHECK(std::isnan(summarise(std::span(&tested, 1), {}, {}, 1).at("test_at_best_valid")));
}
