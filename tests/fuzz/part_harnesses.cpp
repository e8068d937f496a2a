// Files of features, labels and splits that an experiment names, and what all readers share: arrays,
// packings, JSON.

#include <cstdlib>
#include <fstream>

#include "datasets/arrays/npz.h"
#include "datasets/input/unpack.h"
#include "datasets/load.h"
#include "datasets/parts/json_file.h"
#include "tests/fuzz/harness.h"
#include "tests/properties/document.h"

namespace halo::fuzz {
namespace {

using namespace properties;

std::filesystem::path written(const std::string& name, std::string_view bytes) {
  auto file = emptyFolder() / name;
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

/// Of the karate club, 34 vertices.
void readPart(std::string DatasetRequest::*part, const std::string& name, std::string_view bytes) {
  ::unsetenv("XDG_CACHE_HOME"), ::unsetenv("HOME");
  DatasetRequest request;
  request.name = "karate";
  request.*part = written(name, bytes).string();
  loadDataset(request);
}

std::vector<std::string> arraySeeds(Index rows, Index columns) {
  std::vector<std::string> seeds;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random = randomOf(seed, 2);
    Matrix values(rows, columns);
    for (Scalar& value : values.values()) value = static_cast<Scalar>(between(random, 0, 1));
    seeds.push_back(npyBytes(matrixArray("x", values, random)));
  }
  return seeds;
}

std::vector<std::string> tableSeeds() {
  std::string plain = "a,b\n", numbered = "node_id,x\n", words, pairs, map = "{";
  for (int v = 0; v < 34; ++v) {
    plain += "0.5," + std::to_string(v) + "\n";
    numbered += std::to_string(33 - v) + ",1e3\n";
    words += v % 3 == 0 ? "train\n" : v % 3 == 1 ? "valid\n" : "test\n";
    pairs += std::to_string(v) + " " + std::to_string(v % 4) + "\n";
    map += (v > 0 ? ", \"" : "\"") + std::to_string(v) + "\": " + std::to_string(v % 2);
  }
  std::vector<std::string> seeds = arraySeeds(34, 2);
  seeds.insert(seeds.end(), {plain, numbered, words, pairs, map + "}"});
  return seeds;
}

std::vector<std::string> archiveSeeds() {
  std::vector<std::string> seeds;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random = randomOf(seed, 3);
    const Matrix values(3, 2);
    seeds.push_back(
        npzBytes({matrixArray("a", values, random), integerArray("b", {1, 2}, random)}, seed % 2 == 0));
  }
  return seeds;
}

std::vector<std::string> packedSeeds() {
  std::vector<std::string> seeds;
  for (const Packing packing : {Packing::none, Packing::gzip, Packing::xz, Packing::zip}) {
    File file{"x"};
    for (int i = 0; i < 50; ++i) file.lines.push_back({{word("0 1")}, false});
    file.packing = packing;
    seeds.push_back(render(file));
  }
  return seeds;
}

}  // namespace

std::vector<Harness> partHarnesses() {
  const auto part = [](std::string DatasetRequest::*member, const char* name) {
    return [member, name](std::string_view bytes) { readPart(member, name, bytes); };
  };
  return {
      {"features", part(&DatasetRequest::features, "features.txt"), tableSeeds},
      {"labels", part(&DatasetRequest::labels, "labels.txt"), tableSeeds},
      {"labels-json", part(&DatasetRequest::labels, "labels.json"), tableSeeds},
      {"split", part(&DatasetRequest::split, "split.txt"), tableSeeds},
      {"npy", [](std::string_view bytes) { (void)readNpy(written("x.npy", bytes)).matrix("x"); },
       [] { return arraySeeds(3, 4); }},
      {"npz-bytes",
       [](std::string_view bytes) {
         for (const auto& [name, array] : readNpzBytes(std::string(bytes), "x")) (void)array.reals(name);
       },
       archiveSeeds},
      {"packed", [](std::string_view bytes) { (void)contentsOf(written("x", bytes)); }, packedSeeds},
      {"json", [](std::string_view bytes) { (void)readJson(written("x.json", bytes)); },
       [] {
         return std::vector<std::string>{R"({"a": [1, 2.5e3, {"b": null}], "ü\u00e9": [true, [[[]]]]})"};
       }},
  };
}

}  // namespace halo::fuzz
