// Comments above tables, which may hold the names of columns, and commas that may stand before decimals.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/datasets/parts/small_tables.h"

using namespace halo;
using Catch::Matchers::Contains;

TEST_CASE("comments above a table may hold the names of its columns", "[table]") {
  CHECK(features("# id a b\n3 30 300\n1 10 100\n0 0 0\n2 20 200\n", 4) == kTens);
  CHECK(features("# tens\n#\n# node_id,a,b\n1,10,100\n0,0,0\n3,30,300\n2,20,200\n", 4) == kTens);
  CHECK(features("# made in 2020\n0 0\n10 100\n20 200\n30 300\n", 4) == kTens);
  CHECK(features("# a b\nx,y\n0,0\n10,100\n20,200\n30,300\n", 4) == kTens);
  CHECK_THAT(refusedFeatures("# a label\n0 0\n10 1\n", 2), Contains("column 2 is named 'label'"));
  CHECK(refusedFeatures("0 0\n# a b\n10 100\n", 2).starts_with("f.csv:2:1: "));
  CHECK(refusedFeatures("# a b\n0 0\n10\n", 2).starts_with("f.csv:3"));
  CHECK(labels("# the classes\n1\n0\n1\n", 3).labels == Labels{1, 0, 1});
  CHECK(labels("# the classes\n\n0\n1\n", 3).labels == Labels{-1, 0, 1});
  CHECK(labels("# class\n\n0\n1\n", 3).labels == Labels{-1, 0, 1});
  CHECK(labels("# node class\n2 5\n0 3\n1 4\n", 3).labels == Labels{3, 4, 5});
  // further up, too, and behind an empty line
  for (const char* above : {"# f1 label\n# exported\n", "# f1 label\n#\n", "# f1 label\n\n"}) {
    CAPTURE(above);
    CHECK_THAT(refusedFeatures(above + std::string("0.5 1\n1.5 0\n"), 2),
               Contains("column 2 is named 'label'"));
  }
  Remarks told;
  CHECK(features("# a b node_id\n# x\n30 300 3\n10 100 1\n0 0 0\n20 200 2\n", 4, &told) == kTens);
  CHECK(told == Remarks{"rows of f.csv go to the vertices of column 3, as a comment above names it"});
  CHECK(features("sep=;\r\nid;a;b\r\n3;30;300\r\n1;10;100\r\n0;0;0\r\n2;20;200\r\n", 4) == kTens);  // Excel
  const OwnCache own;
  Remarks remarks;
  CHECK(readSplitFile(own.write("s.txt", "# parts\ntrain\nvalid\n"), 2, remarks) ==
        std::vector{Split::train, Split::valid});
  CHECK(refusedSplit("train\n# parts\n", 2).starts_with("s.csv:2:1: '#' is no part of a split"));
}

TEST_CASE("comments above a table may hold a name of a column each", "[table]") {
  CHECK(features("# id\n# a\n# b\n3 30 300\n1 10 100\n0 0 0\n2 20 200\n", 4) == kTens);
  CHECK(features("# tens\n#\n# 1: a\n# 2: b\n# 3: node_id\n#\n30,300,3\n10,100,1\n0,0,0\n20,200,2\n", 4) ==
        kTens);
  CHECK_THAT(refusedFeatures("# a\n# label\n0 0\n10 1\n", 2), Contains("column 2 is named 'label'"));
  CHECK(features("# id - of the node\n# a - tens\n# b - hundreds\n3 30 300\n1 10 100\n0 0 0\n2 20 200\n",
                 4) == kTens);
  // titles and the like say nothing
  CHECK(features("# tens\n# hundreds\n0 0\n10 100\n20 200\n30 300\n", 4) == kTens);
  CHECK(features("# id\n# of what\n0 0\n10 100\n20 200\n30 300\n", 4) == kTens);
  CHECK(features("# id\n0 0\n10 100\n20 200\n30 300\n", 4) == kTens);
  CHECK(labels("# class\n# flags\n# node\n# class\n2 5\n0 3\n1 4\n", 3).labels == Labels{3, 4, 5});
}

TEST_CASE("two columns that may be one number with a comma before its decimals are remarked", "[table]") {
  const auto doubted = [](const std::string& text) {
    Remarks said;
    features(text, 4, &said);
    return std::ranges::any_of(said, [](const std::string& remark) {
      return remark ==
             "f.csv: every row is read as two columns with ',' between them; if the comma stands before "
             "decimals, write a point there";
    });
  };
  CHECK(doubted("0,5\n1,05\n2,5\n3,75\n"));
  CHECK(doubted("12,50\n-3,25\n2,00\n3,75\n"));
  CHECK(doubted(" 1,05\n12,5\n 0,1\n 1,2\n"));
  CHECK(doubted("+1,05\n2,5\n0,1\n1,2\n"));
  CHECK(doubted("1.234,5\r\n-12.000,25\r\n7,5\r\n3,75\r\n"));
  CHECK(doubted("0,5\n0,25\n0,75\n0,5\n"));    // all below 1
  CHECK(doubted("1,0\n2,00\n5,0\n7,0\n"));     // all whole
  CHECK(doubted("-0,5\n1,25\n-2,75\n3,5\n"));  // no whole number is -0
  CHECK(doubted("1,5e-1\n2,5\n0,1\n1,2E+01\n"));
  for (const char* text :
       {"a,b\n0,5\n1,05\n2,5\n3,75\n", "0,0.5\n1,05\n2,5\n3,75\n", "0.5,1\n1,0\n2,5\n3,7\n",
        "0.125,1\n1,0\n2,5\n3,7\n", "0,5,1\n1,05,1\n2,5,1\n3,75,1\n", "0 5\n1 05\n2 5\n3 75\n",
        "0,-5\n1,05\n2,5\n3,7\n", "1.2345,5\n1,25\n2,5\n3,7\n", "12,5\n13,25\n14,0\n9,75\n"}) {
    CAPTURE(text);
    CHECK_FALSE(doubted(text));
  }
}

TEST_CASE("labels that may be whole numbers with a comma before their decimals are remarked", "[table]") {
  const auto doubted = [](const std::string& text) {
    Remarks said;
    labels(text, 4, &said);
    return std::ranges::any_of(said, [](const std::string& remark) {
      return remark.starts_with(
          "l.csv: every row is read as two columns with ',' between them; if the comma");
    });
  };
  CHECK(doubted("0,0\n1,0\n0,0\n1,0\n"));
  CHECK(doubted("0,00\n1,00\n0,00\n1,00\n"));
  CHECK(doubted("0,0e+00\n1,0e+00\n0,0e+00\n1,0e+00\n"));
  CHECK(doubted("0,0\n3,0\n2,0\n1,0\n"));  // or vertices of one class
  for (const char* text : {"0,0\n1,0\n0,1\n1,0\n", "0 0\n1 0\n0 0\n1 0\n", "a,b\n0,0\n1,0\n0,0\n1,0\n",
                           "# a b\n0,0\n1,0\n0,0\n1,0\n", "0,0\n3,1\n2,2\n1,0\n", "0\n1\n0\n1\n"}) {
    CAPTURE(text);
    CHECK_FALSE(doubted(text));
  }
}
