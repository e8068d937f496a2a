#include "engine/record/analysis/card_load.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

using Cards = std::vector<std::size_t>;

std::vector<WorkerRow> on(const std::vector<std::string>& hosts) {
  std::vector<WorkerRow> workers;
  for (const std::string& host : hosts) {
    workers.emplace_back();
    workers.back().rank = static_cast<std::int64_t>(workers.size()) - 1;
    workers.back().host = host;
  }
  return workers;
}

MessageRow message(std::int64_t epoch, std::int64_t source, std::int64_t target, std::int64_t bytes) {
  MessageRow row;
  row.epoch = epoch, row.source = source, row.target = target, row.bytes = bytes, row.messages = 1;
  return row;
}

}  // namespace

TEST_CASE("ranks share the card of their host, or of the emulated link", "[record]") {
  const auto hosts = on({"a", "a", "a", "a"});
  CHECK(cardsOfRanks({}, on({"a", "b", "a"})) == Cards{0, 1, 0});
  CHECK(cardsOfRanks({}, hosts).empty());
  CHECK(cardsOfRanks({}, {}).empty());
  std::map<std::string, std::string> link = {{"cluster.link.bandwidth_gbit", "0.4"}};
  CHECK(cardsOfRanks(link, hosts) == Cards{0, 1, 2, 3});
  link["cluster.link.ranks_per_host"] = "2";
  CHECK(cardsOfRanks(link, hosts) == Cards{0, 0, 1, 1});
  link["cluster.link.ranks_per_host"] = "4";
  CHECK(cardsOfRanks(link, hosts).empty());
  link["cluster.link.ranks_per_host"] = "many";
  CHECK(cardsOfRanks(link, hosts).empty());
}

TEST_CASE("a card carries what its ranks send to other hosts together, and a sum once", "[record]") {
  const Cards cards = {0, 0, 1};
  const MessageRow rows[] = {message(0, 0, 1, 1000), message(0, 0, 2, 10), message(0, 1, 2, 20),
                             message(0, 2, 0, 5),    message(0, 0, -1, 3), message(0, 0, -1, 3),
                             message(0, 1, -1, 6),   message(0, 2, -1, 6)};
  const auto loads = cardLoads(rows, cards);
  REQUIRE(loads.size() == 2);
  CHECK(loads[0].sent.bytes == 30);
  CHECK(loads[0].sent.messages == 2);
  CHECK(loads[0].received.bytes == 5);
  CHECK(loads[0].sums.bytes == 6);
  CHECK(loads[0].sums.messages == 2);
  CHECK(loads[0].sentBytes() == 36);
  CHECK(loads[1].receivedBytes() == 36);
  CHECK(cardLoads({}, cards)[1].sentBytes() == 0);
  const MessageRow wrong[] = {message(0, 3, 0, 1), message(0, 0, 3, 1), message(0, -1, 0, 1)};
  CHECK(cardLoads(wrong, cards)[0].sentBytes() == 0);
}

TEST_CASE("the busiest card's bytes are of all epochs but the first, those without messages too",
          "[record]") {
  CHECK(BusiestCard({}).metrics().empty());
  BusiestCard busiest({0, 1});
  EpochRow epochs[5] = {};
  for (std::int64_t e = 0; e < 5; ++e) epochs[e].epoch = e;
  const MessageRow first[] = {message(0, 0, 1, 9000)};
  busiest.add(std::span(epochs, 1), first);
  CHECK(busiest.metrics().empty());
  const MessageRow rows[] = {message(1, 0, 1, 300), message(1, 1, 0, 100), message(2, 1, 0, 100)};
  busiest.add(std::span(epochs + 1, 3), rows);
  CHECK(busiest.metrics() == std::map<std::string, double>{{"wire_bytes_per_epoch", 100.0}});
  const MessageRow later[] = {message(4, 1, 0, 700)};
  busiest.add(std::span(epochs + 4, 1), later);
  CHECK(busiest.metrics().at("wire_bytes_per_epoch") == 225.0);
  EpochRow filling;
  filling.epoch = 5, filling.filling = true;
  const MessageRow least[] = {message(5, 1, 0, 1)};
  busiest.add(std::span(&filling, 1), least);
  CHECK(busiest.metrics().at("wire_bytes_per_epoch") == 225.0);
}

TEST_CASE("ranks of one card say their sums of an epoch once, in whatever order they come", "[record]") {
  BusiestCard busiest({0, 0, 1});
  EpochRow epochs[3] = {};
  for (std::int64_t e = 0; e < 3; ++e) epochs[e].epoch = e;
  const MessageRow rows[] = {message(1, 0, -1, 40), message(2, 0, -1, 40), message(1, 1, -1, 40),
                             message(2, 1, -1, 40)};
  busiest.add(epochs, rows);
  CHECK(busiest.metrics().at("wire_bytes_per_epoch") == 40.0);
}
