#include "datasets/limits.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <vector>

#include "datasets/dataset.h"
#include "tests/datasets/own_cache.h"

using namespace halo;

namespace {

constexpr double kMiB = 1048576, kGiB = 1024 * kMiB;

DatasetRequest at(const std::filesystem::path& path, double limit = 0) {
  DatasetRequest request;
  request.name = path.string();
  request.memoryLimitGib = limit;
  return request;
}

}  // namespace

TEST_CASE("memory that the file does not justify is refused with size, room and key", "[limits]") {
  CHECK_NOTHROW(requireRoom(15 * kMiB, 0, "an array", {"a.npz", 0, 0, "", ""}));
  CHECK_THROWS_WITH(requireRoom(3 * kGiB, 20, "an array of 3 × 4", {"a.npz", 7, 2, "x", ""}),
                    "a.npz:7:2: x: an array of 3 × 4 would take 3.0 GiB; 20 bytes of data justify "
                    "1.0 GiB; dataset.memory_limit_gib (or HALO_MEMORY_LIMIT_GIB in the "
                    "environment) raises the limit");
  CHECK_THROWS_WITH(requireRoom(1e18, 1e18, "an array", {"a.npz", 0, 0, "", ""}),
                    Catch::Matchers::Contains("are available; dataset.memory_limit_gib (or"));
  CHECK_THROWS_AS(requireRoom(1e18, 1e18, "an array", {}), DamagedInput);
}

TEST_CASE("a limit that is set counts instead of what is free and justified", "[limits]") {
  {
    const MemoryLimit limit(0.5);
    CHECK_NOTHROW(requireRoom(0.4 * kGiB, 0, "an array", {}));
    CHECK_THROWS_WITH(requireRoom(0.6 * kGiB, 1e18, "an array", {}),
                      "an array would take 614.4 MiB; dataset.memory_limit_gib (or "
                      "HALO_MEMORY_LIMIT_GIB in the environment) allows 512.0 MiB");
    const MemoryLimit inner(1e5);
    CHECK_NOTHROW(requireRoom(9000 * kGiB, 0, "an array", {}));
  }
  CHECK_THROWS_AS(requireRoom(9000 * kGiB, 0, "an array", {}), DamagedInput);
  ::setenv(kMemoryLimitVariable, "0.25", 1);
  CHECK_THROWS_WITH(requireRoom(0.4 * kGiB, 1e18, "it", {}), Catch::Matchers::EndsWith("allows 256.0 MiB"));
  {
    const MemoryLimit limit(2);  // the experiment's word comes before the environment's
    CHECK_NOTHROW(requireRoom(1.5 * kGiB, 0, "it", {}));
  }
  for (const char* wrong : {"much", "-1", "0", "4 GiB", "nan", "1e300"}) {
    CAPTURE(wrong);
    ::setenv(kMemoryLimitVariable, wrong, 1);
    CHECK_THROWS_AS(requireRoom(1, 1, "it", {}), InputError);
  }
  ::unsetenv(kMemoryLimitVariable);
}

TEST_CASE("what a reader of a stream takes is held against what was there", "[limits]") {
  const MemoryLimit limit(0.03125);
  const MemoryGrowth growth;
  CHECK_NOTHROW(growth.require(0, "what was read", {"a.txt", 3, 0, "", ""}));
  std::vector<char> taken(static_cast<std::size_t>(40 * kMiB), 'x');
  CHECK_THROWS_WITH(growth.require(0, "what was read", {"a.txt", 3, 0, "", ""}),
                    Catch::Matchers::StartsWith("a.txt:3: what was read would take 4"));
  CHECK(taken[5] == 'x');
}

TEST_CASE("vertices without edges are bounded by what the file holds", "[limits]") {
  const OwnCache own;
  const auto tiny = own.write("tiny.jlg", "40000000,1,u,graph\n1,2\n");
  CHECK_THROWS_WITH(
      loadDataset(at(tiny)),
      tiny.string() +
          ": 40000000 vertices with generated features would take 10.3 GiB; 8 "
          "bytes of data justify 1.0 GiB; dataset.memory_limit_gib (or HALO_MEMORY_LIMIT_GIB in the "
          "environment) raises the limit");
  const auto few = own.write("few.jlg", "20000,1,u,graph\n1,2\n");
  CHECK(loadDataset(at(few)).vertices() == 20000);
  CHECK_THROWS_AS(loadDataset(at(own.write("limited.jlg", "20001,1,u,graph\n1,2\n"), 0.001)), DamagedInput);
  const auto matrix = own.write("tiny.mtx",
                                "%%MatrixMarket matrix coordinate pattern general\n"
                                "90000000 90000000 1\n1 2\n");
  CHECK_THROWS_WITH(loadDataset(at(matrix)), Catch::Matchers::Contains("dataset.memory_limit_gib"));
}
