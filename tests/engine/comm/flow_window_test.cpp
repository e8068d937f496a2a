#include "engine/comm/flow_window.h"

#include <catch2/catch.hpp>
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
  CHECK(most <= 2 * (2'500'000 + FlowWindow::kChunk) + FlowWindow::kChunk);
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
