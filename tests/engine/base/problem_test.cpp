#include "engine/base/problem.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("a problem names file, line, column and key, leaving out what is absent", "[problem]") {
  CHECK(describe({"a.toml", 3, 13, "run.smoothing", "'some' cannot be used"}) ==
        "a.toml:3:13: run.smoothing: 'some' cannot be used");
  CHECK(describe({"a.toml", 0, 0, "", "is empty"}) == "a.toml: is empty");
  CHECK(describe({"", 0, 0, "--set", "needs key=value"}) == "--set: needs key=value");
}

TEST_CASE("the nearest known word is offered only when it is near", "[problem]") {
  CHECK(nearest("smothing", {"smoothing", "decay"}) == "smoothing");
  CHECK(nearest("quantum", {"smoothing", "decay"}).empty());
  CHECK(nearest("epoch", {"epochs"}) == "epochs");
  CHECK(nearest("levle", {"slices", "level"}) == "level");
  CHECK(nearest("hygnc", {"hygcn", "spu"}) == "hygcn");
}
