#include "datasets/parts/split.h"

#include <catch2/catch.hpp>

#include "datasets/text/no_label.h"
#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"

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
