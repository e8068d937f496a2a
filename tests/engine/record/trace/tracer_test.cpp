#include "engine/record/trace/tracer.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

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

TEST_CASE("the latest spans are on the run's clock, with the wait that goes on", "[record]") {
  Tracer tracer(8);
  for (int i = 0; i < 5; ++i) tracer.add(Kind::compute, Name::update, Lane::main, 10 * i, 10 * i + 5);
  CHECK(tracer.latest(3, 100).empty());  // they are not recorded
  tracer.recordsFrom(1000);
  REQUIRE(tracer.latest(3, 100).size() == 3);
  CHECK(tracer.latest(3, 100)[0] ==
        Span{1020, 5, 0, -1, -1, -1, Name::update, Kind::compute, Lane::main, Pass::none});
  CHECK(tracer.latest(99, 100).size() == 5);
  tracer.setEpoch(4);
  tracer.setLayer(1, Pass::forward);
  {
    const Waiting waiting(tracer.whereabouts(), 60, "exchanging rows", Awaited::only(2));
    REQUIRE(tracer.latest(1, 100).size() == 2);
    CHECK(tracer.latest(1, 100)[1] ==
          Span{1060, 40, 0, 4, 2, 1, Name::wait, Kind::communication, Lane::main, Pass::forward});
  }
  tracer.clear();
  CHECK(tracer.latest(3, 100).empty());
}

TEST_CASE("spans that another thread asks for are whole, and follow each other", "[record]") {
  constexpr int kSpans = 64, kEpochs = 20'000;
  Tracer tracer(kSpans);
  tracer.recordsFrom(0);
  std::atomic<bool> done = false;
  std::int64_t broken = 0;
  std::thread reader([&] {
    while (!done) {
      const std::vector<Span> spans = tracer.latest(kSpans / 2, 0);
      broken += spans.size() > kSpans / 2;
      for (std::size_t i = 0; i < spans.size(); ++i)
        broken +=
            spans[i].bytes != spans[i].beginNs || (i > 0 && spans[i].beginNs != spans[i - 1].beginNs + 1);
    }
  });
  for (std::int64_t epoch = 0, ns = 0; epoch < kEpochs; ++epoch) {
    for (int i = 0; i < kSpans; ++i, ++ns)
      tracer.add(Kind::compute, Name::update, Lane::main, ns, ns + 1, -1, ns);
    tracer.clear();
  }
  done = true;
  reader.join();
  CHECK(broken == 0);
}
