// What the fuzzer once found, in tests/data/finds/HARNESS/: each is read, or refused in words of ours.

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/fuzz/harness.h"
#include "tests/support/places.h"

using namespace halo;

TEST_CASE("what the fuzzer found stays mended", "[finds]") {
  const auto finds = std::filesystem::path(kSourceDir) / "tests/data/finds";
  for (const auto& folder : std::filesystem::directory_iterator(finds)) {
    const fuzz::Harness* harness = fuzz::harnessNamed(folder.path().filename().string());
    CAPTURE(folder.path().string());
    REQUIRE(harness != nullptr);
    for (const auto& find : std::filesystem::directory_iterator(folder)) {
      CAPTURE(find.path().filename().string());
      CHECK(fuzz::misbehaviour(*harness, fuzz::bytesOf(find.path())) == "");
    }
  }
}

TEST_CASE("every harness reads what it begins with", "[finds]") {
  for (const fuzz::Harness& harness : fuzz::harnesses()) {
    CAPTURE(harness.name);
    const auto seeds = harness.seeds();
    REQUIRE_FALSE(seeds.empty());
    CHECK(fuzz::misbehaviour(harness, seeds.front()) == "");
  }
}
