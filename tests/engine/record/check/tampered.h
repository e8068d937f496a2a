#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "engine/record/check/check_recording.h"
#include "tests/engine/record/sound_recording.h"
#include "tests/support/scratch.h"

namespace halo::test {

using Strings = std::vector<std::string>;

inline CheckHelp help(std::int64_t late = 0) {
  return {[late](const RunRow& run, const auto&) {
            return MethodTraits{.exact = run.method == "vanilla",
                                .lateEpochs = late,
                                .probed = true,
                                .products = LayerProducts{}};
          },
          [](const std::string& bytes) { return bytes == "PK" ? std::string() : "is no archive"; }};
}

/// What is found once the recording has been changed; it is changed back.
inline Strings changed(Database& database, const std::string& sql) {
  Transaction transaction(database);  // not committed: the next change finds the recording as it was
  database.execute(sql);
  return checkRecording(database, help()).faults;
}

struct Change {
  const char* sql;
  const char* finding;  // how one of the findings begins
};

inline void checkFound(const std::vector<Change>& changes, const SoundRun& like = {}) {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const SoundRecording sound(database, like);
  REQUIRE(checkRecording(database, help()).faults == Strings());
  for (const auto& [sql, finding] : changes) {
    const Strings faults = changed(database, sql);
    CAPTURE(sql, finding, faults);
    CHECK(std::ranges::any_of(faults, [&](const std::string& fault) { return fault.starts_with(finding); }));
  }
  CHECK(checkRecording(database, help()).faults == Strings());
}

}  // namespace halo::test
