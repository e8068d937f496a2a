#include "engine/record/trace/tracer.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("a span carries the epoch, layer and pass of its time", "[record]") {
  Tracer tracer(4);
  tracer.setEpoch(3);
  tracer.setLayer(1, Pass::backward);
  tracer.add(Kind::communication, Name::receive, Lane::link, 10, 25, /*peer=*/2, /*bytes=*/64);
  REQUIRE(tracer.spans().size() == 1);
  CHECK(tracer.spans()[0] ==
        Span{10, 15, 64, 3, 2, 1, Name::receive, Kind::communication, Lane::link, Pass::backward});
}

TEST_CASE("a full ring neither moves nor grows, and counts what it drops", "[record]") {
  Tracer tracer(3);
  const Span* ring = tracer.spans().data();
  for (int i = 0; i < 5; ++i) tracer.add(Kind::compute, Name::update, Lane::main, i, i + 1);
  CHECK(tracer.spans().size() == 3);
  CHECK(tracer.spans().data() == ring);
  CHECK(tracer.dropped() == 2);
  tracer.clear();
  tracer.add(Kind::compute, Name::update, Lane::main, 7, 8);
  CHECK(tracer.spans().size() == 1);
  CHECK(tracer.spans().data() == ring);
  CHECK(tracer.dropped() == 2);  // what was lost stays lost
}

TEST_CASE("a tracer that is switched off notes nothing and drops nothing", "[record]") {
  Tracer tracer(1);
  tracer.setEnabled(false);
  { const Timed timed(tracer, Kind::other, Name::load); }
  CHECK(tracer.spans().empty());
  CHECK(tracer.dropped() == 0);
  tracer.setEnabled(true);
  { const Timed timed(tracer, Kind::other, Name::load); }
  REQUIRE(tracer.spans().size() == 1);
  CHECK(tracer.spans()[0].durationNs >= 0);
  CHECK(tracer.spans()[0].lane == Lane::main);
}

TEST_CASE("CPU time burnt while waiting is not computed time", "[record]") {
  Tracer tracer(1);
  const auto burn = [] {
    for (const std::int64_t until = threadCpuNs() + 2'000'000; threadCpuNs() < until;) continue;
  };
  const std::int64_t begin = tracer.computeCpuNs();
  burn();
  const std::int64_t computed = tracer.computeCpuNs();
  CHECK(computed - begin >= 2'000'000);
  {
    const Aside polling(tracer);
    burn();
  }
  const std::int64_t after = tracer.computeCpuNs();
  CHECK(after >= computed);
  CHECK(after <= threadCpuNs() - 2'000'000);
}
