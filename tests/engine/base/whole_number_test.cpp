#include "engine/base/whole_number.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

using namespace halo;

TEST_CASE("a whole number has one spelling", "[declaration]") {
  std::int64_t number = -1;
  for (const std::string text : {"0", "7", "-7", "10", "9223372036854775807"}) {
    CAPTURE(text);
    REQUIRE(readWhole(text, number));
    CHECK(std::to_string(number) == text);
  }
  for (const std::string text :
       {"", "-", "07", "00", "-07", "-0", "+7", " 7", "7 ", "7.0", "0x7", "seven", "9223372036854775808"}) {
    CAPTURE(text);
    CHECK_FALSE(readWhole(text, number));
  }
  std::string_view rest = "20x3";
  int rows = 0;
  REQUIRE(takeWhole(rest, rows));
  CHECK(rows == 20);
  CHECK(rest == "x3");
}
