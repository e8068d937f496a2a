#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "engine/base/philox.h"
#include "simulator/network/omega_network.h"

using namespace halo;
using namespace halo::sim;

namespace {

std::vector<Packet> randomPackets(std::int64_t count, std::int64_t outputs, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 23);
  std::vector<Packet> packets;
  for (std::int64_t i = 0; i < count; ++i)
    packets.push_back({static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(outputs))), i});
  return packets;
}

const TakePacket kAlways = [](const Packet&, std::int64_t) { return true; };

}  // namespace

TEST_CASE("a shifted order passes an Omega network without conflicts", "[simulator]") {
  const auto lines = GENERATE(1, 2, 8, 64);
  const auto shift = GENERATE(0, 1, 5);
  constexpr std::int64_t kRounds = 9;
  std::vector<Packet> packets;
  for (std::int64_t r = 0; r < kRounds; ++r)
    for (std::int64_t i = 0; i < lines; ++i) packets.push_back({(i + shift) % lines, i});
  std::int64_t stages = 0;
  while ((std::int64_t{1} << stages) < lines) ++stages;
  CAPTURE(lines, shift);
  // in, through the stages, out: then one a line and cycle
  CHECK(omegaCycles(packets, lines, lines, 2, kAlways) == kRounds + stages + 1);
}

TEST_CASE("packets for one output leave one after the other", "[simulator]") {
  const std::vector<Packet> packets(100, Packet{3, 0});
  CHECK(omegaCycles(packets, 16, 16, 4, kAlways) == 100 + 5);
  CHECK(omegaCycles({}, 16, 16, 4, kAlways) == 0);
}

TEST_CASE("every packet leaves once, at its output", "[simulator]") {
  const auto depth = GENERATE(1, 4);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto packets = randomPackets(700, 11, seed);  // outputs that nobody wants are there too
    std::map<std::int64_t, std::int64_t> outputs;
    std::map<std::pair<std::int64_t, std::int64_t>, int> atOnce;
    const auto take = [&](const Packet& packet, std::int64_t cycle) {
      if ((cycle + packet.output) % 3 == 0) return false;  // outputs that are busy now and then
      outputs[packet.tag] = packet.output;
      ++atOnce[{cycle, packet.output}];
      return true;
    };
    const std::int64_t cycles = omegaCycles(packets, 16, 13, depth, take);
    CHECK(outputs.size() == packets.size());
    for (const Packet& packet : packets) CHECK(outputs[packet.tag] == packet.output);
    for (const auto& [when, count] : atOnce) CHECK(count == 1);
    CHECK(cycles >= (700 + 12) / 13);
  }
}

TEST_CASE("conflicts cost more in shallow queues, and nothing without a network", "[simulator]") {
  const auto packets = randomPackets(20'000, 64, 1);
  const std::int64_t shallow = omegaCycles(packets, 64, 64, 1, kAlways);
  const std::int64_t deep = omegaCycles(packets, 64, 64, 16, kAlways);
  CHECK(deep < shallow);
  CHECK(deep > 20'000 / 64);
  CHECK(directCycles(packets, 64, kAlways) == (20'000 + 63) / 64);
}
