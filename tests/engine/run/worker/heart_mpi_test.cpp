#include "engine/run/worker/heart.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("words of a rank tell what it does, for how long it waits and for whom", "[run]") {
  constexpr std::int64_t kSecond = 1'000'000'000;
  Whereabouts::Seen state;
  CHECK(words(state, 50 * kSecond) == "works (before the first epoch)");
  state.epoch = 12;
  CHECK(words(state, 50 * kSecond) == "works (epoch 12)");
  state.layer = 1;
  state.pass = Pass::backward;
  CHECK(words(state, 50 * kSecond) == "works in layer 1 backward (epoch 12)");
  state.pass = Pass::forward;
  state.waitsSinceNs = 13 * kSecond;
  state.awaited = Awaited::only(0);
  CHECK(words(state, 50 * kSecond) == "waits 37 s in layer 1 forward for rank 0 (epoch 12)");
  state.awaited.add(2);
  CHECK(words(state, 14 * kSecond) == "waits 1.0 s in layer 1 forward for ranks 0 and 2 (epoch 12)");
  for (const int rank : {3, 4, 5}) state.awaited.add(rank);
  CHECK(words(state, 14 * kSecond) ==
        "waits 1.0 s in layer 1 forward for ranks 0, 2, 3, 4 and 1 more (epoch 12)");
  state.layer = -1;
  state.awaited = {};
  state.doing = "summing gradients";
  CHECK(words(state, 12 * kSecond) == "waits 0.0 s, summing gradients, for the other ranks (epoch 12)");
}
