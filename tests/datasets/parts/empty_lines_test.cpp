// Empty lines among values that stand alone on their lines, which would give all below them to other
// vertices.

#include <catch2/catch.hpp>
#include <string>

#include "tests/datasets/parts/small_tables.h"

using namespace halo;
using Catch::Matchers::Contains;

TEST_CASE("an empty line among features of one column is an empty cell", "[table]") {
  const std::string problem = "an empty cell; every line holds a value";
  CHECK(refusedFeatures("1\n\n3\n5\n7\n", 4) == "f.csv:2:1: " + problem);
  CHECK(refusedFeatures("1\n3\n \n\n5\n7\n", 4) == "f.csv:3:1: " + problem);
  CHECK(refusedFeatures("x\n\n1\n3\n", 2) == "f.csv:2:1: " + problem);
  CHECK(refusedFeatures("\n1\n3\n", 2) == "f.csv:1:1: " + problem);
  CHECK(refusedFeatures("1\n\n3\n", 3) == "f.csv:2:1: " + problem);
  for (const char* text :
       {"1\n3\n\n\n", "x\n1\n3\n \n", "\nx\n1\n3\n", "# what\n\n1\n3\n", "# x\n\n1\n3", "1\r\n3\r\n\r\n"}) {
    CAPTURE(text);
    CHECK(features(text, 2) == std::vector<Scalar>{1, 3});
  }
  CHECK(features("1,2\n\n3,4\n", 2) == std::vector<Scalar>{1, 2, 3, 4});  // no cell is missing
}

TEST_CASE("an empty line beside as many classes as vertices is refused", "[table]") {
  const std::string problem =
      "an empty line is a vertex without label, and the lines with one are 4, as many as "
      "vertices";
  CHECK(refusedLabels("0\n\n1\n0\n1\n", 4) == "l.csv:2:1: " + problem);
  CHECK(refusedLabels("\n0\n1\n0\n1\n", 4) == "l.csv:1:1: " + problem);
  CHECK(refusedLabels("label\n0\n1\n\"\"\n0\n1\n\n", 4) == "l.csv:4:1: " + problem);
  CHECK(labels("0\n1\n0\n1\n\n\n", 4).labels == Labels{0, 1, 0, 1});
  CHECK(labels("0\n\n0\n1\n\n", 4).labels == Labels{0, -1, 0, 1});
  CHECK(labels("0 1\n\n1 0\n", 2).labels == Labels{1, 0});
}

TEST_CASE("an empty line among the words of a split is an empty cell", "[table]") {
  const std::string problem = "an empty cell; every line holds a value";
  CHECK(refusedSplit("train\n\nvalid\ntest\n", 3) == "s.csv:2:1: " + problem);
  CHECK(refusedSplit("\ntrain\nvalid\ntest\n", 3) == "s.csv:1:1: " + problem);
  CHECK(refusedSplit("# parts\n\ntrain\nvalid\n", 2).empty());
  CHECK(refusedSplit("train\nvalid\n\n\n", 2).empty());
}
