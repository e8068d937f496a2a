#include "engine/base/plain_text.h"

#include <catch2/catch.hpp>

#include "engine/base/problem.h"

using namespace halo;

TEST_CASE("nothing that steers a terminal is left in what is printed", "[text]") {
  CHECK(visible("a\x1b[2J\x07\x7f\r") == "a\\u001B[2J\\u0007\\u007F\\u000D");
  CHECK(visible("\xC2\x9B"
                "31m") == "\\u009B31m");  // a control sequence begins with U+009B too
  CHECK(visible("\x9B"
                "31m\xff") == "\\x9B31m\\xFF");  // and with the byte where letters are of one byte
  CHECK(visible("\u202Eevil\u2066") == "\\u202Eevil\\u2066");
  CHECK(visible("line\nnext\tcell") == "line\nnext\tcell");
  CHECK(visible("µ 日本 ü – \u200Fעברית 😀") == "µ 日本 ü – \u200Fעברית 😀");
  CHECK(onOneLine("line\nnext\tcell") == "line\\u000Anext\\u0009cell");
}

TEST_CASE("bytes that are no UTF-8 are replaced one by one, what is UTF-8 stays", "[text]") {
  using namespace std::string_literals;
  CHECK(validUtf8("µ 日本 😀\x1b") == "µ 日本 😀\x1b");
  CHECK(validUtf8("a\xff"
                  "b\0c"s) == "a\uFFFDb\uFFFDc");
  for (const char* bad : {"\xC0\x80", "\xC3", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"}) {
    std::string replaced;
    for (const char* c = bad; *c != 0; ++c) replaced += "\uFFFD";
    CHECK(validUtf8(bad) == replaced);
  }
}

TEST_CASE("a word for a shell stands in quotes where it needs them, its own are kept", "[base]") {
  CHECK(shellWord("a b.db") == "'a b.db'");
  CHECK(shellWord("it's; rm -rf $HOME") == R"('it'\''s; rm -rf $HOME')");
  CHECK(shellWord("") == "''");
  CHECK(shellWord("/data/réseau-1.db") == "/data/réseau-1.db");
}
