#include "engine/base/registry.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

using namespace halo;

TEST_CASE("the linker lost no registering file", "[registry]") {
  std::istringstream files(HALO_REGISTERING_FILES);  // from CMake: sources without a header
  int count = 0;
  for (std::string file; files >> file; ++count) {
    CAPTURE(file);
    CHECK(std::ranges::any_of(registeringFiles(),
                              [&](const std::string& path) { return path.ends_with(file); }));
  }
  CHECK(count >= 10);
}
