// The rules that keep a band honest.
#include "engine/experiment/band.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace halo;

namespace {

Published figure(double value, double rounding, double low, double high) {
  Published published;
  published.value = value;
  published.rounding = rounding;
  published.low = low;
  published.high = high;
  published.because = "a reason";
  return published;
}

/// "key: message" of all faults.
std::string faults(const Published& published) {
  std::string all;
  for (const BandFault& fault : bandFaults(published)) all += fault.key + ": " + fault.message + "\n";
  return all;
}

using Catch::Matchers::Contains;

}  // namespace

TEST_CASE("a number is rounded in the last digit that is written", "[experiment][published]") {
  CHECK(roundingOf("1.9") == Approx(0.05));
  CHECK(roundingOf("1.90") == Approx(0.005));
  CHECK(roundingOf("342") == Approx(0.5));
  CHECK(roundingOf("-0.5") == Approx(0.05));
  CHECK(roundingOf("+1_000.25") == Approx(0.005));
  CHECK(roundingOf("1.5e-9") == Approx(0.05e-9));
  CHECK(roundingOf("2E3") == Approx(500));
  CHECK(roundingOf("0x1e") == Approx(0.5));
  CHECK(roundingOf("") == Approx(0.5));
  CHECK(roundingOf("0.00e-2147483648") == 0);
  CHECK(roundingOf("0.00e-99999999999999999999") == 0);
}

TEST_CASE("how a published value is rounded is read from the digits of its file", "[experiment][published]") {
  const auto rounding = [](const std::string& text) {
    const PublishedFigures read = readPublished(text);
    REQUIRE(read.figures.size() == 1);
    return read.figures.front().rounding;
  };
  const std::string rest = "metric = \"loss\"\nof = { method = \"single\" }\n";
  CHECK(rounding("[[published]]\nvalue = 1.90\n" + rest) == Approx(0.005));
  CHECK(rounding("[[published]]\r\n" + rest + "value=10 # ten") == Approx(0.5));
  CHECK(rounding("published = [{ where = \"Zürich · 1.5\", value = 1.900, metric = \"loss\", of = { method = "
                 "\"single\" } }]") == Approx(0.0005));
}

TEST_CASE("each of many values has its own digits", "[experiment][published]") {
  std::string line = "published = [";
  for (const char* value : {"1.9", "1.90", "2", "1.900"})
    line += std::string("{ value = ") + value + ", metric = \"é\", of = { method = \"single\" } }, ";
  const PublishedFigures read = readPublished("name = \"many\"\n" + line + "]\n");
  REQUIRE(read.figures.size() == 4);
  const double expected[] = {0.05, 0.005, 0.5, 0.0005};
  for (std::size_t i = 0; i < 4; ++i) CHECK(read.figures[i].rounding == Approx(expected[i]));
}

TEST_CASE("a band has two sides, a reason, the printed value and an end", "[experiment][published]") {
  CHECK(faults(figure(1.9, 0.05, 1.425, 2.375)).empty());
  CHECK_THAT(faults(figure(1.9, 0.05, 1.4, 2.3)),
             Contains("low: 1.4 is beyond 1.425: 25 % of 1.9, the most"));
  CHECK_THAT(faults(figure(1.9, 0.05, 1.5, 2.4)), Contains("high: 2.4 is beyond 2.375"));
  CHECK_THAT(
      faults(figure(1.9, 0.05, 1.86, 2.0)),
      Contains("value: 1.9 as it is printed is 1.85 to 1.95, which the band of 1.86 to 2 does not hold"));
  Published other = figure(1.9, 0.05, 0.95, 2.85);
  CHECK_FALSE(faults(other).empty());
  other.differs = {"graph"};
  CHECK(faults(other).empty());
  other.low = 0.9;
  CHECK_THAT(faults(other), Contains("low: 0.9 is beyond 0.95: 50 % of 1.9, the most where graph differs"));
  other.low = -std::numeric_limits<double>::infinity();
  CHECK_THAT(faults(other),
             Contains("low: missing; a band has two sides, low and high, here at most 0.95 to"));
  CHECK(faults(figure(0.01, 0.005, 0.005, 0.015)).empty());  // as rounded, more than a quarter
  CHECK(faults(figure(0.0, 0.05, -0.05, 0.05)).empty());
  CHECK(faults(figure(-2, 0.5, -2.5, -1.5)).empty());
  Published silent = figure(1.9, 0.05, 1.5, 2.3);
  silent.because = " \n";
  CHECK_THAT(faults(silent), Contains("because: missing; why the band is as wide as it is"));
}

TEST_CASE("a range that is printed without values is its own band, about its middle",
          "[experiment][published]") {
  Published range = figure(0, 0, 1.32, 1.8);
  range.value.reset();
  CHECK(faults(range).empty());
  range.low = 3.77;
  range.high = 21.6;
  range.differs = {"machine", "graph"};
  CHECK_THAT(faults(range),
             Contains("high: a range of 3.77 to 21.6 reaches 8.915 to either side of its middle"));
}

TEST_CASE("an order is for what is printed without a number", "[experiment][published]") {
  Published order = figure(0, 0, 1, std::numeric_limits<double>::infinity());
  order.counts = Published::Counts::order;
  order.over.emplace();
  order.value.reset();
  CHECK(faults(order).empty());
  order.value = 9.44;
  order.rounding = 0.005;
  CHECK_THAT(faults(order), Contains("counts: 9.44 is printed, and a printed number keeps its band; leave "
                                     "counts = \"order\" out and give low and high, at most 7.08 to 11.8"));
  order.value.reset();
  order.because.clear();
  CHECK_THAT(faults(order), Contains("because: missing"));
}
