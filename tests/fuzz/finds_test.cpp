// What the fuzzer found, in tests/data/finds/HARNESS/, and inputs whose depth ended programs: each is read,
// or refused in words of ours.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/fuzz/bundle.h"
#include "tests/fuzz/harness.h"
#include "tests/support/places.h"

using namespace halo;

namespace {

constexpr rlim_t kMostSeconds = 20;  // of processor time; sanitizers are slow

/// How the harness ends on it, in a process of its own: what kills it takes no other test along.
std::string endOn(const std::string& name, const std::string& bytes) {
  const fuzz::Harness* harness = fuzz::harnessNamed(name);
  if (harness == nullptr) return "there is no harness " + name;
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit most{kMostSeconds, kMostSeconds};
    ::_exit(::setrlimit(RLIMIT_CPU, &most) == 0 && fuzz::misbehaviour(*harness, bytes).empty() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : fuzz::misbehaviour(*harness, bytes);
}

std::string repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

}  // namespace

TEST_CASE("what the fuzzer found stays mended", "[finds]") {
  for (const auto& folder :
       std::filesystem::directory_iterator(std::filesystem::path(kSourceDir) / "tests/data/finds"))
    for (const auto& find : std::filesystem::directory_iterator(folder)) {
      CAPTURE(find.path().string());
      CHECK(endOn(folder.path().filename().string(), bytesOf(find.path())) == "");
    }
}

TEST_CASE("no depth of TOML ends a program", "[finds]") {
  constexpr int kDeep = 50'000;
  const std::string inputs[] = {"a" + repeated(".a", kDeep) + " = 1\n", "[a" + repeated(".a", kDeep) + "]\n",
                                "a = " + repeated("[", kDeep), "a = " + repeated("{a=", kDeep),
                                repeated("[[a]]\n", kDeep)};
  for (const char* harness : {"experiment", "published", "device", "cluster", "links", "gates"})
    for (const std::string& input : inputs) {
      CAPTURE(harness, input.substr(0, 20));
      CHECK(endOn(harness, input) == "");
    }
}

TEST_CASE("no number of unknown keys holds up who reads an experiment", "[finds]") {
  CHECK(endOn("experiment", "schema = 1\nname = \"x\"\n[dataset]\nname = \"karate\"\n" +
                                repeated("[[run]]\nmethod = \"single\"\nkey = 1\n", 20'000)) == "");
}

TEST_CASE("no depth of JSON ends a program", "[finds]") {
  constexpr int kDeep = 100'000;
  for (const std::string& deep :
       {repeated("[", kDeep), repeated("[", kDeep) + repeated("]", kDeep), repeated("{\"a\":", kDeep)}) {
    CAPTURE(deep.substr(0, 10));
    CHECK(endOn("json", deep) == "");
    CHECK(endOn("labels-json", deep) == "");
    for (const char* format : {"graphsaint", "graphsage", "musae"}) {
      CAPTURE(format);
      const auto sound = fuzz::unbundled(fuzz::harnessNamed(format)->seeds().front());
      for (std::size_t i = 0; i < sound.size(); ++i) {
        if (!sound[i].first.ends_with(".json")) continue;
        fuzz::Bundle broken = sound;
        broken[i].second = deep;
        CHECK(endOn(format, fuzz::bundled(broken)) == "");
        const std::size_t value = sound[i].second.find(": ");
        if (value == std::string::npos) continue;
        broken[i].second = sound[i].second.substr(0, value + 2) + deep + sound[i].second.substr(value + 2);
        CHECK(endOn(format, fuzz::bundled(broken)) == "");
      }
    }
  }
}

TEST_CASE("no number of lines holds up who reads a worker's pipe", "[finds]") {
  CHECK(endOn("frames", std::string(std::size_t{4} << 20, '\n')) == "");
}

TEST_CASE("no number of dimensions holds up who reads an array", "[finds]") {
  constexpr int kElements = 300'000;
  const std::string header = "{'descr': '|b1', 'fortran_order': True, 'shape': (" + repeated("1,", 250'000) +
                             std::to_string(kElements) + ",), }\n";
  std::string array("\x93NUMPY\x02\0", 8);
  for (int shift = 0; shift < 32; shift += 8) array += static_cast<char>(header.size() >> shift);
  CHECK(endOn("npy", array + header + std::string(kElements, '\0')) == "");
}

TEST_CASE("no number of comments holds up who reads labels", "[finds]") {
  CHECK(endOn("edge-list", fuzz::bundled({{"graph.txt", "0 1\n1 2\n2 0\n"},
                                          {"graph-labels.txt", repeated("#a\n", 60'000) + "0" +
                                                                   repeated(" 1", 30'000) + "\n1 0\n"}})) ==
        "");
}

TEST_CASE("counts too large to be doubled end no program", "[finds]") {
  const std::string lists = repeated("0 1 2 3\n", 10'000);
  CHECK(endOn("any-format", fuzz::bundled({{"graph.txt", "10001 5000000000000000000\n" + lists}})) == "");
}

TEST_CASE("every harness reads what it begins with", "[finds]") {
  for (const fuzz::Harness& harness : fuzz::harnesses()) {
    CAPTURE(harness.name);
    const auto seeds = harness.seeds();
    REQUIRE_FALSE(seeds.empty());
    CHECK(endOn(harness.name, seeds.front()) == "");
  }
}
