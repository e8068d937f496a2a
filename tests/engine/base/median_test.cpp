#include "engine/base/median.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "engine/record/analysis/median.h"

using namespace halo;

TEST_CASE("the median of an even number is the mean of the middle two", "[base]") {
  CHECK(median(std::vector<double>{3}) == 3);
  CHECK(median(std::vector<double>{4, 1, 2}) == 2);
  CHECK(median(std::vector<double>{9, 1, 2, 4}) == 3);
  CHECK(median(std::vector<std::int64_t>{2, 1}) == 1.5);
  CHECK(std::isnan(median(std::vector<double>{})));
}

TEST_CASE("numbers that come one by one have the median of all at once", "[base]") {
  std::mt19937 random(11);
  std::vector<double> values;
  Median streamed;
  for (int i = 0; i < 200; ++i) {
    values.push_back(static_cast<double>(random() % 50));
    streamed.add(values.back());
    REQUIRE(streamed.value() == median(values));
  }
}
