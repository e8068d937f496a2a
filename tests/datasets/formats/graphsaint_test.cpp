#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/datasets/loading.h"
#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"
#include "tests/support/array_files.h"
#include "tests/support/places.h"

using namespace halo;

namespace {

/// What is said of the good folder with one file of another text, from the name of that file on.
std::string refused(const std::string& file, const std::string& text) {
  const OwnCache own;
  std::filesystem::copy(std::string(kSourceDir) + "/tests/data/good/saint", own.path("saint"));
  own.write("saint/" + file, text);
  const std::string message = refusalOf(own.path("saint"));
  return message.substr(std::min(message.size(), message.find(file)));
}

}  // namespace

TEST_CASE("JSON of a GraphSAINT folder that is deep, doubled or no vertex is refused with its place",
          "[graphsaint]") {
  const std::string deep = "lists and objects lie more than 64 deep; a data set needs a few levels";
  CHECK(refused("role.json", "{\"tr\": [0], \"va\": [1], \"te\": []}").empty());
  CHECK(refused("role.json", std::string(100'000, '[')) == "role.json:1:65: " + deep);
  CHECK(refused("role.json", "{\"tr\": " + std::string(100'000, '[')) == "role.json:1:71: " + deep);
  CHECK(refused("role.json", "{\"tr\": [0],\n\"va\": [1], \"te\": [], \"tr\": []}") ==
        "role.json:2:22: 'tr': stands twice in one object; every key once");
  CHECK(refused("role.json", "{\"tr\": [[[[0]]]], \"va\": [1], \"te\": []}") ==
        "role.json:1:9: tr: [[[0]]] is not a vertex; 0 to 1");
  CHECK(refused("class_map.json", "{\"0\": 1, \"1\": 2000000}") ==
        "class_map.json:1:15: '1': 2000000 is no class; a class is a whole number from 0 to 1000000");
}

TEST_CASE("a list of one number a vertex is its class", "[graphsaint]") {
  const OwnCache own;
  std::filesystem::copy(std::string(kSourceDir) + "/tests/data/good/saint", own.path("saint"));
  own.write("saint/class_map.json", "{\"0\": [1], \"1\": [0]}");
  const Dataset set = loadAt(own.path("saint"));
  CHECK(set.labels == std::vector<std::int32_t>{1, 0});
  CHECK(remarks(set, "class_map.json: a list of one number a vertex, which is read as its class"));
}

TEST_CASE("roles have the usual names, and a vertex is in one list once", "[graphsaint]") {
  CHECK(refused("role.json", "{\"train\": [0], \"validation\": [1], \"test\": []}").empty());
  CHECK(refused("role.json", "{\"tr\": [0, 0],\n\"va\": [1], \"te\": []}") ==
        "role.json:1:12: tr: vertex 0 is listed twice in train; every vertex once");
  CHECK(refused("role.json", "{\"tr\": [0],\n\"va\": [1], \"te\": [0]}") ==
        "role.json:2:19: te: vertex 0 is in train and in test; the parts of a split do not overlap");
  CHECK(refused("role.json", "{\"tr\": [0], \"train\": [1], \"va\": [], \"te\": []}") ==
        "role.json:1:22: train: names the same part as tr; one list a part");
  CHECK(refused("role.json", "{\"tr\": [0], \"te\": []}") ==
        "role.json: va: is missing; lists of vertices under tr, va and te");
}

TEST_CASE("values and stored zeros of a GraphSAINT matrix are remarked", "[graphsaint]") {
  const OwnCache own;
  std::filesystem::copy(std::string(kSourceDir) + "/tests/data/good/saint", own.path("saint"));
  own.write("saint/adj_full.npz", npzOf({{"data", floats({1, 0})},
                                         {"indices", longs({1, 0})},
                                         {"indptr", longs({0, 1, 2})},
                                         {"shape", longs({2, 2})}}));
  const Dataset set = loadAt(own.path("saint"));
  CHECK(set.arcs.nonzeros() == 2);
  CHECK(remarks(set, "values of the matrix are not read"));
  CHECK(remarks(set, "1 entry of the matrix is a zero that the file stores; each is an arc"));
}
