#include "engine/base/give_way.h"

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

using namespace halo;

namespace {

int nice() { return getpriority(PRIO_PROCESS, 0); }

}  // namespace

TEST_CASE("a thread that gives way stands behind the first alone, however often it does", "[base]") {
  const int before = nice();
  int once = 0, twice = 0;
  std::jthread([&] {
    giveWay();
    once = nice();
    giveWay();
    twice = nice();
  }).join();
  CHECK(once == std::min(before + 5, 19));
  CHECK(twice == once);
  CHECK(nice() == before);
}
