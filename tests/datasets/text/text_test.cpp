#include "datasets/text/text.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "engine/base/problem.h"
#include "tests/support/scratch.h"

using namespace halo;

TEST_CASE("a line without an end is refused before it fills the memory", "[datasets]") {
  const Scratch folder;
  const std::size_t longest = std::size_t{2} << 20;
  {
    std::ofstream out(folder / "long.txt");
    out << "1 2\n" << std::string(longest - 1, '0') << "\n" << std::string(2 * longest, '0');
  }
  TextFile file(folder / "long.txt", {}, longest);
  std::string_view line;
  REQUIRE(file.next(line));
  CHECK(line == "1 2");
  REQUIRE(file.next(line));
  CHECK(line.size() == longest - 1);
  std::string message;
  try {
    file.next(line);
  } catch (const DamagedInput& error) {
    message = error.what();
  }
  CHECK(message.find("long.txt:3: is longer than 2097152 bytes") != std::string::npos);
}

TEST_CASE("a message shows signs that steer, or look like others, by their numbers", "[text]") {
  CHECK(shown("0\t1") == "'0\\t1'");
  CHECK(shown("0\u00A01") == "'0\\u00A01'");
  CHECK(shown("\u22121") == "'\\u22121'");
  CHECK(shown("\x1B[2J") == "'\\u001B[2J'");
  CHECK(shown("\xFF") == "'\\xFF'");
  CHECK(shown("müßig, 源") == "'müßig, 源'");
  CHECK(shown(std::string(39, 'a') + "ß") == "'" + std::string(39, 'a') + "...'");  // no half letter
  CHECK(shown(std::string(40, 'a')) == "'" + std::string(40, 'a') + "'");
}
