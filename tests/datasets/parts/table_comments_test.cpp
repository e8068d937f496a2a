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
  Remarks featureRemarks;
  CHECK(features("# a b node_id\n# x\n30 300 3\n10 100 1\n0 0 0\n20 200 2\n", 4, &featureRemarks) == kTens);
  CHECK(featureRemarks ==
        Remarks{"rows of f.csv go to the vertices of column 3, as a comment above names it"});
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
    Remarks remarks;
    features(text, 4, &remarks);
    return std::ranges::any_of(remarks, [](const std::string& remark) {
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
  CHECK(doubted("12,5\n13,25\n14,0\n9,75\n"));  // or two features that are whole
  for (const char* text :
       {"a,b\n0,5\n1,05\n2,5\n3,75\n", "0,0.5\n1,05\n2,5\n3,75\n", "0.5,1\n1,0\n2,5\n3,7\n",
        "0.125,1\n1,0\n2,5\n3,7\n", "0,5,1\n1,05,1\n2,5,1\n3,75,1\n", "0 5\n1 05\n2 5\n3 75\n",
        "0,-5\n1,05\n2,5\n3,7\n", "1.2345,5\n1,25\n2,5\n3,7\n"}) {
    CAPTURE(text);
    CHECK_FALSE(doubted(text));
  }
}

TEST_CASE("labels that may be whole numbers with a comma before their decimals are remarked", "[table]") {
  const auto doubted = [](const std::string& text) {
    Remarks remarks;
    labels(text, 4, &remarks);
    return std::ranges::any_of(remarks, [](const std::string& remark) {
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

TEST_CASE("marks of another locale that make several columns of features are remarked", "[table]") {
  const auto pairsOf = [](const std::string& text) {
    Remarks remarks;
    features(text, 4, &remarks);
    const auto match = std::ranges::find_if(
        remarks, [](const std::string& remark) { return remark.find("every second column") != remark.npos; });
    return match == remarks.end() ? "" : *match;
  };
  const auto remarkOf = [](const std::string& text, Index rows = 4) {
    Remarks remarks;
    features(text, rows, &remarks);
    const auto match = std::ranges::find_if(remarks, [](const std::string& remark) {
      return remark.find("if the comma") != remark.npos || remark.find("if it groups") != remark.npos;
    });
    return match == remarks.end() ? "" : *match;
  };
  CHECK(
      remarkOf("0,05,2,5\n0,10,1,25\n3,0,0,75\n1,5,2,05\n") ==
      "f.csv: '05' begins with 0 and is read as a number of its own, with ',' before it; if the comma stands "
      "before decimals, write a point there");
  const std::string pairs =
      "f.csv: every second column is 0 on every line, and ',' is read as what stands between two numbers; if "
      "it "
      "stands before decimals, write a point there";
  CHECK(pairsOf("0,85,0,81\n0,5,0,75\n0,25,0,5\n0,125,0,1\n") == pairs);
  CHECK(pairsOf("3,0,4,0\n5,0,1,0\n2,0,9,0\n7,0,8,0\n") == pairs);
  CHECK(pairsOf("0,1,1,0\n1,0,0,1\n0,0,1,1\n1,1,0,0\n").empty());
  CHECK(pairsOf("0,0,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n").empty());
  CHECK_THAT(remarkOf("1,5,-2,5,3\n0,1,1,25,4\n3,0,0,075,5\n1,5,2,5,6\n"), Contains("'075' begins with 0"));
  const std::string commas =
      "f.csv: columns in turn have three digits on every line, and ',' is read as what stands between two "
      "numbers; if it groups thousands, leave it out";
  CHECK(remarkOf("1,239,011\n2,004,500\n1,000,250\n3,020,007\n") == commas);
  CHECK(remarkOf("1,239,11,500\n2,104,5,250\n1,100,2,125\n3,120,7,100\n") == commas);
  CHECK(remarkOf("12,239\n2,104\n1,100\n3,120\n") == commas);
  const std::string points =
      "f.csv: every number with a point has three digits behind it and all others are below 1000; the point "
      "is "
      "read as that of decimals: if it groups thousands, leave it out";
  CHECK(remarkOf("1.239;5.000\n2.004;612\n250;7.100\n3.020;1.000\n") == points);
  CHECK(remarkOf("1.239\t5.000\n2.004\t612\n250\t7.100\n3.020\t1.000\n") == points);
  for (const char* text :
       {"1.234\n12.345\n123.456\n987\n", "1.234;12\n12.345;7\n987;3\n1.001;4\n",
        "1.234;12\n12.345;7\n123.457;3\n1.021;4\n", "1.234;12.345\n123.456;2.345\n5.678;987\n7.891;8.912\n",
        "1.239;5.000\n2.004;6.120\n2.500;7.100\n3.020;1.000\n",  // no whole number
        "1.234;2.345\n3.456;4.567\n5.678;6.789\n7.891;8.912\n"}) {
    CAPTURE(text);
    CHECK(remarkOf(text) == points);
  }
  for (const char* text : {
           "1,5,2\n2,5,3\n4,5,6\n7,8,9\n",
           "01,05,02\n02,05,03\n04,05,06\n07,08,09\n",              // of one width
           "a,b,c,d\n0,05,2,5\n0,10,1,25\n3,0,0,75\n1,5,2,05\n",    // named
           "120,239,111\n212,104,500\n100,100,250\n312,120,127\n",  // all of three digits
           "0.239;5.000\n2.004;612\n250;7.100\n3.020;1.000\n",      // a fraction
           "1.239;5.1\n2.004;612\n250;7.100\n3.020;1.000\n",
           "1.239;5.000\n2.004;6120\n250;7.100\n3.020;1.000\n",
           "1.239;5\n2;6.125\n3;7\n4;1\n",  // too few to tell
           "1.234\n3.456\n5.678\n7.891\n",
       }) {
    CAPTURE(text);
    CHECK(remarkOf(text).empty());
  }
}
