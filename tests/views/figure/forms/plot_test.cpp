#include "views/figure/forms/plot.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace halo;

TEST_CASE("an axis has a place for numbers, a logarithmic one for positive numbers", "[figure]") {
  const FigureAxis linear{"x", ""}, logarithmic{"x", "", true};
  CHECK(hasPlace(linear, -1));
  CHECK_FALSE(hasPlace(linear, std::numeric_limits<double>::quiet_NaN()));
  CHECK_FALSE(hasPlace(linear, std::numeric_limits<double>::infinity()));
  CHECK(hasPlace(logarithmic, 0.1));
  CHECK_FALSE(hasPlace(logarithmic, 0));
}

TEST_CASE("names stand a round number apart, and two in turn are never picked", "[figure]") {
  CHECK(nameStep(0.3) == 1);
  CHECK(nameStep(2.1) == 4);
  CHECK(nameStep(9) == 10);
  for (double needed = 1.1; needed < 2000; needed *= 1.3) {
    CHECK(static_cast<double>(nameStep(needed)) >= needed);
    CHECK(nameStep(needed) % 2 == 0);
  }
  CHECK(onOneLine("a\nb") == "a · b");
}
