// Names above labels of the user's own: of several columns the only one that is called a label is read.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/datasets/parts/small_tables.h"

using namespace halo;
using Catch::Matchers::Contains;

namespace {

std::string unread(const std::string& label, const std::string& other) {
  return "l.csv: `" + label + "` is the label; the column `" + other + "` is not read";
}

}  // namespace

TEST_CASE("masks and other columns beside the one named as the label are not read", "[table]") {
  Remarks remarks;
  const Labels right = {0, 1, 0, 1};
  CHECK(labels("node,label,train_mask,val_mask,test_mask\n0,0,1,0,0\n1,1,1,0,0\n2,0,0,1,0\n3,1,0,0,1\n", 4,
               &remarks)
            .labels == right);
  CHECK(remarks ==
        Remarks{unread("label", "train_mask"), unread("label", "val_mask"), unread("label", "test_mask")});
  CHECK(labels("node,label,is_train\n3,1,0\n0,0,1\n1,1,1\n2,0,1\n", 4, &remarks).labels == right);
  CHECK(remarks == Remarks{unread("label", "is_train")});
  CHECK(labels("label,is_train\n0,1\n1,1\n0,0\n1,0\n", 4, &remarks).labels == right);
  CHECK(remarks == Remarks{unread("label", "is_train")});
  CHECK(labels("is_train,label\n1,0\n1,1\n0,0\n0,1\n", 4, &remarks).labels == right);
  CHECK(remarks == Remarks{unread("label", "is_train")});
  CHECK(labels("node,label,weight\n0,0,1\n1,1,0.5\n2,0,1\n3,1,0\n", 4, &remarks).labels == right);
  CHECK(remarks == Remarks{unread("label", "weight")});
  CHECK(labels("node,y,train_mask\n0,0,1\n1,1,1\n2,0,0\n3,1,0\n", 4, &remarks).labels == right);
  CHECK(remarks == Remarks{unread("y", "train_mask")});
  CHECK(labels("# node label weight\n0 0 1\n1 1 0\n2 0 1\n3 1 0\n", 4, &remarks).labels == right);
  CHECK(labels("train_mask,class\n1,0\n1,5\n", 2).labels == Labels{0, 5});
}

TEST_CASE("a first column beside the label is the vertex where it may be", "[table]") {
  Remarks remarks;
  CHECK(labels("paper,label\n2,1\n0,3\n1,0\n", 3, &remarks).labels == Labels{3, 0, 1});
  CHECK(remarks.empty());
  CHECK(labels("paper,label,weight\n2,1,7\n0,3,7\n1,0,7\n", 3, &remarks).labels == Labels{3, 0, 1});
  CHECK(remarks == Remarks{unread("label", "weight")});
  CHECK_THAT(refusedLabels("paper,label,weight\n2,1,7\n2,3,7\n1,0,7\n", 3), Contains("l.csv:3: column 1"));
  CHECK_THAT(refusedLabels("node,label,weight\n0,0.5,1\n1,1,1\n", 2),
             Contains("l.csv:2: column 2: 0.5 is no class"));
}

TEST_CASE("columns that are all read as labels are remarked where their names do not say so", "[table]") {
  Remarks remarks;
  CHECK(labels("node,train_mask,val_mask\n0,1,0\n1,0,1\n", 2, &remarks).classes == 2);
  CHECK(remarks == Remarks{"l.csv: the columns `train_mask` to `val_mask` are all read as labels: if one is, "
                           "name that one alone `label`"});
  CHECK(labels("node,label_a,label_b\n0,1,0\n1,1,1\n", 2, &remarks).classes == 2);
  CHECK(remarks.empty());
  CHECK(labels("label0,label1\n1,0\n1,1\n", 2, &remarks).classes == 2);
  CHECK(remarks.empty());
  CHECK(labels("class,group\n1,0\n1,1\n", 2, &remarks).classes == 2);
  CHECK(remarks == Remarks{"l.csv: the columns `class` to `group` are all read as labels: if one is, "
                           "name that one alone `label`"});
  CHECK(labels("1,0,1\n0,0,1\n", 2, &remarks).classes == 3);
  CHECK(remarks.empty());
}

TEST_CASE("a class as a text with blanks in quotes is no name of a row", "[table]") {
  CHECK(refusedLabels("label\n\"cat a\"\n\"dog b\"\n", 2) ==
        "l.csv:2:1: '\"cat a\"' is not a number; vertices and classes are numbers from 0, not names");
}

TEST_CASE("points before three zeros in classes are remarked, for they may group thousands", "[table]") {
  const std::string words = "l.csv: every number with a point has three digits behind it";
  const auto remarked = [&](const std::string& text) {
    Remarks remarks;
    labels(text, 3, &remarks);
    return std::ranges::any_of(remarks, [&](const auto& line) { return line.starts_with(words); });
  };
  for (const char* text :
       {"1.000\n2.000\n3.000\n", "label\n1.000\n2.000\n3.000\n", "0;1.000\n1;2.000\n2;3.000\n"}) {
    CAPTURE(text);
    CHECK(remarked(text));
  }
  for (const char* text :
       {"0.000\n1.000\n2.000\n", "1.0\n2.0\n3.0\n", "1\n2\n3\n", "1.000000\n2.000000\n3.000000\n"}) {
    CAPTURE(text);
    CHECK_FALSE(remarked(text));
  }
}
