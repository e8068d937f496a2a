// What people's programs write in OGB's node-property layout, in both directions.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

/// A set of four vertices in the OGB layout, one of its files replaced.
class Ogb {
 public:
  Ogb() {
    write("raw/num-node-list", "4\n")
        .write("raw/num-edge-list", "4\n")
        .write("raw/edge", "0,1\n1,2\n2,3\n3,0\n");
    write("raw/node-feat", "1,2\n3,4\n5,6\n7,8\n").write("raw/node-label", "0\n1\n1\n0\n");
    write("split/a/train", "0\n1\n").write("split/a/valid", "2\n").write("split/a/test", "3\n");
  }
  Ogb& write(const std::string& name, const std::string& text) {
    own_.write("set/" + name + (name.find('.') == name.npos ? ".csv" : ""), text);
    return *this;
  }
  Dataset load() const { return loadAt(own_.path("set")); }
  /// What is said when it is refused, from the folder on.
  std::string refused() const {
    const std::string message = refusalOf(own_.path("set")), root = own_.path("set/").string();
    return message.starts_with(root) ? message.substr(root.size()) : message;
  }
  bool remarks(const std::string& words) const {
    const auto lines = load().remarks;
    return std::any_of(lines.begin(), lines.end(),
                       [&](const auto& line) { return line.find(words) != line.npos; });
  }

 private:
  OwnCache own_;
};

std::string refused(const std::string& name, const std::string& text) {
  return Ogb().write(name, text).refused();
}

}  // namespace

TEST_CASE("empty cells in files of the OGB layout are refused at their line and column", "[ogb]") {
  const std::string comma = "an empty cell; every ',' stands between two values";
  CHECK(Ogb().refused().empty());
  CHECK(refused("raw/node-feat", "1.5,,3\n,2.5,3\n1,2,\n4,,6\n") == "raw/node-feat.csv:1:5: " + comma);
  CHECK(refused("raw/edge", "0,1\n1,,2\n2,3\n3,0\n") == "raw/edge.csv:2:3: " + comma);
  CHECK(refused("raw/edge", "0,1\n,2\n2,3\n3,0\n") == "raw/edge.csv:2:1: " + comma);
  CHECK(refused("raw/edge", "0;1\n1;;2\n2;3\n3;0\n") ==
        "raw/edge.csv:2:3: an empty cell; every ';' stands between two values");
  CHECK(refused("raw/edge", "0\t1\n1\t\t2\n2\t3\n3\t0\n") ==
        "raw/edge.csv:2:3: an empty cell; every tab stands between two values");
  CHECK(refused("raw/node-label", "0,1\n,1\n0,1\n1,0\n") == "raw/node-label.csv:2:1: " + comma);
  CHECK(refused("split/a/train", "0,\n1,\n") == "split/a/train.csv:1:2: " + comma);
}

TEST_CASE("a line of sources above one of targets is no file of edges in the OGB layout", "[ogb]") {
  CHECK(refused("raw/edge", "0,1,2,3,0\n1,2,3,0,2\n") ==
        "raw/edge.csv:1: has 5 columns; the source and the target of an edge, `u,v` on a line");
}

TEST_CASE("marks of another locale in the OGB layout are refused with both of them", "[ogb]") {
  const std::string problem = " on one line; one kind of separator, and decimals with a point";
  CHECK(refused("raw/node-feat", "0,5;1,25\n1,5;2,25\n2,5;3,25\n3,5;4,25\n") ==
        "raw/node-feat.csv:1:4: ',' and ';'" + problem);
  CHECK(refused("raw/edge", "0;1;0,5\n1;2;0,5\n2;3;0,5\n3;0;0,5\n") ==
        "raw/edge.csv:1:6: ';' and ','" + problem);
}

TEST_CASE("two columns of features in the OGB layout that may be decimals are remarked", "[ogb]") {
  const std::string words = "node-feat.csv: every row is read as two columns with ',' between them";
  CHECK(Ogb().write("raw/node-feat", "1.234,5\n3,4\n5,6\n7,8\n").remarks(words));
  CHECK(Ogb().write("raw/node-feat", "2,05\n3,4\n5,6\n7,8\n").remarks(words));
  CHECK(Ogb().remarks(words));  // 1,2 and so on: or two features that are whole
  CHECK_FALSE(Ogb().write("raw/node-feat", "1.5,2\n3,4\n5,6\n7,8\n").remarks(words));
  CHECK_FALSE(Ogb().write("raw/node-feat", "2,05,1\n3,4,1\n5,6,1\n7,8,1\n").remarks(words));
}

TEST_CASE("features in the OGB layout with marks of another locale are remarked in more columns", "[ogb]") {
  CHECK(Ogb()
            .write("raw/node-feat", "0,05,2,5\n0,10,1,25\n3,0,0,75\n1,5,2,05\n")
            .remarks("'05' begins with 0"));
  CHECK(Ogb()
            .write("raw/node-feat", "1,239,011\n2,004,500\n1,000,250\n3,020,007\n")
            .remarks("columns in turn have three digits on every line"));
  CHECK(Ogb()
            .write("raw/node-feat", "1.239;5.000\n2.004;612\n250;7.100\n3.020;1.000\n")
            .remarks("every number with a point has three digits behind it"));
  CHECK(Ogb()
            .write("raw/node-feat", "1.123;12.345\n2.124;12.346\n3.125;12.347\n4.126;12.350\n")
            .remarks("every number with a point has three digits behind it"));
}

TEST_CASE("a vertex of the split without a label is refused with the line of its label", "[ogb]") {
  const auto messageAt = [](const std::string& line) {
    return "raw/node-label.csv:" + line + ": vertex 1 is in the train part of the split but has no label";
  };
  for (const char* none : {"nan", "-1", "", "\"\"", " ", "NA", "None", "null", "-1.0"}) {
    CAPTURE(none);
    CHECK(refused("raw/node-label", std::string("0\n") + none + "\n1\n0\n") == messageAt("2"));
    // outside the split it is a vertex without a label
    Ogb set;
    set.write("raw/node-label", std::string("0\n") + none + "\n1\n0\n").write("split/a/train", "0\n");
    CHECK(set.load().labels == std::vector<std::int32_t>{0, -1, 1, 0});
  }
  CHECK(refused("raw/node-label", "0\n1\n1\n0\n\n\n").empty());
  CHECK(refused("raw/node-label", "0\n\n1\n1\n0\n") ==
        "raw/node-label.csv:5: more than the 4 rows that there should be");
  CHECK(refused("raw/node-label", "0\n1\n1\n") ==
        "raw/num-node-list.csv:1: promises 4 vertices; node-label.csv holds 3 rows");
}

TEST_CASE("a class beyond the limit in the OGB layout is told this limit", "[ogb]") {
  const std::string range = " is no class; a class is a whole number from 0 to 1000000, or nan for none";
  CHECK(refused("raw/node-label", "0\n1\n1000001\n0\n") == "raw/node-label.csv:3:1: '1000001'" + range);
  CHECK(refused("raw/node-label", "0\n1\n1e39\n0\n") == "raw/node-label.csv:3:1: '1e39'" + range);
  CHECK(refused("raw/node-label", "0\n1\n0.5\n0\n") == "raw/node-label.csv:3:1: '0.5'" + range);
  CHECK(refused("raw/node-label", "0\n1\n1000000\n0\n").empty());
}

TEST_CASE("columns of labels in the OGB layout are 0 and 1", "[ogb]") {
  Ogb good;
  good.write("raw/node-label", "0,1\n1,1\n0,0\n1,0\n");
  CHECK(good.load().multiLabels(1, 1) == 1);
  CHECK(refused("raw/node-label", "0,1\n1,2\n0,1\n1,0\n") ==
        "raw/node-label.csv:2: column 2: 2 is no label; several labels a vertex are columns of 0 and 1");
  CHECK_THAT(refused("raw/node-label", "0,1\n1,nan\n0,1\n1,0\n"),
             Contains("raw/node-label.csv:2: column 2: nan stands beside numbers; a row of nan alone"));
  CHECK_THAT(refused("raw/node-label", "0,1\nnan,1\n0,1\n1,0\n"),
             Contains("raw/node-label.csv:2: column 2: 1 stands beside nan; a row of nan alone"));
  good.write("raw/node-label", "0,1\nnan,nan\n1,1\n1,0\n");
  CHECK(good.load().multiLabels(1, 0) == 0);
  CHECK(good.load().multiLabels(1, 1) == 0);
}

TEST_CASE("of a plain and a packed file in the OGB layout it is said which is read", "[ogb]") {
  Ogb set;
  CHECK_FALSE(set.remarks("not read"));
  set.write("raw/node-feat.csv.gz", "9\n9\n9\n9\n").write("split/a/valid.csv.xz", "1\n");
  CHECK(set.load().features(0, 1) == 2);
  CHECK(set.remarks("node-feat.csv is read; there is also, not read: node-feat.csv.gz"));
  CHECK(set.remarks("valid.csv is read; there is also, not read: valid.csv.xz"));
  CHECK_FALSE(set.remarks("edge.csv is read"));
}

TEST_CASE("a part in the OGB layout that does not fit is refused with its file", "[ogb]") {
  Ogb set;
  set.write("raw/node-label", "nan\nnan\nnan\nnan\n").write("split/a/train", "").write("split/a/valid", "");
  CHECK(set.write("split/a/test", "").refused() == "raw/node-label.csv: labels: no vertex has a label");
}

TEST_CASE("an index column in the OGB layout is refused or remarked", "[ogb]") {
  CHECK(refused("split/a/train", "0,0\n1,1\n") ==
        "split/a/train.csv:1:3: '0' is too much; one number a line");
  CHECK(Ogb()
            .write("raw/node-feat", "0,2\n1,4\n2,6\n3,8\n")
            .remarks("the first column of node-feat.csv holds every"));
  CHECK(Ogb()
            .write("raw/edge", "0,0,1\n1,1,2\n2,2,3\n3,3,0\n")
            .remarks("the first column of edge.csv counts the lines"));
  CHECK_FALSE(Ogb().remarks("the first column"));
  CHECK(refused("raw/node-label", "0,3\n1,1\n2,0\n3,2\n") != "");
  CHECK(refused("raw/num-node-list", "4,5\n") == "raw/num-node-list.csv:1:3: '5' is too much; one number");
  CHECK(refused("raw/num-node-list", "4\n\n5\n") == "raw/num-node-list.csv:3:1: '5' is too much; one number");
}

TEST_CASE("an empty line among features of one column of the OGB layout is refused", "[ogb]") {
  CHECK(refused("raw/node-feat", "1\n\n3\n5\n7\n") ==
        "raw/node-feat.csv:2:1: an empty cell; every line holds a value");
  CHECK(refused("raw/node-feat", "\n1\n3\n5\n7\n") ==
        "raw/node-feat.csv:1:1: an empty cell; every line holds a value");
  CHECK(refused("raw/node-feat", "1\n3\n5\n7\n\n\n").empty());
}

TEST_CASE("labels of the OGB layout that may have a comma before their decimals are remarked", "[ogb]") {
  const std::string remark = "node-label.csv: every row is read as two columns with ',' between them; if the";
  CHECK(Ogb().write("raw/node-label", "0,0\n1,0\n0,0\n1,0\n").remarks(remark));
  CHECK_FALSE(Ogb().write("raw/node-label", "0,1\n1,0\n0,1\n1,0\n").remarks(remark));
  CHECK(Ogb().write("raw/node-feat", "0,5\n0,25\n0,75\n0,5\n").remarks("node-feat.csv: every row is read"));
}
