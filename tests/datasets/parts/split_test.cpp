#include "datasets/parts/split.h"

#include <catch2/catch.hpp>

#include "datasets/text/no_label.h"
#include "tests/datasets/parts/small_tables.h"
#include "tests/support/array_files.h"

using namespace halo;

TEST_CASE("the parts of a split have their usual names", "[split]") {
  for (const char* name :
       {"train", "Training", "is_train", "train_mask", "idx_train", "index_train", "tr", "train_set"})
    CHECK(partNamed(name) == Split::train);
  for (const char* name :
       {"val", "valid", "validation", "is_val", "isValid", "val_mask", "valid_idx", "va", "dev"})
    CHECK(partNamed(name) == Split::valid);
  for (const char* name : {"test", "testing", "is_test", "test_masks", "te", "test-indices"})
    CHECK(partNamed(name) == Split::test);
  for (const char* name : {"", "is", "mask", "value", "trained_by", "tested_on", "id", "label", "test2"})
    CHECK_FALSE(partNamed(name).has_value());
}

TEST_CASE("no label is written in several ways, and a class in none of them", "[labels]") {
  for (const char* cell : {"", " ", "\"\"", "-1", "-1.0", "-1.000e+00", "nan", "NaN", "-nan", "NA", "n/a",
                           "None", "null", "\"NULL\"", " nan "})
    CHECK(saysNoLabel(cell));
  for (const char* cell : {"0", "1", "-2", "-1.5", "--1", "-", "a", "nano", "nana", "not", "\"", "-1a"})
    CHECK_FALSE(saysNoLabel(cell));
}

TEST_CASE("a part of a split under another name is named where its file is missing", "[split]") {
  const OwnCache own;
  for (const char* part : {"train", "val", "test"}) own.write("s/" + std::string(part) + ".csv", "0\n");
  std::vector<std::string> remarks;
  CHECK(refusal([&] { readSplitFolder(own.path("s"), 3, remarks); }) ==
        own.path("s/valid.csv").string() +
            ": is missing; a split is train.csv, valid.csv and test.csv, packed or "
            "not: give val.csv that name");
}

TEST_CASE("words for nothing are vertices in no part of a split", "[split]") {
  const OwnCache own;
  Remarks remarks;
  for (const char* none : {"none", "None", "NONE", "nan", "NaN", "NA", "null", "\"\"", "\"None\""}) {
    CAPTURE(none);
    const auto file = own.write("s.txt", "Train\n" + std::string(none) + "\nVALID\n");
    CHECK(readSplitFile(file, 3, remarks) == std::vector{Split::train, Split::none, Split::valid});
  }
  CHECK(refusedSplit("train\n-1\ntest\n", 3).starts_with("s.csv:2:1: '-1' is no part of a split"));
}

TEST_CASE("an array of numpy where text is read is called binary", "[split]") {
  const OwnCache own;
  Remarks remarks;
  const std::string array = longs({0, 1, 0});
  const auto mask = own.write("mask.npy", array);
  CHECK_THROWS_WITH(
      readSplitFile(mask, 3, remarks),
      mask.string() +
          ": is binary, an array of numpy (.npy); a split is an .npz with train_mask, val_mask and "
          "test_mask, a folder with train.csv, valid.csv and test.csv, or text with a word a line");
  const auto train = own.write("s/train.csv", array);
  own.write("s/valid.csv", "1\n");
  own.write("s/test.csv", "2\n");
  CHECK_THROWS_WITH(
      readSplitFile(own.path("s"), 3, remarks),
      train.string() + ": is binary, an array of numpy (.npy); text, as numpy.savetxt writes it");
}
