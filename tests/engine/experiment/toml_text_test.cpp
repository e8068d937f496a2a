#include "engine/experiment/toml_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "engine/experiment/figure_file.h"
#include "engine/experiment/published.h"
#include "tests/engine/experiment/known.h"
#include "tests/support/scratch.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr int kHostile = 50'000;

std::string times(int count, const std::string& piece) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

/// What is wrong with the text, or "".
std::string said(const std::string& text) {
  try {
    (void)parseToml(text, "f");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string kDeep = "nested too deeply; at most 64 levels, one in another";

struct Form {
  const char* name;
  std::string (*text)(int levels);  // that many, one in another
};
const Form kForms[] = {
    {"dotted key", [](int n) { return times(n - 1, "a.") + "a = 1"; }},
    {"spaced key", [](int n) { return times(n - 1, "a\t. ") + "a = 1"; }},
    {"quoted keys", [](int n) { return times(n - 1, "'.'.") + "a=1"; }},
    {"header", [](int n) { return "x = 1\n[" + times(n - 2, "a.") + "a]"; }},
    {"header of a list", [](int n) { return "[[" + times(n - 3, "a.") + "a]]\r\n"; }},
    {"key under a header", [](int n) { return "[a]\n" + times(n - 2, "b.") + "b = 1 # c.d"; }},
    {"lists", [](int n) { return "a = " + times(n, "[") + times(n, "]"); }},
    {"inline tables", [](int n) { return "a = " + times(n, "{ a = ") + "1" + times(n, " }"); }},
    {"key in an inline table", [](int n) { return "a = { " + times(n - 1, "b.") + "b = 1.5 }"; }},
    {"second of a list", [](int n) { return "a = [{}, " + times(n - 1, "[") + times(n - 1, "]") + "]"; }},
};

}  // namespace

TEST_CASE("TOML of 64 levels is read, one more is refused with its place, and 50,000 end nothing",
          "[experiment][toml]") {
  for (const Form& form : kForms) {
    CAPTURE(form.name);
    CHECK(said(form.text(60)) == "");
    CHECK_THAT(said(form.text(66)), Catch::Contains(kDeep) && Catch::StartsWith("f:"));
    CHECK_THAT(said(form.text(kHostile)), Catch::Contains(kDeep));
    CHECK_THAT(said("\xEF\xBB\xBF" + form.text(kHostile)), Catch::Contains(kDeep));
  }
  CHECK_THAT(said("x = 1\n" + times(100, "a.") + "a = 1"), Catch::StartsWith("f:2:"));
}

TEST_CASE("what stands in strings and comments of TOML is no level, and hides none", "[experiment][toml]") {
  const std::string dots = times(500, "."), keys = times(500, "a.") + "a = 1";
  for (const std::string& before :
       {"a = \"" + dots + "\"", "a = '" + dots + "'", "# " + dots + "[[[[\"'", "\"" + dots + "\" = 2",
        "a = \"\"\"\n" + dots + "\n\\\"\"\"\"\"\"", "a = '''\n" + times(500, "[") + "\n'''''",
        std::string("a = \"\\\"\""), std::string("a = ''"), std::string("a = \"\""),
        std::string("a = \"\"\"\"\"\""), std::string("a = '\\'"), std::string("a = [1.5, 2.5, \"]\"]"),
        std::string("a = 1979-05-27T07:32:00.999 # '")}) {
    CAPTURE(before);
    CHECK(said(before) == "");
    CHECK_THAT(said(before + "\n" + keys), Catch::Contains(kDeep));
    CHECK_THAT(said(before + "\n[" + times(500, "a.") + "a]"), Catch::Contains(kDeep));
  }
}

TEST_CASE("a text that breaks off or goes wrong anywhere is refused or read, and ends nothing",
          "[experiment][toml]") {
  std::string text = "[a.b]\nc = \"x\\n\" # d\n[[e]]\nf = { g.h = [1.5, {i = '''j\n'''}] }\n";
  std::mt19937 random(7);
  const std::string pieces = ".[]{}=,\"'#\n\\a1 \r\t";
  for (int i = 0; i < 3000; ++i) {
    std::string mutation = text.substr(0, random() % (text.size() + 1));
    const auto at = random() % (mutation.size() + 1);
    mutation.insert(
        at, times(static_cast<int>(random() % 3) * 400,
                  std::string(1, pieces[random() % pieces.size()]) + pieces[random() % pieces.size()]));
    CHECK_NOTHROW(said(mutation));
  }
}

TEST_CASE("TOML may have a byte order mark and any line ends; other bytes are refused where they stand",
          "[experiment][toml]") {
  CHECK(parseToml("\xEF\xBB\xBF"
                  "a = 1\r\n[b]\r\nc = 2\r\n",
                  "f")["b"]["c"] == 2);
  CHECK_THAT(said(std::string("a = 1\nb = \"x\0y\"", 15)), Catch::StartsWith("f:2:"));
  CHECK_THAT(said(std::string("a = 1\n\0", 7)), Catch::StartsWith("f:2:1: not TOML"));
  CHECK_THAT(said("a = 1\nb = \"\xFF\""), Catch::StartsWith("f:2:") && Catch::Contains("utf-8"));
  CHECK_THAT(said(std::string("\xFF\xFE"
                              "a\0=\0001\0",
                              8)),
             Catch::StartsWith("f:1:1: not TOML"));
  CHECK(said(std::string(kLargestToml + 1, '#')) == "f: is larger than 4 MiB; TOML of at most that is read");
  CHECK(said(std::string(kLargestToml, '#')) == "");
}

TEST_CASE("every reader of TOML refuses levels without end", "[experiment][toml]") {
  const Scratch scratch;
  const std::string deep = times(kHostile, "a.") + "a = 1\n";
  const auto file = scratch / "deep.toml";
  std::ofstream(file) << deep;
  CHECK_THAT(problemsOf("schema = 1\n" + deep), Catch::StartsWith("a.toml:2:") && Catch::Contains(kDeep));
  CHECK_THROWS_WITH(readExperiment(file, known()), Catch::Contains("deep.toml:1:") && Catch::Contains(kDeep));
  CHECK_THROWS_WITH(readFigureFile(file, "accelerator", {}), Catch::Contains(kDeep));
  CHECK_THROWS_WITH(readFigures(file, {}), Catch::Contains(kDeep));
  CHECK_THROWS_WITH(readLinks(file), Catch::Contains(kDeep));
  CHECK_THAT(readPublished(deep).damaged, Catch::StartsWith("the recorded experiment:1:"));
  CHECK_THAT(
      problemsOf("schema = 1\n[[run]]\nmethod = \"vanilla\"", {{"training.epochs", times(kHostile, "[")}}),
      Catch::StartsWith("--set training.epochs: '[[[") && Catch::Contains("a whole number"));
}

TEST_CASE("a file of TOML without an end is read no further than the limit", "[experiment][toml]") {
  CHECK_THROWS_WITH(readTomlFile("/dev/zero", "an experiment file"), Catch::Contains("is larger than 4 MiB"));
  std::istringstream endless(std::string(kLargestToml + 1, '#'));
  CHECK_THROWS_WITH(readTomlStream(endless, "-"), "-: is larger than 4 MiB; TOML of at most that is read");
  CHECK_THROWS_WITH(readTomlFile("/", "an experiment file"), "/: is a folder; an experiment file is needed");
  CHECK_THROWS_WITH(readTomlFile("/nowhere", "an experiment file"),
                    Catch::Contains("cannot be read: No such"));
}

TEST_CASE("a pipe of TOML is read while somebody writes into it, and refused where nobody does",
          "[experiment][toml]") {
  const Scratch folder;
  const auto pipe = folder / "pipe.toml";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(readTomlFile(pipe, "an experiment file"),
                    pipe.string() + ": is a pipe into which nobody writes; an experiment file is needed");

  const int writer = ::open(pipe.c_str(), O_RDWR);
  const int kept = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);  // what is written outlives its writer
  REQUIRE(writer >= 0);
  REQUIRE(kept >= 0);
  REQUIRE(::write(writer, "schema", 6) == 6);
  std::thread rest([&] {
    (void)!::write(writer, " = 1\n", 5);
    ::close(writer);
  });
  CHECK(readTomlFile(pipe, "an experiment file") == "schema = 1\n");
  rest.join();
  ::close(kept);
}
