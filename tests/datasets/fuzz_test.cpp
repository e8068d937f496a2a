// Small files of every format with bytes flipped, cut out and put in, by fixed seeds: a reader gives a graph
// whose parts agree or says what is wrong; it never crashes.

#include <catch2/catch.hpp>
#include <new>
#include <string>

#include "datasets/load.h"
#include "engine/base/philox.h"
#include "engine/base/problem.h"
#include "tests/datasets/own_cache.h"
#include "tests/support/folder_contents.h"
#include "tests/support/places.h"

using namespace halo;

namespace {

constexpr int kVariants = 150;
const std::string kData = std::string(kSourceDir) + "/tests/data/";

std::string altered(std::string bytes, PhiloxStream& random) {
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < changes && !bytes.empty(); ++i) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes[at] = static_cast<char>('0' + random.below(10));
        break;
      case 2:
        bytes.erase(at, 1 + random.below(8));
        break;
      default:
        bytes.insert(at, bytes.substr(random.below(bytes.size()), 1 + random.below(8)));
        break;
    }
  }
  if (random.below(4) == 0) bytes.resize(random.below(bytes.size() + 1));
  return bytes;
}

/// Loads and returns whether it was refused; anything but our two errors goes through.
bool refused(const std::string& path, const std::string& format) {
  DatasetRequest request;
  request.name = path;
  request.format = format;
  try {
    const Dataset set = loadDataset(request);
    CHECK(set.features.rows() == set.vertices());
    CHECK(static_cast<Index>(set.split.size()) == set.vertices());
    for (const Vertex column : set.arcs.columns) CHECK((column >= 0 && column < set.vertices()));
    return false;
  } catch (const DamagedInput&) {
    return true;
  } catch (const InputError&) {
    return true;
  }
}

void fuzzFile(const std::string& file, const std::string& format, std::uint64_t seed) {
  const OwnCache own;
  const std::string bytes = bytesOf(kData + file);
  REQUIRE_FALSE(bytes.empty());
  PhiloxStream random(seed, Purpose::generate, 0);
  int refusals = 0;
  for (int i = 0; i < kVariants; ++i) {
    CAPTURE(file, i);
    const auto path = own.write(std::filesystem::path(file).filename().string(), altered(bytes, random));
    refusals += refused(path.string(), format);
  }
  CHECK(refusals > 0);
}

}  // namespace

TEST_CASE("no altered text file makes a reader crash", "[fuzz]") {
  fuzzFile("good/weights.metis", "metis", 1);
  fuzzFile("good/skew.mtx", "matrix-market", 2);
  fuzzFile("good/crlf.txt", "edge-list", 3);
  fuzzFile("good/gaps.csv", "", 4);
  fuzzFile("bad/vertex.jlg", "jlg", 5);
  fuzzFile("bad/problem.gr", "pace", 6);
  fuzzFile("bad/node.gml", "gml", 7);
}

TEST_CASE("no altered packed file makes a reader crash", "[fuzz]") {
  fuzzFile("bad/truncated.txt.gz", "edge-list", 8);
  fuzzFile("good/stored.npz", "npz", 9);
  fuzzFile("good/dotted.npz", "npz", 10);
}

TEST_CASE("no altered file of a folder makes a reader crash", "[fuzz]") {
  const std::pair<const char*, const char*> members[] = {
      {"saint", "adj_full.npz"},     {"saint", "role.json"}, {"saint", "class_map.json"},
      {"saint", "feats.npy"},        {"sage", "toy-G.json"}, {"sage", "toy-id_map.json"},
      {"sage", "toy-class_map.json"}};
  std::uint64_t seed = 20;
  for (const auto& [folder, member] : members) {
    const OwnCache own;
    PhiloxStream random(seed++, Purpose::generate, 0);
    std::filesystem::copy(kData + "good/" + folder, own.path(folder));
    const std::string bytes = bytesOf(own.path(folder) / member);
    for (int i = 0; i < kVariants; ++i) {
      CAPTURE(folder, member, i);
      own.write(std::string(folder) + "/" + member, altered(bytes, random));
      refused(own.path(folder).string(), folder == std::string("saint") ? "graphsaint" : "graphsage");
    }
  }
}
