#include "engine/experiment/reproduced.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("an order that rounding alone decides is a tie", "[experiment]") {
  const std::string experiment =
      "schema = 1\n[[published]]\nwhere = \"first over second\"\nmetric = \"epoch_seconds\"\ncounts = "
      "\"order\"\n"
      "of = { \"run.method\" = \"a\" }\nover = { \"run.method\" = \"b\" }\nlow = 1\nbecause = \"text\"\n";
  const auto verdictOf = [&](double first, double second) {
    const std::vector<Measured> columns = {
        {{{"run.method", "\"a\""}}, experiment, {{"epoch_seconds", first}}},
        {{{"run.method", "\"b\""}}, experiment, {{"epoch_seconds", second}}}};
    const Reproductions all = reproduced(columns, [](const std::string&) { return std::optional(false); });
    REQUIRE(all.figures.size() == 1);
    return all.figures.front().verdict;
  };
  using enum Reproduced::Verdict;
  CHECK(verdictOf(0.3, 0.3) == tie);
  CHECK(verdictOf(0.1 + 0.2, 0.3) == tie);
  CHECK(verdictOf(0.3 * (1 + 1e-10), 0.3) == tie);
  CHECK(verdictOf(0.3 * (1 + 1e-6), 0.3) == inside);
  CHECK(verdictOf(0.3, 0.3 * (1 + 1e-6)) == outside);
}
