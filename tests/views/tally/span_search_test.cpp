#include "views/tally/span_search.h"

#include <catch2/catch.hpp>

#include "tests/views/timeline/two_ranks.h"

using namespace halo;

namespace {

void readAll(SpanSearch& search, std::size_t stretch) {
  while (search.advance(stretch)) {
  }
}

}  // namespace

TEST_CASE("a search counts every hit of every row, listed or not", "[views][timeline]") {
  TimelineModel model;
  fillTwoRanks(model);
  model.setAllCollapsed(true);
  for (const std::size_t stretch : {1UL, 7UL, 1000UL}) {
    SpanSearch search;
    const auto hits = [&](const char* text) {
      search.begin(model.everyRow(), text);
      readAll(search, stretch);
      return search.count();
    };
    CHECK(hits("aggregate") == 100);  // 50 a rank
    CHECK(hits("GREG") == 100);
    CHECK(hits("layer") == 40);  // of lanes that are folded away
    CHECK(hits("aggregate l1") == 40);
    CHECK(hits(" l1  aggregate ") == 40);
    CHECK(hits("nothing") == 0);
    CHECK(hits("  ") == 0);
    CHECK(search.empty());
  }
}

TEST_CASE("a search goes from hit to hit by begin, then by row, and round", "[views][timeline]") {
  TimelineModel model;
  fillTwoRanks(model);
  SpanSearch search;
  search.begin(model.everyRow(), "update");
  readAll(search, 64);
  const RowId first{0, Lane::main, 0}, second{1, Lane::main, 0};
  CHECK(search.next(std::nullopt, 0, 1) == SpanId{first, 1});
  CHECK(search.next(std::nullopt, 2000, 1) == SpanId{first, 1});
  CHECK(search.next(SpanId{first, 1}, 0, 1) == SpanId{second, 1});
  CHECK(search.next(SpanId{second, 1}, 0, 1) == SpanId{first, 3});
  CHECK(search.next(SpanId{first, 3}, 0, -1) == SpanId{second, 1});
  CHECK(search.next(SpanId{first, 2}, 0, -1) == SpanId{second, 1});  // from no hit
  CHECK(search.next(SpanId{second, 99}, 0, 1) == SpanId{first, 1});
  CHECK(search.next(SpanId{first, 1}, 0, -1) == SpanId{second, 99});
  CHECK(search.numberOf({first, 1}) == 1);
  CHECK(search.numberOf({second, 1}) == 2);
  CHECK(search.numberOf({second, 99}) == 100);
  CHECK(search.numberOf({first, 2}) == 0);
  CHECK(search.numberOf({{7, Lane::main, 0}, 1}) == 0);
  // every hit once, in the order of their numbers
  std::optional<SpanId> at = search.next(std::nullopt, 0, 1);
  for (std::size_t number = 1; number <= 100; ++number, at = search.next(at, 0, 1)) {
    REQUIRE(at);
    CHECK(search.numberOf(*at) == number);
  }
}

TEST_CASE("a search goes on with spans that come later", "[views][timeline]") {
  TimelineModel model;
  fillTwoRanks(model);
  SpanSearch search;
  search.begin(model.everyRow(), "update");
  readAll(search, 64);
  Span late;
  late.beginNs = 300'000;
  late.durationNs = 10;
  late.name = Name::update;
  model.append(1, Lane::main, std::vector{late});
  CHECK(search.count() == 100);
  readAll(search, 64);
  CHECK(search.count() == 101);
  CHECK(search.next(std::nullopt, 250'000, 1) == SpanId{{1, Lane::main, 0}, 100});
}
