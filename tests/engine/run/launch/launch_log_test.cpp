#include "engine/run/launch/launch_log.h"

#include <catch2/catch.hpp>

using halo::LaunchLog;

TEST_CASE("of many lines a log keeps the first and the last, and says how many it left out", "[run]") {
  LaunchLog log(4);
  CHECK(log.empty());
  CHECK(log.text().empty());
  for (const char* line : {"1", "2", "3", "4"}) log.add(line);
  CHECK_FALSE(log.empty());
  CHECK(log.text() == "1\n2\n3\n4\n");
  for (const char* line : {"5", "6", "7"}) log.add(line);
  CHECK(log.lines() == std::vector<std::string>{"1", "2", "6", "7"});
  CHECK(log.text() == "1\n2\n(3 lines were left out here)\n6\n7\n");
}

TEST_CASE("of a long line a log keeps the beginning, and says how much it left out", "[run]") {
  LaunchLog log(2);
  log.add(std::string(4096, 'a'));
  log.add(std::string(4099, 'b'));
  CHECK(log.lines() ==
        std::vector<std::string>{std::string(4096, 'a'), std::string(4096, 'b') + "… (3 bytes more)"});
}
