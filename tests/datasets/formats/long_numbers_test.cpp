// Vertex numbers beyond 64 bits: they are names.

#include "datasets/arc_file.h"
#include "datasets/load.h"
#include "tests/datasets/loading.h"

using namespace halo;

TEST_CASE("vertex numbers of any length are read", "[formats]") {
  const Dataset plus = loadText("gplus.txt",
                                "116374117927631468606 101765416973555767821\n"
                                "112188647432305746617 107727150903234299458\n");
  CHECK(plus.vertices() == 4);
  CHECK(plus.arcs.nonzeros() == 4);
  CHECK(rowOf(plus, 0) == std::vector<Vertex>{3});  // in the order of the numbers
  CHECK(rowOf(plus, 1) == std::vector<Vertex>{2});
  CHECK(remarks(plus, "vertex numbers have gaps (4 up to 116374117927631468606)"));

  const Dataset mixed = loadText("u64.txt", "18446744073709551615 1\n1 2\n");
  CHECK(mixed.vertices() == 3);
  CHECK(rowOf(mixed, 0) == std::vector<Vertex>{1, 2});
  CHECK(rowOf(mixed, 2) == std::vector<Vertex>{0});
  CHECK(
      loadText("limit.txt", "9223372036854775807 9223372036854775808\n9223372036854775809 0\n").vertices() ==
      4);
  // digits make the number, not leading zeros or a sign
  CHECK(
      loadText("zeros.txt", "00018446744073709551615 1\n18446744073709551615 0002\n+18446744073709551615 3\n")
          .vertices() == 4);
  CHECK(loadText("comma.csv", "a,b\n99999999999999999999,1,0.5\n1,2,3\n").vertices() == 3);
}

TEST_CASE("long numbers are read in every format that names its vertices", "[formats]") {
  const Dataset lists = loadText("adjlist.txt", "99999999999999999999 7\n7 99999999999999999999\n");
  CHECK(lists.vertices() == 2);
  CHECK(lists.arcs.nonzeros() == 2);
  const Dataset gml = loadText("a.gml",
                               "graph [ node [ id 99999999999999999999 value 1 ] node [ id 5 value 0 ]\n"
                               "edge [ source 5 target 99999999999999999999 ] ]\n");
  CHECK(gml.vertices() == 2);
  CHECK(gml.labels == std::vector<std::int32_t>{0, 1});
  CHECK(
      refusalOf("a.gml", "graph [ node [ id 99999999999999999999 ]\nnode [ id 099999999999999999999 ] ]\n") ==
      "a.gml:2: a second node with the id 99999999999999999999, which the one on line 1 has; an id once");
}

TEST_CASE("labels beside a graph name its vertices by long numbers too", "[formats]") {
  const OwnCache own;
  own.write("g-labels.txt", "vertex label\n18446744073709551615 1\n \n1 0\n2 1\n");
  DatasetRequest request;
  request.name = own.write("g.txt", "18446744073709551615 1\n1 2\n").string();
  CHECK(loadDataset(request).labels == std::vector<std::int32_t>{0, 1, 1});
  own.write("g-labels.txt", "18446744073709551614 1\n1 0\n");
  CHECK_THROWS_WITH(loadDataset(request),
                    own.path("g-labels.txt").string() +
                        ":1:1: vertex 18446744073709551614 has a label but does not occur in the graph");
}

TEST_CASE("what is no number from 0 is refused with its place, and long numbers are not streamed",
          "[formats]") {
  const std::string long21 = "116374117927631468606";
  CHECK(refusalOf("a.txt", "0 1\n1 " + long21 + "x\n") ==
        "a.txt:2:3: '116374117927631468606x' is not a whole number; a vertex number from 0");
  CHECK(refusalOf("a.txt", "0 1\n1 -" + long21 + "\n").starts_with("a.txt:2:3: '-116374117927631468606'"));
  CHECK(refusalOf("a.txt", "0 1\n1 -3\n") == "a.txt:2:3: vertex -3 cannot be; a vertex number from 0");
  const OwnCache own;
  DatasetRequest request;
  request.name = own.write("g.txt", "0 1\n1 " + long21 + "\n").string();
  CHECK_FALSE(streamedArcs(request).has_value());
  // where vertices are counted, a number beyond the count is none of them
  CHECK(refusalOf("a.gr", "p tw 3 1\n1 " + long21 + "\n")
            .starts_with("a.gr:2:3: '" + long21 + "' is too large"));
}
