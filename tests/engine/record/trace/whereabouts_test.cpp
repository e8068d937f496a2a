#include "engine/record/trace/whereabouts.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <thread>

#include "engine/record/trace/tracer.h"

using namespace halo;

TEST_CASE("a tracer's epoch and layer can be seen, and a wait while it lasts", "[record]") {
  Tracer tracer(1);
  tracer.setEpoch(12);
  tracer.setLayer(1, Pass::forward);
  const Whereabouts& whereabouts = tracer.whereabouts();
  CHECK(whereabouts.seen().epoch == 12);
  CHECK(whereabouts.seen().layer == 1);
  CHECK(whereabouts.seen().pass == Pass::forward);
  CHECK(whereabouts.seen().waitsSinceNs == 0);
  {
    const Waiting waiting(tracer.whereabouts(), 77, "exchanging rows", Awaited::only(3));
    CHECK(whereabouts.seen().waitsSinceNs == 77);
    CHECK(whereabouts.seen().doing == std::string("exchanging rows"));
    CHECK(whereabouts.seen().awaited.count == 1);
    CHECK(whereabouts.seen().awaited.ranks[0] == 3);
  }
  CHECK(whereabouts.seen().waitsSinceNs == 0);
}

TEST_CASE("each awaited rank counts once, the first few by their numbers", "[record]") {
  Awaited awaited;
  for (const int rank : {5, 2, 5, 7, 2, 9}) awaited.add(rank);
  CHECK(awaited.count == 4);
  CHECK(awaited.ranks == std::array<std::int32_t, 4>{5, 2, 7, 9});
  awaited.add(11);
  CHECK(awaited.count == 5);
  CHECK(awaited.ranks == std::array<std::int32_t, 4>{5, 2, 7, 9});
}

TEST_CASE("a wait that changes while it is read is read whole", "[record]") {
  Whereabouts whereabouts;
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 1; i <= 200'000; ++i) {
      Awaited awaited;
      for (int rank = 0; rank < Awaited::kNamed; ++rank) awaited.add(10 * i + rank);
      whereabouts.beginWait(i, "", awaited);
    }
    done = true;
  });
  int torn = 0;
  while (!done) {
    const Whereabouts::Seen state = whereabouts.seen();
    if (state.waitsSinceNs == 0) continue;
    for (int rank = 0; rank < Awaited::kNamed; ++rank)
      torn += state.awaited.ranks[at(rank)] != 10 * state.waitsSinceNs + rank ? 1 : 0;
  }
  writer.join();
  CHECK(torn == 0);
}
