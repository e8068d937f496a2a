// What tests of tests/independent share.
#pragma once

#include <catch2/catch.hpp>

#include "tests/app/program.h"
#include "tests/support/places.h"

namespace halo::test {

inline bool hasPython() {
  if (run({"/usr/bin/env", "python3", "-c", "import sqlite3"}).status == 0) return true;
  WARN("SKIPPED: no python3 here");
  return false;
}

/// What a script of tests/independent says to these words, run in the program's folder.
inline Ended recomputed(const Program& haloscope, const std::string& script, std::vector<std::string> words) {
  words.insert(words.begin(),
               {"/usr/bin/env", "python3", std::string(kSourceDir) + "/tests/independent/" + script});
  return run(words,
             haloscope.environment({{"PYTHONDONTWRITEBYTECODE", "1"}, {"QT_QPA_PLATFORM", "offscreen"}}),
             haloscope.folder());
}

}  // namespace halo::test
