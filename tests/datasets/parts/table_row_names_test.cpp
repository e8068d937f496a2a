#include "datasets/parts/table_row_names.h"

#include <catch2/catch.hpp>

#include "tests/datasets/parts/small_tables.h"

using namespace halo;

TEST_CASE("a first column of features that is in quotes alone numbers the vertices", "[table]") {
  const std::vector<Scalar> ordered = {5, 6, 7};
  for (const char* text :
       {"\"2\" 7\n\"0\" 5\n\"1\" 6\n", "\"2\",7\n\"0\",5\n\"1\",6\n", "\"2\"\t7\n\"0\"\t5\n\"1\"\t6\n"}) {
    CAPTURE(text);
    Remarks remarks;
    CHECK(features(text, 3, &remarks) == ordered);
    CHECK(remarks == Remarks{"f.csv: the first column alone is in quotes, as R writes names of rows: it is "
                             "read as the numbers of the vertices"});
  }
  CHECK(refusedFeatures("\"41\" 7\n\"0\" 5\n\"1\" 6\n", 3).starts_with("f.csv:1: 41 is no vertex"));
  CHECK(refusedFeatures("\"2\" 7\n0 5\n\"1\" 6\n", 3)
            .starts_with("f.csv:2:1: the first column alone is in quotes"));
  CHECK(features("\"2\" \"7\"\n\"0\" \"5\"\n", 2) == std::vector<Scalar>{2, 7, 0, 5});
}
