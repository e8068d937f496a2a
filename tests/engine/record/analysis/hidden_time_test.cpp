#include "engine/record/analysis/hidden_time.h"

#include <catch2/catch.hpp>

#include "engine/record/analysis/breakdown.h"

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
Span compute(std::int64_t begin, std::int64_t end) { return spanOf(Lane::main, Kind::compute, begin, end); }
Span wait(std::int64_t begin, std::int64_t end) {
  return spanOf(Lane::main, Kind::communication, begin, end);
}

}  // namespace

TEST_CASE("hidden time is what a breakdown of the epoch calls hidden", "[hidden]") {
  const std::vector<Span> spans = {transfer(10, 50), transfer(30, 70), wait(40, 60),
                                   transfer(80, 95), compute(0, 40),   compute(65, 85)};
  HiddenTime hidden(0);
  hidden.add(spans, 0, 90, true);
  const std::int64_t total = hidden.totalNs();
  CHECK(total == 30 + 5 + 5);
  CHECK(total == breakdown(spans, 0, 90).hiddenNs);
  CHECK(hidden.transferNs() == 60 + 10);  // once, however many are under way
}

TEST_CASE("other time is what a breakdown of the timed epochs calls other", "[hidden]") {
  const std::vector<Span> spans = {compute(0, 40), spanOf(Lane::main, Kind::other, 40, 55), wait(60, 80),
                                   spanOf(Lane::main, Kind::other, 85, 200),
                                   spanOf(Lane::phase, Kind::other, 0, 90)};
  HiddenTime hidden(0);
  hidden.add(spans, 0, 90, true);
  CHECK(hidden.otherNs() == 15 + 5);
  CHECK(hidden.otherNs() == breakdown(spans, 0, 90).otherNs);
  hidden.add(spans, 0, 90, false);
  CHECK(hidden.otherNs() == 20);
}

TEST_CASE("nothing is hidden while a rank sums weights, quantises, idles or waits", "[hidden]") {
  const std::vector<Span> spans = {transfer(0, 100),
                                   wait(10, 30),
                                   spanOf(Lane::main, Kind::synchronise, 30, 60),
                                   spanOf(Lane::main, Kind::quantise, 60, 70),
                                   spanOf(Lane::main, Kind::other, 70, 80),
                                   compute(80, 90)};
  HiddenTime hidden(0);
  hidden.add(spans, 0, 100, true);
  CHECK(hidden.totalNs() == 10);
  CHECK(breakdown(spans, 0, 100).hiddenNs == 10);
}

TEST_CASE("a transfer that is noted epochs after it was posted counts in the epochs that it travelled in",
          "[hidden]") {
  HiddenTime hidden(1);
  const Span before[] = {compute(0, 90)};
  hidden.add(before, 0, 100, true);
  const Span noted[] = {transfer(20, 130), wait(120, 130), compute(105, 120)};
  hidden.add(noted, 110, 200, true);
  CHECK(hidden.totalNs() == 70 + 10);  // not the time between the epochs, nor the wait
  CHECK(hidden.transferNs() == 80 + 20);
}

TEST_CASE("an epoch that fills the pipeline hides nothing, and its messages are hidden in the next",
          "[hidden]") {
  HiddenTime hidden(1);
  const Span filling[] = {compute(0, 100)};
  hidden.add(filling, 0, 100, false);
  const Span noted[] = {transfer(20, 130), compute(100, 150)};
  hidden.add(noted, 100, 200, true);
  CHECK(hidden.totalNs() == 30);
  CHECK(hidden.transferNs() == 30);
}

TEST_CASE("a transfer that came after the last epoch travelled in the epochs before", "[hidden]") {
  HiddenTime hidden(2);
  const Span computing[] = {compute(0, 90), compute(100, 150)};
  hidden.add(std::span(computing).first(1), 0, 100, true);
  hidden.add(std::span(computing).last(1), 100, 200, true);
  const Span late[] = {transfer(80, 250), compute(200, 250)};
  hidden.addLate(late);
  CHECK(hidden.totalNs() == 10 + 50);  // what is computed after the epochs is nobody's
  CHECK(hidden.transferNs() == 20 + 100);
}
