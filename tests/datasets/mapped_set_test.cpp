// Converted sets of which all workers of a host map the features.
#include "datasets/mapped_set.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "engine/base/index.h"
#include "engine/base/problem.h"
#include "tests/datasets/own_cache.h"
#include "tests/support/folder_contents.h"

using namespace halo;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

DatasetRequest mappedOf(const std::string& name) {
  DatasetRequest request;
  request.name = name;
  request.mapFeatures = true;
  return request;
}

Dataset unmapped(DatasetRequest request) {
  request.mapFeatures = false;
  return loadDataset(request);
}

/// A path of six vertices with features, most of them zero.
std::string tinySet(const OwnCache& own) {
  own.write("tiny/raw/num-node-list.csv", "6\n");
  own.write("tiny/raw/edge.csv", "0,1\n1,2\n2,3\n3,4\n4,5\n");
  own.write("tiny/raw/node-feat.csv", "1,0,0,0\n0,2,0,0\n0,0,3,0\n0,0,0,4\n5,5,0,0\n0,0,0,0\n");
  own.write("tiny/raw/node-label.csv", "0\n1\n0\n1\n0\n1\n");
  return own.path("tiny").string();
}

void checkSame(const DatasetRequest& request) {
  const Dataset set = loadDataset(request), expected = unmapped(request);
  REQUIRE(set.mapped.has_value());
  CHECK(set.features.empty());
  CHECK(set.features.cols() == expected.features.cols());
  const MappedRows rows(*set.mapped);
  REQUIRE(rows.rows().rows() == expected.features.rows());
  REQUIRE(rows.rows().cols() == expected.features.cols());
  CHECK(std::memcmp(rows.rows().data(), expected.features.data(), expected.features.bytes()) == 0);
  CHECK(set.arcs.columns == expected.arcs.columns);
  CHECK(set.labels == expected.labels);
  CHECK(set.split == expected.split);
  CHECK(set.marks == expected.marks);
  CHECK(set.remarks == expected.remarks);
  CHECK(set.name == expected.name);
  CHECK(set.fingerprint == expected.fingerprint);
  const DatasetShape shape = datasetShape(request);
  CHECK(shape.features == expected.features.cols());
  CHECK(shape.classes == expected.classes);
  CHECK(shape.split() == expected.split);
}

}  // namespace

TEST_CASE("a set that was converted for it is the same with its features mapped", "[mapped]") {
  const OwnCache own;
  std::vector<DatasetRequest> requests = {mappedOf(tinySet(own)), mappedOf(tinySet(own)), mappedOf("karate"),
                                          mappedOf("cora-like")};
  requests[1].normalizeFeatures = true;
  requests[3].scale = 0.05;
  requests[3].seed = 7;
  for (const DatasetRequest& request : requests) {
    CAPTURE(request.name, request.normalizeFeatures);
    CHECK_THROWS_WITH(loadDataset(request), Contains("convert it first"));
    const std::filesystem::path file = convertForMapping(request);
    CHECK(file.parent_path() == own.cache() / "haloscope");
    checkSame(request);
  }
}

TEST_CASE("a set without a converted form to map is refused with the command that makes it", "[mapped]") {
  const OwnCache own;
  DatasetRequest request = mappedOf("cora-like");
  request.scale = 0.05;
  request.seed = 7;
  request.normalizeFeatures = true;
  const std::string message =
      "dataset.map_features: 'cora-like' has no converted form with features to map, or its files have "
      "changed since; convert it first: `haloscope dataset map cora-like --scale 0.05 --seed 7 "
      "--normalize-features row`";
  CHECK_THROWS_WITH(loadDataset(request), message);
  CHECK_THROWS_WITH(datasetShape(request), message);
  CHECK_THROWS_AS(loadDataset(request), InputError);
  // a form that was converted for reading alone is none
  DatasetRequest tiny = mappedOf(tinySet(own));
  unmapped(tiny);
  CHECK_THROWS_WITH(loadDataset(tiny), Contains("convert it first: `haloscope dataset map "));
  tiny.labels = own.write("it's new.csv", "0\n1\n0\n1\n0\n1\n").string();
  CHECK_THROWS_WITH(loadDataset(tiny), EndsWith("--labels '" + own.path("it'\\''s new.csv").string() + "'`"));
}

TEST_CASE("a set whose files changed since is to be converted again", "[mapped]") {
  const OwnCache own;
  const DatasetRequest request = mappedOf(tinySet(own));
  convertForMapping(request);
  checkSame(request);
  own.write("tiny/raw/node-feat.csv", "1,0,0,0\n0,2,0,0\n0,0,3,0\n0,0,0,4\n5,5,0,0\n0,0,0,7\n");
  CHECK_THROWS_WITH(loadDataset(request), Contains("convert it first"));
  convertForMapping(request);
  checkSame(request);
}

TEST_CASE("a converted form that is cut short or altered is refused, with its sizes", "[mapped]") {
  const OwnCache own;
  const DatasetRequest request = mappedOf(tinySet(own));
  const std::filesystem::path file = convertForMapping(request);
  const std::string intact = bytesOf(file);
  const RowsInFile place = *loadDataset(request).mapped;
  const auto end = at(place.begin) + place.bytes();
  const auto refusal = [&](const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
    CHECK_THROWS_AS(loadDataset(request), DamagedInput);
    try {
      loadDataset(request);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string cut = refusal(intact.substr(0, end - 4));
  CHECK(cut == "dataset.map_features: " + file.string() + ": is cut short: it has " +
                   std::to_string(end - 4) + " bytes, and features of 6 × 4 end at " + std::to_string(end) +
                   "; convert it again: `haloscope dataset map " + request.name + "`");
  CHECK_THROWS_WITH(datasetShape(request), Contains("is cut short"));
  std::string altered = intact;
  altered[end - 1] = static_cast<char>(altered[end - 1] ^ 4);
  CHECK_THAT(refusal(altered),
             Contains("is damaged: the digest of its features does not fit; convert it again"));
  CHECK_THAT(refusal(intact.substr(0, 20)), Contains("is damaged: it ends early; convert it again"));
  CHECK_THAT(refusal("something else"), Contains("is damaged: "));
}

TEST_CASE("a form that cannot be kept says where", "[mapped]") {
  const OwnCache own;
  own.write("cache", "a file where the folder should be");
  CHECK_THROWS_WITH(convertForMapping(mappedOf("karate")), Contains("cannot be written: "));
}
