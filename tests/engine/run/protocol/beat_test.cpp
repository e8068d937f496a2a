#include "engine/run/protocol/beat.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {
const Beat kBeat{12, true, "0.1.0", "node1.lab", "waits 37 s in layer 1 forward for rank 0 (epoch 12)"};
}

TEST_CASE("a beat arrives as it was sent, in whatever pieces", "[run]") {
  BeatReader reader;
  for (const char c : encodeBeat(kBeat)) reader.feed({&c, 1});
  CHECK(reader.takeBeats() == std::vector{kBeat});
  CHECK(reader.takeBeats().empty());
  CHECK(reader.takeLines().empty());
  CHECK(reader.takeRest().empty());
}

TEST_CASE("a beat amid a line of somebody else's leaves the line whole", "[run]") {
  BeatReader reader;
  reader.feed("ssh: " + encodeBeat(kBeat) + "no route\nhalf");
  CHECK(reader.takeBeats().size() == 1);
  CHECK(reader.takeLines() == std::vector<std::string>{"ssh: no route"});
  CHECK(reader.takeRest() == "half");
}

TEST_CASE("a line of ssh's is without its carriage return", "[run]") {
  BeatReader reader;
  reader.feed("Host key verification failed.\r\n\r\n");
  CHECK(reader.takeLines() == std::vector<std::string>{"Host key verification failed.", ""});
}

TEST_CASE("what only looks like a beat is a line", "[run]") {
  const std::string text =
      GENERATE("\x1ehaloscope-beat", "\x1ehaloscope-beat x 0 v h words", "\x1ehaloscope-beat 1 2 v h words",
               "\x1ehaloscope-beat 1 0 v h", "\x1ehaloscope-beat 99999999999999999999 0 v h w", "");
  BeatReader reader;
  reader.feed(text + "\n");
  CHECK(reader.takeBeats().empty());
  CHECK(reader.takeLines() == std::vector{text});
}

TEST_CASE("no host's name and no words end a beat too soon", "[run]") {
  BeatReader reader;
  reader.feed(encodeBeat({0, false, "0 1", "a b\n", "two\nlines\x1e"}));
  CHECK(reader.takeBeats() == std::vector{Beat{0, false, "0_1", "a_b_", "two lines "}});
}
