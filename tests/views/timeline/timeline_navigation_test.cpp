#include "views/timeline/timeline_navigation.h"

#include <catch2/catch.hpp>

#include "tests/views/timeline_fixture.h"
#include "views/look/units.h"
#include "views/timeline/timeline_layout.h"
#include "views/timeline/timeline_tooltip.h"

using halo::Lane;
using halo::RowEntry;
using halo::RowPlace;
using halo::Span;
using halo::SpanRow;

namespace {

std::vector<RowEntry> someRows() {
  std::vector<RowEntry> rows;
  for (std::int64_t rank = 0; rank < 3; ++rank)
    for (const Lane lane : {Lane::main, Lane::link, Lane::phase})
      rows.push_back({{rank, lane, 0}, nullptr, lane == Lane::main});
  return rows;
}

Span spanOf(std::int64_t begin, std::int64_t duration, halo::Name name = halo::Name::aggregate) {
  Span span;
  span.beginNs = begin;
  span.durationNs = duration;
  span.name = name;
  return span;
}

}  // namespace

TEST_CASE("rows are placed one below the other and found again by their y", "[views][timeline]") {
  const auto rows = someRows();
  const int height = GENERATE(1, 4, 20);
  const std::vector<RowPlace> places = halo::placeRows(rows, height, 4);
  REQUIRE(places.size() == rows.size());
  int covered = 0;
  for (int y = -3; y < places.back().top + places.back().height + 3; ++y) {
    std::optional<std::size_t> expected;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (y >= places[i].top && y < places[i].top + places[i].height) expected = i;
    CHECK(halo::placeAt(places, y) == expected);
    covered += expected ? 1 : 0;
  }
  CHECK(places.back().top + places.back().height == covered + 2 * 4);
  for (std::size_t i = 1; i < places.size(); ++i)
    CHECK(places[i].top >= places[i - 1].top + places[i - 1].height);
}

TEST_CASE("the visible rows are those that touch the view", "[views][timeline]") {
  const std::vector<RowPlace> places = halo::placeRows(someRows(), 10, 4);
  for (int scroll = 0; scroll < 100; scroll += 7) {
    const auto visible = halo::visiblePlaces(places, scroll, 25);
    std::size_t expected = 0;
    for (const RowPlace& place : places) {
      if (place.top + place.height <= scroll || place.top >= scroll + 25) continue;
      REQUIRE(expected < visible.size());
      CHECK(visible[expected].entry == place.entry);
      CHECK(visible[expected].top == place.top - scroll);
      ++expected;
    }
    CHECK(visible.size() == expected);
  }
}

TEST_CASE("the span under a pointer is the one there, else the nearest within reach", "[views][timeline]") {
  SpanRow row;
  row.append(std::vector{spanOf(100, 50), spanOf(200, 0), spanOf(300, 100)});
  CHECK(halo::spanAt(row, 100, 0) == 0);
  CHECK(halo::spanAt(row, 149, 0) == 0);
  CHECK_FALSE(halo::spanAt(row, 170, 10));
  CHECK(halo::spanAt(row, 155, 10) == 0);
  CHECK(halo::spanAt(row, 196, 10) == 1);
  CHECK(halo::spanAt(row, 206, 10) == 1);
  CHECK(halo::spanAt(row, 295, 10) == 2);
  CHECK_FALSE(halo::spanAt(row, 500, 10));
  CHECK_FALSE(halo::spanAt(SpanRow{}, 5, 100));
}

TEST_CASE("facts of a pixel are exact", "[views][timeline]") {
  SpanRow row;
  const std::vector<Span> spans = halo::randomSpans(4000, 5);
  row.append(spans);
  std::mt19937_64 random(6);
  for (int i = 0; i < 80; ++i) {
    const std::int64_t begin = spans[random() % spans.size()].beginNs - 50;
    const halo::TimeRange range{begin, begin + (std::int64_t{1} << (random() % 34))};
    const halo::PixelFacts facts = halo::factsOf(row, range);
    CHECK(facts.ns == row.within(range.beginNs, range.endNs));
    std::size_t count = 0;
    std::int64_t longest = -1;
    for (const Span& span : spans) {
      const bool instant = span.durationNs == 0 && span.beginNs >= range.beginNs;
      if (span.beginNs >= range.endNs || (span.endNs() <= range.beginNs && !instant)) continue;
      ++count;
      longest = std::max(longest, span.durationNs);
    }
    CHECK(facts.spans == count);
    if (count > 0) CHECK(row.durationNs(facts.longest) == longest);
  }
}

TEST_CASE("a step to the next layer passes what belongs to the same layer and pass", "[views][timeline]") {
  struct Like {
    int layer;
    halo::Pass pass;
    int epoch;
  };
  constexpr auto forward = halo::Pass::forward, backward = halo::Pass::backward;
  // one without a layer stands within layer 0, two between epochs
  constexpr Like kLike[] = {
      {0, forward, 0},           {-1, halo::Pass::none, 0}, {0, forward, 0},  {1, forward, 0},
      {1, forward, 0},           {1, backward, 0},          {0, backward, 0}, {-1, halo::Pass::none, 0},
      {-1, halo::Pass::none, 1}, {0, forward, 1},           {0, forward, 1}};
  std::vector<halo::Span> spans;
  for (const Like& like : kLike) {
    halo::Span span = spanOf(static_cast<std::int64_t>(spans.size()) * 10, 5, halo::Name::update);
    span.layer = static_cast<std::int16_t>(like.layer);
    span.pass = like.pass;
    span.epoch = like.epoch;
    spans.push_back(span);
  }
  SpanRow row;
  row.append(spans);
  const std::vector<std::size_t> begins = {0, 3, 5, 6, 9};  // of the five stretches
  for (std::size_t from = 0; from < spans.size(); ++from) {
    CAPTURE(from);
    const auto in = std::upper_bound(begins.begin(), begins.end(), from) - begins.begin() - 1;
    const auto at = static_cast<std::size_t>(in);
    const auto next = halo::stepLayer(row, from, 1), before = halo::stepLayer(row, from, -1);
    CHECK(next == (at + 1 < begins.size() ? std::optional(begins[at + 1]) : std::nullopt));
    CHECK(before == (at > 0 ? std::optional(begins[at - 1]) : std::nullopt));
  }
  SpanRow plain;  // of a recording without layers
  plain.append(std::vector{spanOf(0, 5, halo::Name::update), spanOf(10, 5, halo::Name::update)});
  CHECK_FALSE(halo::stepLayer(plain, 0, 1));
  CHECK_FALSE(halo::stepLayer(plain, 1, -1));
}

TEST_CASE("steps go to the neighbours and to those of the same name", "[views][timeline]") {
  SpanRow row;
  row.append(std::vector{spanOf(0, 5, halo::Name::aggregate), spanOf(10, 5, halo::Name::update),
                         spanOf(20, 5, halo::Name::aggregate)});
  CHECK(halo::stepSpan(row, 0, 1) == 1);
  CHECK(halo::stepSpan(row, 1, -1) == 0);
  CHECK_FALSE(halo::stepSpan(row, 2, 1));
  CHECK_FALSE(halo::stepSpan(row, 0, -1));
  CHECK(halo::stepName(row, 0, 1) == 2);
  CHECK(halo::stepName(row, 2, -1) == 0);
  CHECK_FALSE(halo::stepName(row, 1, 1));
  CHECK(halo::indexOf(row, row.at(1)) == 1);
  CHECK_FALSE(halo::indexOf(row, spanOf(10, 6)));
}

TEST_CASE("a tooltip tells one span from many", "[views][timeline]") {
  SpanRow row;
  Span transfer = spanOf(1000, 2000, halo::Name::send);
  transfer.kind = halo::Kind::communication;
  transfer.peer = 3;
  transfer.bytes = 4096;
  row.append(std::vector{spanOf(0, 250, halo::Name::update), transfer});
  const QString where = halo::rowText({2, Lane::link, halo::linkSub(3, 1)}, "rank 2");
  const auto plain = [](QString text) { return text.replace(QChar(0x00A0), ' '); };
  const QString tooltip = plain(halo::spanTooltip({where}, transfer));
  for (const char* part :
       {"send", "communication", "2.000 µs", "rank 2, link from 3, 2", "rank 3", "4.00 KiB"}) {
    CAPTURE(part);
    CHECK(tooltip.contains(part));
  }
  CHECK_FALSE(tooltip.contains("cycle"));
  const QString counted = plain(halo::spanText({where, 0, 500.0}, transfer));
  CHECK(counted.contains("cycles: " + halo::formatCount(1000)));  // 2 µs at 500 MHz
  CHECK(counted.contains("from cycle: 500"));
  const QString many = plain(halo::pixelTooltip(where, row, halo::factsOf(row, {0, 10'000}), 0));
  for (const char* part :
       {"2 spans", "compute", "2.5 %", "20.0 %", "longest", "send, 2.000 µs", "zoom to see"}) {
    CAPTURE(part);
    CHECK(many.contains(part));
  }
}
