// Tables of features and labels as people's programs write them: an empty cell never moves its neighbours,
// and a number of another locale is never taken for two.

#include "datasets/parts/table.h"

#include <catch2/catch.hpp>
#include <string>

#include "datasets/load.h"
#include "datasets/overrides.h"
#include "tests/datasets/own_cache.h"
#include "tests/datasets/parts/small_tables.h"

using namespace halo;
using Catch::Matchers::Contains;

TEST_CASE("an empty cell of a table is refused at its line and column", "[table]") {
  const std::string comma = "an empty cell; every ',' stands between two values";
  CHECK(refusedFeatures("1.5,,3\n,2.5,3\n1,2,\n4,,6\n", 4) == "f.csv:1:5: " + comma);
  CHECK(refusedFeatures("a,b,c\n1,2,3\n,2.5,3\n", 2) == "f.csv:3:1: " + comma);
  CHECK(refusedFeatures("1,2,3\n1,2,\n", 2) == "f.csv:2:4: " + comma);
  CHECK(refusedFeatures("1,2,\n3,4,\n", 2) == "f.csv:1:4: " + comma);
  CHECK(refusedFeatures("1, ,3\n1,2,3\n", 2) == "f.csv:1:4: " + comma);
  CHECK(refusedFeatures("1,2\n,\n", 2) == "f.csv:2:1: " + comma);
  CHECK(refusedFeatures("1;;3\n", 1) == "f.csv:1:3: an empty cell; every ';' stands between two values");
  const std::string tab = "an empty cell; every tab stands between two values";
  CHECK(refusedFeatures("1\t2\t3\n1\t\t3\n", 2) == "f.csv:2:3: " + tab);
  CHECK(refusedFeatures("1\t2\n\t2\n", 2) == "f.csv:2:1: " + tab);
  CHECK_THAT(refusedFeatures("1\t2\t3\n1\t2\t\n", 2), Contains("f.csv:2:4: row 1 has 2 columns"));
  CHECK(refusedLabels("0,1\n1,\n2,0\n", 3) == "l.csv:2:2: " + comma);
  CHECK(refusedLabels("vertex,class\n0,1\n,0\n", 3) == "l.csv:3:1: " + comma);
  CHECK(refusedLabels("1,,0\n0,1,0\n", 2) == "l.csv:1:3: " + comma);
  CHECK(refusedSplit("train\nvalid,\n", 2) == "s.csv:2:6: " + comma);
}

TEST_CASE("a tab at the end of every row of a table has an empty cell behind it", "[table]") {
  const std::string problem =
      "an empty cell at the end of this and every row; every tab stands between two values";
  CHECK(refusedFeatures("1\t2\t\n3\t4\t\n", 2) == "f.csv:1: " + problem);
  CHECK(refusedFeatures("a\tb\n1\t2\t\n3\t4\t \r\n", 2) == "f.csv:2: " + problem);
  CHECK(refusedFeatures("1\t\n3\t\n", 2) == "f.csv:1: " + problem);
  CHECK(refusedLabels("0\t1\t\n1\t1\t\n2\t0\t\n", 3) == "l.csv:1: " + problem);
  for (const char* text : {"1\t2\t\n3\t4\n", "1\t2\n3\t4\t\n", "1 2 \n3 4 \n", "1\t2 \n3\t4 \n"}) {
    CAPTURE(text);
    CHECK(features(text, 2) == std::vector<Scalar>{1, 2, 3, 4});
  }
}

TEST_CASE("blanks between cells may repeat and stand around marks", "[table]") {
  const std::vector<Scalar> right = {1, 2, 3, 4};
  for (const char* text :
       {"1  2\n 3 4 \n", "1, 2\n3 ,4\n", " 1\t2\n3\t 4\t\n", "1 ; 2\r\n3;4\r\n", "1,\t2\n3,\t4\n"}) {
    CAPTURE(text);
    CHECK(features(text, 2) == right);
  }
}

TEST_CASE("marks of another locale are refused with both of them", "[table]") {
  const std::string problem = " on one line; one kind of separator, and decimals with a point";
  CHECK(refusedFeatures("0,5;1,25\n1,5;2,25\n", 2) == "f.csv:1:4: ',' and ';'" + problem);
  CHECK(refusedFeatures("f1;f2\n0,5;1,5\n", 1) == "f.csv:2:4: ',' and ';'" + problem);
  CHECK(refusedFeatures("1;2,5\n", 1) == "f.csv:1:4: ';' and ','" + problem);
  CHECK(refusedFeatures("1.234,5;2.345,5\n", 1) == "f.csv:1:8: ',' and ';'" + problem);
  CHECK(refusedFeatures("0,5 1,25\n", 1) == "f.csv:1:4: ',' and blank" + problem);
  CHECK(refusedFeatures("0,5\t1,25\n", 1) == "f.csv:1:4: ',' and tab" + problem);
  CHECK(refusedFeatures("1 234;5\n", 1) == "f.csv:1:6: blank and ';'" + problem);
  CHECK(refusedFeatures("1 234\t5\n", 1) == "f.csv:1:6: blank and tab" + problem);
  CHECK(refusedLabels("0;0,5\n", 1) == "l.csv:1:4: ';' and ','" + problem);
  CHECK_THAT(refusedFeatures("1\u00a0234;5\n", 1), Contains("f.csv:1:1: ") && Contains("is not a number"));
  CHECK_THAT(refusedFeatures("1'234;5\n", 1), Contains("is not a number"));
}

TEST_CASE("names over another number of columns, or with another mark, are refused", "[table]") {
  CHECK_THAT(refusedFeatures("f1,f2\n0,5,1,5\n1,5,2,5\n", 2),
             Contains("f.csv:2:7: has 4 columns; the first line names 2"));
  CHECK_THAT(refusedFeatures("x\n0,5\n", 1), Contains("has 2 columns; the first line names 1"));
  CHECK_THAT(refusedFeatures("x\n1 234\n", 1), Contains("has 2 columns; the first line names 1"));
  CHECK_THAT(refusedFeatures("f1;f2\n0,5\n1,5\n", 2), Contains("f.csv:2: cells are not separated as"));
  CHECK_THAT(refusedFeatures("1;2\n3,4\n", 2), Contains("f.csv:2: cells are not separated as"));
  CHECK(features("f1;f2\n0.5;1.25\n", 1) == std::vector<Scalar>{0.5, 1.25});
  CHECK(features("first second\n1\t2\n", 1) == std::vector<Scalar>{1, 2});
  CHECK(features("influence,\"a, b\"\n1,2\n", 1) == std::vector<Scalar>{1, 2});
}

TEST_CASE("a class beyond the limit is told this limit", "[table]") {
  const std::string range = "a class is a whole number from 0 to 1000000, or -1 or nan for none";
  CHECK(labels("0\n1000000\n", 2).labels == Labels{0, 1'000'000});
  CHECK(refusedLabels("0\n1000001\n", 2) == "l.csv:2: 1000001 is no class; " + range);
  CHECK(refusedLabels("0\n1e39\n", 2) == "l.csv:2: 1e+39 is no class; " + range);
  CHECK(refusedLabels("0\n0.5\n", 2) == "l.csv:2: 0.5 is no class; " + range);
  CHECK(refusedLabels("0\n-2\n", 2) == "l.csv:2: -2 is no class; " + range);
  CHECK(refusedLabels("0 0\n1 5000000\n", 2) == "l.csv:2: column 2: 5000000 is no class; " + range);
}

TEST_CASE("a split has one word a line and nothing behind it", "[table]") {
  CHECK(refusedSplit("train,0\nvalid,1\n", 2) ==
        "s.csv:1:7: '0' is too much; one word a line, of vertex 0 first");
  CHECK_THAT(refusedSplit("0,train\n1,valid\n", 2), Contains("s.csv:1:1: '0' is no part of a split"));
  CHECK_THAT(refusedSplit("node_id,split\n1,train\n", 1),
             Contains("s.csv:1:1: 'node_id' is no part of a split"));
}

TEST_CASE("the parts of a split have any of their usual names", "[table]") {
  const OwnCache own;
  Remarks remarks;
  const auto file = own.write("s.txt", "train\n\"val\"\nTest\nnone\ntr\nvalidation\n");
  CHECK(readSplitFile(file, 6, remarks) ==
        std::vector<Split>{Split::train, Split::valid, Split::test, Split::none, Split::train, Split::valid});
  CHECK_THAT(refusedSplit("train\nvalue\n", 2),
             Contains("s.csv:2:1: 'value' is no part of a split; train, valid, test or none"));
}

TEST_CASE("vertices that a class a line leaves out are remarked", "[table]") {
  Remarks remarks;
  CHECK(labels("0\n1\n\n\n", 4, &remarks).labels == Labels{0, 1, -1, -1});
  CHECK(remarks == Remarks{"l.csv has no line for 2 of 4 vertices; they have no label"});
  CHECK(labels("class\n0\n\"\"\n1\n", 3, &remarks).labels == Labels{0, -1, 1});
  CHECK(remarks == Remarks{"l.csv has no line for 1 of 3 vertices; they have no label"});
  labels("0\n1\n0\n1\n\n", 4, &remarks);
  CHECK(remarks.empty());
}

TEST_CASE("features of width 0 are refused and not generated", "[table]") {
  const OwnCache own;
  const auto npy = [&](const std::string& shape) {
    const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
    std::string file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(dictionary.size());
    file += '\0';
    return own.write("f.npy", file + dictionary);
  };
  DatasetRequest request;
  request.name = "karate";
  request.features = npy("(34, 0)").string();
  CHECK_THAT(refusal([&] { loadDataset(request); }), Contains("f.npy: holds features of width 0"));
  request.features = npy("(0, 0)").string();
  CHECK_THAT(refusal([&] { loadDataset(request); }), Contains("f.npy: holds 0 rows; 34 vertices need one"));
  request.features = "";
  request.labels = npy("(34, 0)").string();
  CHECK_THAT(refusal([&] { loadDataset(request); }), Contains("f.npy: holds no labels"));
}

TEST_CASE("a column of features that is called a label is refused, or remarked", "[table]") {
  CHECK(refusedFeatures("id,f,label\n0,5,1\n1,6,0\n", 2) ==
        "f.csv:1: column 3 is named 'label'; features hold no labels: take the column out, or give it "
        "another name");
  CHECK(
      refusedFeatures("node_label,f\n0,5\n1,6\n", 2).starts_with("f.csv:1: column 1 is named 'node_label'"));
  Remarks remarks;
  features("f,class\n5,1\n6,0\n", 2, &remarks);
  CHECK_THAT(remarks.at(0),
             Contains("column 2 is named 'class' and is read as a feature: take it out if it is"));
  remarks.clear();
  features("f,classic\n5,1\n6,0\n", 2, &remarks);
  CHECK(remarks.empty());
}

TEST_CASE("names of features that mark a part of the split are remarked", "[table]") {
  Remarks remarks;
  features("x,train_mask,is_test\n0,1,0\n10,0,1\n", 2, &remarks);
  const std::string rest = " and is read as a feature: take it out if it marks a part of the split";
  CHECK(remarks ==
        Remarks{"f.csv: column 2 is named 'train_mask'" + rest, "f.csv: column 3 is named 'is_test'" + rest});
  features("x,trained\n0,1\n10,0\n", 2, &remarks);
  CHECK(remarks.empty());
}

TEST_CASE("lines of a table that end with CR alone are named", "[table]") {
  const std::string cr = "lines end with CR alone, as on old Macs; end them with LF: tr '\\r' '\\n'";
  CHECK(refusedFeatures("1,2\r3,4\r5,6\r", 3) == "f.csv:1: " + cr);
  CHECK(refusedLabels("0\r1\r0\r", 3) == "l.csv:1: " + cr);
  CHECK(refusedSplit("train\rvalid\rtest\r", 3) == "s.csv:1: " + cr);
  CHECK(features("1,2\r\n", 1) == std::vector<Scalar>{1, 2});
}

TEST_CASE("a number in quotes is told with its quotes, and as one with a comma", "[table]") {
  const std::string point = " is not a number; a feature is a number, decimals with a point";
  CHECK(refusedFeatures("\"1,5\",\"2,5\"\n\"3\",\"4\"\n", 2) == "f.csv:1:1: '\"1,5\"'" + point);
  CHECK(refusedFeatures("\"1,000\",\"2\"\n", 1) == "f.csv:1:1: '\"1,000\"'" + point);
  CHECK(refusedFeatures("\"1.5\";\"1,25\"\n", 1) == "f.csv:1:7: '\"1,25\"'" + point);
  CHECK(refusedFeatures("1,\"2 x\"\n", 1) == "f.csv:1:3: '\"2 x\"' is not a number; a feature is a number");
}
