// What makes a stored set stale though its files stayed as they are.

#include "datasets/stamp.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/support/places.h"
#include "tests/support/process.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

/// The header that the build makes of the sources in LIST.
std::string digestIn(const std::filesystem::path& folder) {
  const auto process =
      test::run({"cmake", "-DROOT=" + folder.string(), "-DLIST=" + (folder / "list").string(),
                 "-DOUT=" + (folder / "digest.h").string(), "-P",
                 std::string(kSourceDir) + "/packaging/cmake/readers_digest.cmake"});
  CAPTURE(process.error);
  REQUIRE(process.status == 0);
  std::ostringstream text;
  text << std::ifstream(folder / "digest.h").rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("another code of the readers is another stamp", "[cache]") {
  const Scratch scratch;
  write(scratch / "g.txt", "0 1\n");
  CHECK(stampOf({scratch / "g.txt"}, "a") == stampOf({scratch / "g.txt"}, "a"));
  CHECK(stampOf({scratch / "g.txt"}, "a") != stampOf({scratch / "g.txt"}, "b"));
  CHECK(stampOf({scratch / "g.txt"}) != stampOf({scratch / "g.txt"}, ""));
}

TEST_CASE("the digest of the readers changes with any byte, name or number of their sources", "[cache]") {
  const Scratch scratch;
  write(scratch / "a.cpp", "int a = 1;\n");
  write(scratch / "b.cpp", "int b;\n");
  write(scratch / "list", "a.cpp\nb.cpp\n");
  const std::string first = digestIn(scratch.path());
  CHECK(digestIn(scratch.path()) == first);
  write(scratch / "a.cpp", "int a = 2;\n");
  const std::string other = digestIn(scratch.path());
  CHECK(other != first);
  write(scratch / "list", "b.cpp\na.cpp\n");
  CHECK(digestIn(scratch.path()) != other);
  write(scratch / "list", "a.cpp\n");
  CHECK(digestIn(scratch.path()) != other);
}
