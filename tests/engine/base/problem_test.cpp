#include "engine/base/problem.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("a problem names file, line, column and key, leaving out what is absent", "[problem]") {
  CHECK(describe({"a.toml", 3, 13, "run.smoothing", "'some' cannot be used"}) ==
        "a.toml:3:13: run.smoothing: 'some' cannot be used");
  CHECK(describe({.file = "a.toml", .message = "is empty"}) == "a.toml: is empty");
  CHECK(describe({.key = "--set", .message = "needs key=value"}) == "--set: needs key=value");
}

TEST_CASE("control characters are told as TOML writes them, so that nothing cuts what is said", "[problem]") {
  using namespace std::string_literals;
  const Problem problem{"a.toml", 3, 13, "dataset.path",
                        "'gra\0ph\x1b[2J\x7f' cannot be used\nsecond\tline, µ"s};
  const std::string expected =  // a line end too: what follows it must not look like a line of ours
      "a.toml:3:13: dataset.path: 'gra\\u0000ph\\u001B[2J\\u007F' cannot be used\\u000Asecond\\u0009line, µ";
  CHECK(describe(problem) == expected);
  CHECK(InputError(problem).what() == expected);
  CHECK(InputError(problem).problems().front().message ==
        "'gra\\u0000ph\\u001B[2J\\u007F' cannot be used\nsecond\tline, µ");
  CHECK(describe({.message = "a: one\nb: other"}) == "a: one\nb: other");  // lines described before
  CHECK(DamagedInput(problem).what() == expected);
}

TEST_CASE("of what is too long to be read a problem has the beginning", "[problem]") {
  const std::string letters(3'000'000, 'x'), cut(100, 'x');
  const Problem key{"a.toml", 3, 1, "run." + letters, "unknown key"};
  CHECK(describe(key) == "a.toml:3:1: run." + cut.substr(4) + "…: unknown key");
  CHECK(InputError(key).problems().front().key == "run." + cut.substr(4) + "…");
  CHECK(describe({"a.toml", 3, 1, "run", "'" + letters + "' is no method; one of a b"}) ==
        "a.toml:3:1: run: '" + cut.substr(1) + "… is no method; one of a b");
  std::string words;
  while (words.size() < letters.size()) words += "xx ";
  CHECK(describe({"a.toml", 3, 1, "run", words}).size() < 20'000);
  // a path is told in full, whatever its length
  const std::string path = "/" + std::string(4000, 'p');
  CHECK(describe({path, 1, 0, "", path + " is not there"}) == path + ":1: " + path + " is not there");
}

TEST_CASE("the nearest known word is offered only when it is near", "[problem]") {
  CHECK(nearest("smothing", {"smoothing", "decay"}) == "smoothing");
  CHECK(nearest("quantum", {"smoothing", "decay"}).empty());
  CHECK(nearest("epoch", {"epochs"}) == "epochs");
  CHECK(nearest("levle", {"slices", "level"}) == "level");
  CHECK(nearest("hygnc", {"hygcn", "spu"}) == "hygcn");
}
