#include "engine/record/hidden_time.h"

#include <catch2/catch.hpp>

#include "engine/record/breakdown.h"

using namespace halo;

namespace {

Span spanOf(Lane lane, Kind kind, std::int64_t begin, std::int64_t end) {
  Span span;
  span.beginNs = begin;
  span.durationNs = end - begin;
  span.lane = lane;
  span.kind = kind;
  return span;
}
Span transfer(std::int64_t begin, std::int64_t end) {
  return spanOf(Lane::link, Kind::communication, begin, end);
}
Span wait(std::int64_t begin, std::int64_t end) {
  return spanOf(Lane::main, Kind::communication, begin, end);
}

}  // namespace

TEST_CASE("hidden time is what a breakdown of the epoch calls hidden", "[hidden]") {
  const std::vector<Span> spans = {transfer(10, 50), transfer(30, 70), wait(40, 60), transfer(80, 95),
                                   spanOf(Lane::main, Kind::compute, 0, 40)};
  HiddenTime hidden(0);
  hidden.add(spans, 0, 90);
  const std::int64_t total = hidden.totalNs();
  CHECK(total == 30 + 10 + 10);
  CHECK(total == breakdown(spans, 0, 90).hiddenNs);
}

TEST_CASE("a transfer that is noted epochs after it was posted counts in the epochs that it travelled in",
          "[hidden]") {
  HiddenTime hidden(1);
  const Span first = transfer(20, 130), waited = wait(120, 130);
  hidden.add({}, 0, 100);
  const Span noted[] = {first, waited};
  hidden.add(noted, 110, 200);
  CHECK(hidden.totalNs() == 80 + 10);  // not the time between the epochs, nor the wait
}
