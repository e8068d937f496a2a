#include "engine/base/made_folders.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <system_error>

#include "tests/support/scratch.h"

using namespace halo;
namespace fs = std::filesystem;

TEST_CASE("folders that were made and hold nothing go again, others stay", "[base]") {
  const Scratch scratch;
  fs::create_directory(scratch / "there");
  {
    MadeFolders folders;
    folders.make(scratch / "there/a/b");
    folders.make(scratch / "there/c");
    folders.make(scratch / "there");
    CHECK(fs::is_directory(scratch / "there/a/b"));
    std::ofstream(scratch / "there/c/file") << "kept";
  }
  CHECK(fs::is_directory(scratch / "there"));
  CHECK_FALSE(fs::exists(scratch / "there/a"));
  CHECK(fs::exists(scratch / "there/c/file"));
}

TEST_CASE("a file in the place of a folder is told by the system's code", "[base]") {
  const Scratch scratch;
  std::ofstream(scratch / "plain") << "";
  MadeFolders folders;
  for (const char* folder : {"plain", "plain/below"}) {
    CAPTURE(folder);
    try {
      folders.make(scratch / folder);
      FAIL("a folder was made below a file");
    } catch (const std::system_error& error) {
      CHECK(error.code() == std::errc::not_a_directory);
    }
  }
}
