#include "engine/comm/communicator/flow_window.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <deque>

using namespace halo;

namespace {

/// A wire of `bytesPerNs` with a round trip of `roundTripNs`, kept busy for `chunks` chunks; the most that
/// was in flight.
std::int64_t keepBusy(FlowWindow& window, double bytesPerNs, double roundTripNs, int chunks,
                      std::int64_t chunk = FlowWindow::kChunk) {
  struct OnWire {
    FlowWindow::Sent sent;
    double acknowledgedNs;
  };
  std::deque<OnWire> wire;
  double now = 0, free = 0;
  std::int64_t most = 0;
  for (int sent = 0; sent < chunks || !wire.empty();) {
    while (sent < chunks && window.allows(chunk)) {
      free = std::max(now, free) + static_cast<double>(chunk) / bytesPerNs;
      wire.push_back({window.sent(chunk, static_cast<std::int64_t>(now)), free + roundTripNs});
      ++sent;
    }
    most = std::max(most, window.inFlight());
    now = wire.front().acknowledgedNs;
    window.acknowledge(wire.front().sent, static_cast<std::int64_t>(now));
    wire.pop_front();
  }
  return most;
}

/// Two hosts that send to each other without end. Each direction carries what it was given in its order, so
/// that acknowledgements queue behind chunks. A host acknowledges at its next turn what has arrived. Host 1
/// begins later, so that it never saw the wire idle.
class TwoWays {
 public:
  TwoWays(double bytesPerNs, double latencyNs) : bytesPerNs_(bytesPerNs), latencyNs_(latencyNs) {}

  /// The parts of the wire's rate at which the hosts sent, from `fromNs` to `toNs`.
  std::array<double, 2> shares(double fromNs, double toNs) {
    std::array<std::int64_t, 2> bytes{};
    for (double now = 0; now < toNs;) {
      for (std::size_t host = 0; host < 2; ++host)
        while (now >= kLater * static_cast<double>(host) && windows_[host].allows(FlowWindow::kChunk)) {
          const auto sent = windows_[host].sent(FlowWindow::kChunk, static_cast<std::int64_t>(now));
          put(host, now, {.sent = sent, .isChunk = true});
        }
      const auto from = nextFrom();
      const Item item = wires_[from].front();
      wires_[from].pop_front();
      now = item.arrivesNs;
      if (!item.isChunk) {
        const double tripNs = windows_[1 - from].acknowledge(item.sent, static_cast<std::int64_t>(now));
        shortestNs_ = std::min(shortestNs_, tripNs);
        windows_[1 - from].hear(item.wire);
        continue;
      }
      if (now >= fromNs) bytes[from] += item.sent.bytes;
      put(1 - from, std::ceil(now / kTurnNs) * kTurnNs,
          {.sent = item.sent, .wire = {shortestNs_, windows_[1 - from].bytesPerNs()}});
    }
    const double all = bytesPerNs_ * (toNs - fromNs);
    return {static_cast<double>(bytes[0]) / all, static_cast<double>(bytes[1]) / all};
  }

  /// With windows alike: a chunk returns behind at most a window of the other's.
  double leastShare() const {
    const auto window = static_cast<double>(windows_[0].limit());
    return window / (window + bytesPerNs_ * (shortestNs_ + kTurnNs));
  }

 private:
  static constexpr double kLater = 3e6, kTurnNs = 100e3;
  struct Item {
    FlowWindow::Sent sent;
    bool isChunk = false;
    FlowWindow::Wire wire = {};
    double arrivesNs = 0;
  };
  void put(std::size_t from, double now, Item item) {
    const double bytes = item.isChunk ? static_cast<double>(item.sent.bytes) : 100;
    free_[from] = std::max(now, free_[from]) + bytes / bytesPerNs_;
    item.arrivesNs = free_[from] + latencyNs_;
    wires_[from].push_back(item);
  }
  std::size_t nextFrom() const {
    if (wires_[0].empty() || wires_[1].empty()) return wires_[0].empty() ? 1 : 0;
    return wires_[0].front().arrivesNs <= wires_[1].front().arrivesNs ? 0 : 1;
  }

  double bytesPerNs_, latencyNs_;
  std::array<FlowWindow, 2> windows_;
  double shortestNs_ = FlowWindow::Wire{}.shortestNs;  // as both know it
  std::array<std::deque<Item>, 2> wires_;
  std::array<double, 2> free_{};
};

}  // namespace

TEST_CASE("a window begins with a few chunks and lets one pass however long", "[comm]") {
  FlowWindow window;
  CHECK(window.limit() == FlowWindow::kLeast);
  CHECK(window.allows(FlowWindow::kMost + 1));
  const auto sent = window.sent(FlowWindow::kMost + 1, 0);
  CHECK_FALSE(window.allows(0 + 1));
  window.acknowledge(sent, 1);
  CHECK(window.inFlight() == 0);
}

TEST_CASE("a window stays small on a slow wire however long it is busy", "[comm]") {
  FlowWindow window;  // 1 Gbit/s, 0.2 ms: a chunk takes 0.52 ms, so that two of its times carry 178 KB
  CHECK(keepBusy(window, 0.125, 200e3, 10'000) == FlowWindow::kLeast);
  CHECK(window.inFlight() == 0);
}

TEST_CASE("a window grows to what a fast wire takes, and no further", "[comm]") {
  FlowWindow window;  // 100 Gbit/s, 0.2 ms: 2.5 MB on the way
  const std::int64_t most = keepBusy(window, 12.5, 200e3, 100'000);
  CHECK(most >= 2'500'000);
  CHECK(most <= 3 * (2'500'000 + FlowWindow::kChunk) + FlowWindow::kChunk);
}

TEST_CASE("a window shrinks when the wire becomes slow", "[comm]") {
  FlowWindow window;
  keepBusy(window, 12.5, 200e3, 100'000);
  REQUIRE(window.limit() > 2'500'000);
  keepBusy(window, 0.0125, 200e3, 1'000);
  CHECK(window.limit() == FlowWindow::kLeast);
}

TEST_CASE("a window is bounded on any wire", "[comm]") {
  FlowWindow window;
  CHECK(keepBusy(window, 1e3, 10e6, 10'000) <= FlowWindow::kMost);
}

TEST_CASE("small messages teach a window no short times", "[comm]") {
  FlowWindow window;
  keepBusy(window, 12.5, 1e3, 1'000, 100);
  CHECK(window.limit() == FlowWindow::kLeast);
}

TEST_CASE("hosts that send to each other both keep their wire busy", "[comm]") {
  const double bytesPerNs = GENERATE(0.0125, 0.05, 0.125, 1.25);
  const double latencyNs = GENERATE(50e3, 1e6);
  CAPTURE(bytesPerNs, latencyNs);
  TwoWays wire(bytesPerNs, latencyNs);
  const auto [first, second] = wire.shares(1e9, 3e9);
  CHECK(std::abs(first - second) < 0.02);
  CHECK(std::min(first, second) >= wire.leastShare());
  CHECK(wire.leastShare() >= 0.6);  // the least window at 10 Gbit/s, where a turn holds most
}
