#pragma once

#include <sqlite3.h>

#include <catch2/catch.hpp>

#include "tests/app/program.h"

namespace halo::test {

inline const char* const kRuns = R"(schema = 1
name = "two"
[training]
epochs = 2
[[run]]
method = "vanilla"
cluster.workers = 2
[[run]]
method = "vanilla"
cluster.workers = 3
[[run]]
method = "single"
)";

/// The runs above with some published tables; what a dry run says of it.
inline Ended dryRun(const Program& haloscope, const std::string& published,
                    const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"run", haloscope.file("two.toml", kRuns + published), "--dry-run"};
  words.insert(words.end(), more.begin(), more.end());
  return haloscope(words);
}

/// A recording of two epochs of `single`, made of a file that is right, whose text is then another: as if a
/// version of the program that took that one had recorded it.
inline void recordAs(const Program& haloscope, const std::string& published) {
  REQUIRE(haloscope({"run", haloscope.file("two.toml", kRuns), "--only", "single"}).status == 0);
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open((haloscope.folder() / "recordings.db").c_str(), &database) == SQLITE_OK);
  sqlite3_stmt* update = nullptr;
  REQUIRE(sqlite3_prepare_v2(database, "UPDATE experiment SET text = ?", -1, &update, nullptr) == SQLITE_OK);
  const std::string text = kRuns + published;
  sqlite3_bind_text(update, 1, text.c_str(), -1, SQLITE_TRANSIENT);
  CHECK(sqlite3_step(update) == SQLITE_DONE);
  sqlite3_finalize(update);
  sqlite3_close(database);
}

}  // namespace halo::test
