#pragma once

#include <sqlite3.h>

#include <catch2/catch.hpp>

#include "tests/app/program.h"

namespace halo::test {

inline void execute(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &handle) == SQLITE_OK);
  CHECK(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
}

/// The program under another limit or in another place: `shell` is what is done before it is started.
inline Ended after(const Program& haloscope, const std::string& shell,
                   const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {"sh", "-c", shell + " && exec \"$@\"", "sh"};
  for (const std::string& word : Program::command(arguments)) command.push_back(word);
  return test::run(command, haloscope.environment(), haloscope.folder());
}

}  // namespace halo::test
