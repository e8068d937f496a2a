#include "engine/run/launch/process.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <memory>

using namespace halo;

namespace {

struct Output {
  std::string out, err;
  ChildProcess::Exit exit;
};

Output runToEnd(const Launch& launch, const std::string& input = "") {
  ChildProcess child(launch);
  Output result;
  if (!input.empty()) child.write(input);
  while (child.read(
      50, [&](std::string_view b) { result.out += b; }, [&](std::string_view b) { result.err += b; })) {
  }
  result.exit = child.wait();
  return result;
}

}  // namespace

TEST_CASE("arguments reach the program as they are, no shell between", "[process]") {
  const Output result = runToEnd({{"/bin/echo", "a;b", "$(id)", "two words"}, {}});
  CHECK(result.out == "a;b $(id) two words\n");
  CHECK(result.exit.status == 0);
}

TEST_CASE("what is withheld of the environment does not reach the program", "[process]") {
  ::setenv("HALO_KEPT", "kept", 1);
  ::setenv("HALO_WITHHELD", "withheld", 1);
  const Output result =
      runToEnd({{"/bin/sh", "-c", "echo $HALO_KEPT,$HALO_WITHHELD"}, {}, {"HALO_WITHHELD"}});
  ::unsetenv("HALO_KEPT");
  ::unsetenv("HALO_WITHHELD");
  CHECK(result.out == "kept,\n");
}

TEST_CASE("the environment is added to, and both output streams are told apart", "[process]") {
  const Output result =
      runToEnd({{"/bin/sh", "-c", "echo $HALO_WORD; echo wrong >&2; exit 7"}, {{"HALO_WORD", "x y"}}});
  CHECK(result.out == "x y\n");
  CHECK(result.err == "wrong\n");
  CHECK(result.exit.status == 7);
}

TEST_CASE("a program that is not there is an error that names it", "[process]") {
  CHECK_THROWS_WITH(ChildProcess({{"/nowhere/program"}, {}}),
                    Catch::Contains("/nowhere/program") && Catch::Contains("No such file"));
}

TEST_CASE("a program whose children have all ended has none that live, also where it waits for none",
          "[process]") {
  ChildProcess child({{"/bin/sh", "-c", "sleep 1000 & echo ready; exec sleep 1000"}, {}});
  std::string out;
  while (out.empty() && child.read(
                            50, [&](std::string_view b) { out += b; }, [](std::string_view) {})) {
  }
  CHECK(child.hasLivingChildren());
  ChildProcess deserted({{"/bin/sh", "-c", "echo ready & exec sleep 1000"}, {}});
  while (
      deserted.hasLivingChildren() ||
      (out != "ready\nready\n" && deserted.read(
                                      50, [&](std::string_view b) { out += b; }, [](std::string_view) {}))) {
  }
  CHECK(out == "ready\nready\n");
  CHECK_FALSE(deserted.hasLivingChildren());
}

TEST_CASE("a child that ended before anybody looked is known of, asked for or not", "[process]") {
  const std::string rest = "echo ready; exec sleep 1000";
  const auto started = [](const std::string& script) {
    auto child = std::make_unique<ChildProcess>(Launch{{"/bin/sh", "-c", script}, {}});
    std::string out;
    while (out.empty() && child->read(
                              50, [&](std::string_view b) { out += b; }, [](std::string_view) {})) {
    }
    return child;
  };
  const auto none = started(rest), foreground = started("(:); " + rest),
             background = started("(:) & " + rest);
  while (background->hasLivingChildren()) {
  }
  CHECK_FALSE(none->hasEnded());
  CHECK(foreground->hasEnded());
  CHECK(background->hasEnded());
  none->signalGroup(SIGKILL);
  while (none->read(
      50, [](std::string_view) {}, [](std::string_view) {})) {
  }
  while (!none->hasEnded()) {
  }
  CHECK_FALSE(none->hasLivingChildren());
}

TEST_CASE("the whole group is signalled", "[process]") {
  ChildProcess child({{"/bin/sh", "-c", "echo ready; sleep 100 & wait"}, {}});
  std::string out;
  while (out.empty())
    child.read(
        50, [&](std::string_view b) { out += b; }, [](std::string_view) {});
  child.signalGroup(SIGKILL);
  while (child.read(
      50, [](std::string_view) {}, [](std::string_view) {})) {
  }
  CHECK(child.wait().signal == SIGKILL);
}
