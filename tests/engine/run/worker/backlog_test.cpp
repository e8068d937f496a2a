#include "engine/run/worker/backlog.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>

using namespace halo;

namespace {

/// Epochs that fill, of a rank that computes for `computeNs` and sends what the link carries in `wireNs`;
/// what it sent `depth` epochs ago must be there when an epoch ends. Its own small model of a link.
int filling(std::int64_t computeNs, std::int64_t wireNs, std::size_t depth) {
  constexpr int kEpochs = 1000;
  Backlog backlog;
  std::deque<std::int64_t> arrives;
  std::int64_t now = 0, free = 0;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const std::int64_t begin = now;
    now += computeNs;
    free = std::max(free, begin) + wireNs;
    if (arrives.size() == depth) {
      now = std::max(now, arrives.front());
      arrives.pop_front();
    }
    arrives.push_back(free);
    if (!backlog.grew(std::max<std::int64_t>(free - now, 0), now - begin)) return epoch;
  }
  return kEpochs;
}

}  // namespace

TEST_CASE("epochs fill a pipeline until as many are behind as messages may travel", "[engine]") {
  // about d·R ÷ (R − C) epochs
  CHECK(filling(110, 333, 8) == 12);
  CHECK(filling(1, 1000, 1) == 1);
  CHECK(filling(1, 1000, 8) == 8);
  CHECK(filling(500, 1000, 1) == 2);
}

TEST_CASE("where computing takes longer than the wire nothing is left to later epochs", "[engine]") {
  CHECK(filling(100, 100, 8) == 0);
  CHECK(filling(1000, 100, 1) == 0);
}

TEST_CASE("what grows by less than a twentieth of an epoch is noise", "[engine]") {
  Backlog backlog;
  CHECK(backlog.grew(60, 1000));
  CHECK_FALSE(backlog.grew(110, 1000));
  CHECK(backlog.grew(161, 1000));
  CHECK_FALSE(backlog.grew(0, 1000));
}
