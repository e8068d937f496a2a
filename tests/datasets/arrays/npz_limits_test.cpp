// Arrays that pack a thousandfold: what they become is held against their file, not against their own bytes.

#include <catch2/catch.hpp>
#include <string>

#include "datasets/arrays/npz.h"
#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"
#include "tests/support/array_files.h"

using namespace halo;
using Catch::Matchers::Contains;

TEST_CASE("numbers of an array are held against the bytes of its file", "[npz][limits]") {
  constexpr std::size_t kEdges = 70'000'000;  // 140 MB, which as vertex numbers are 1.1 GB
  const std::string packed =
      zipOf({{"e.npy", npyFile("|u1", shapeOf({2, kEdges}), std::string(2 * kEdges, '\0'))}}, ZIP_CM_BZIP2);
  CHECK(packed.size() < 1000);
  const auto arrays = readNpzBytes(packed, "x.npz");
  for (const std::string& message : {refusal([&] { arrays.at("e").integers("x.npz: e"); }),
                                     refusal([&] { arrays.at("e").reals("x.npz: e"); })})
    CHECK_THAT(message, Contains("x.npz: e: its numbers beside all that was read would take 1.") &&
                            Contains(" of data justify 1.0 GiB; dataset.memory_limit_gib"));
}

TEST_CASE("sparse features are made dense where their file justifies it", "[npz][limits]") {
  constexpr std::size_t kRows = 300'000;
  const OwnCache own;
  const auto file = own.write(
      "a.npz", npzOf({{"attr_data", floats({})},
                      {"attr_indices", longs({})},
                      {"attr_indptr", npyFile("<i8", shapeOf({kRows + 1}),
                                              std::string((kRows + 1) * sizeof(std::int64_t), '\0'))},
                      {"attr_shape", longs({kRows, 1000})},
                      {"edge_index", longs(2, 1, {0, 1})}}));
  CHECK_THAT(refusalOf(file), Contains("a dense matrix of 300000 × 1000 would take 1.1 GiB; ") &&
                                  Contains(" of data justify 1.0 GiB; dataset.memory_limit_gib"));
}

TEST_CASE("vertices are justified by the file, not by the labels that it unpacks to", "[npz][limits]") {
  constexpr std::size_t kVertices = 6'000'000;
  const OwnCache own;
  const auto file =
      own.write("a.npz", npzOf({{"y", npyFile("|u1", shapeOf({kVertices}), std::string(kVertices, '\0'))},
                                {"edge_index", longs(2, 1, {0, 1})}}));
  CHECK_THAT(refusalOf(file), Contains("6000000 vertices with generated features would take 1.5 GiB; ") &&
                                  Contains(" of data justify 1.0 GiB; dataset.memory_limit_gib"));
}
