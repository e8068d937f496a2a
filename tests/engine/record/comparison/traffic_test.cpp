#include "engine/record/comparison/traffic.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

MessageRow message(std::int64_t epoch, std::int64_t layer, std::int64_t source, std::int64_t target,
                   std::int64_t bytes) {
  MessageRow row;
  row.epoch = epoch, row.layer = layer, row.pass = Pass::forward, row.source = source, row.target = target;
  row.messages = 2, row.bytes = bytes, row.predictedBytes = bytes - 1;
  return row;
}

LayerRow counter(std::int64_t epoch, std::int64_t rank, std::int64_t bytes) {
  LayerRow row;
  row.epoch = epoch, row.rank = rank, row.bytesSent = bytes, row.messages = 4;
  return row;
}

std::vector<EpochRow> epochs(std::initializer_list<std::int64_t> numbers) {
  std::vector<EpochRow> all;
  for (const std::int64_t number : numbers) all.emplace_back().epoch = number;
  return all;
}

}  // namespace

TEST_CASE("traffic is the mean of an epoch in scope, and its total what was counted", "[comparison]") {
  const std::vector<MessageRow> messages = {message(0, 0, 0, 1, 999), message(1, 0, 0, 1, 10),
                                            message(1, 1, 1, 0, 30), message(2, 0, 0, 1, 20),
                                            message(2, 0, 0, -1, 8)};
  const std::vector<LayerRow> layers = {counter(0, 0, 999), counter(1, 0, 10), counter(1, 1, 30),
                                        counter(2, 0, 28)};
  const RunTraffic run = trafficOf(2, epochs({1, 2}), messages, layers);
  const Traffic traffic = meanTraffic(std::vector{run});
  CHECK(totalOf(traffic).bytes == 34);
  CHECK(totalOf(traffic).bytes == traffic.counted.bytes);
  CHECK(totalOf(traffic).predictedBytes == 32);
  CHECK(byLayer(traffic).at({0, Pass::forward}).bytes == 19);
  CHECK(byLayer(traffic).at({1, Pass::forward}).messages == 1);
  // a collective has a column of its own
  CHECK(matrixOf(traffic) == std::vector<double>{0, 15, 4, 15, 0, 0});
}

TEST_CASE("traffic of several runs is the mean of their means", "[comparison]") {
  const RunTraffic first = trafficOf(2, epochs({1}), std::vector{message(1, 0, 0, 1, 10)}, {});
  const RunTraffic other =
      trafficOf(2, epochs({1, 2}), std::vector{message(1, 0, 0, 1, 30), message(2, 0, 0, 1, 50)}, {});
  CHECK(totalOf(meanTraffic(std::vector{first, other})).bytes == 25);
  CHECK(meanTraffic(std::vector<RunTraffic>{}).ranks == 0);
}

TEST_CASE("traffic of a layer, pass and epoch is what its rows say, and its counters", "[comparison]") {
  std::vector<MessageRow> messages = {message(1, 0, 0, 1, 10), message(1, 1, 1, 0, 30),
                                      message(2, 0, 0, 1, 20), message(2, 0, 0, -1, 8)};
  messages[1].pass = Pass::backward;
  std::vector<LayerRow> layers = {counter(1, 0, 10), counter(1, 1, 30), counter(2, 0, 28)};
  for (LayerRow& row : layers) row.layer = 0, row.pass = Pass::forward;
  layers[1].layer = 1, layers[1].pass = Pass::backward;
  const Traffic traffic = meanTraffic(std::vector{trafficOf(2, epochs({1, 2}), messages, layers)});
  const auto check = [&](const TrafficChoice& choice, double bytes) {
    const Traffic part = chosenOf(traffic, choice);
    CHECK(totalOf(part).bytes == bytes);
    CHECK(part.counted.bytes == bytes);
    CHECK(part.ranks == 2);
  };
  check({}, 34);
  check({.layer = 0}, 19);  // means of two epochs
  check({.layer = 1}, 15);
  check({.pass = Pass::backward}, 15);
  check({.layer = 0, .pass = Pass::backward}, 0);
  check({.epoch = 1}, 40);
  check({.epoch = 2}, 28);
  check({.layer = 1, .epoch = 1}, 30);
  CHECK(matrixOf(chosenOf(traffic, {.epoch = 2})) == std::vector<double>{0, 20, 8, 0, 0, 0});
  CHECK(chosenOf(traffic, {.epoch = 3}).ranks == 0);  // it is not in scope
}

TEST_CASE("an epoch's traffic of several runs is of those that have it in scope", "[comparison]") {
  const RunTraffic first = trafficOf(2, epochs({1}), std::vector{message(1, 0, 0, 1, 10)}, {});
  const RunTraffic other =
      trafficOf(2, epochs({1, 2}), std::vector{message(1, 0, 0, 1, 30), message(2, 0, 0, 1, 50)}, {});
  const Traffic traffic = meanTraffic(std::vector{first, other});
  CHECK(totalOf(chosenOf(traffic, {.epoch = 1})).bytes == 20);
  CHECK(totalOf(chosenOf(traffic, {.epoch = 2})).bytes == 50);
}
