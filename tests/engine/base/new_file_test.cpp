#include "engine/base/new_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <system_error>

#include "engine/base/problem.h"
#include "tests/support/scratch.h"

using Catch::Matchers::Contains;
using namespace halo;
namespace fs = std::filesystem;

namespace {

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::ptrdiff_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

}  // namespace

TEST_CASE("a new file is there when it is put in place, and not before", "[files]") {
  const Scratch folder;
  {
    NewFile file(folder / "a");
    file.write("half");
    CHECK(entries(folder.path()) == 0);
  }
  CHECK(entries(folder.path()) == 0);
  NewFile file(folder / "a");
  file.write("one ");
  file.write("two");
  file.putInPlace();
  CHECK(contents(folder / "a") == "one two");
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a new file replaces a link in its place and writes nothing where that leads", "[files]") {
  const Scratch folder;
  std::ofstream(folder / "precious") << "kept";
  for (const char* name : {"a", "a.part"}) fs::create_symlink(folder / "precious", folder / name);
  fs::create_symlink(folder / "nowhere", folder / "dangling");
  for (const char* name : {"a", "dangling"}) {
    NewFile file(folder / name);
    file.write("new");
    file.putInPlace();
    CHECK(fs::is_regular_file(fs::symlink_status(folder / name)));
    CHECK(contents(folder / name) == "new");
  }
  CHECK(contents(folder / "precious") == "kept");
  CHECK_FALSE(fs::exists(folder / "nowhere"));
}

TEST_CASE("what a person names as a file to write is no pipe, socket or device", "[files]") {
  const Scratch folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  REQUIRE(::mknod((folder / "socket").c_str(), S_IFSOCK | 0600, 0) == 0);
  CHECK_THROWS_WITH(requireReplaceable(folder / "pipe"), Contains("is a pipe; name a file, or a new one"));
  CHECK_THROWS_WITH(requireReplaceable(folder / "socket"), Contains("is a socket; "));
  CHECK_THROWS_WITH(requireReplaceable("/dev/null"), Contains("is a device; "));
  fs::create_symlink(folder / "pipe", folder / "link");
  for (const char* name : {"new", "link", "."}) CHECK_NOTHROW(requireReplaceable(folder / name));
}

TEST_CASE("two that write the same place at once do not meet: the last one stands, whole", "[files]") {
  const Scratch folder;
  NewFile first(folder / "a"), other(folder / "a");
  first.write("first");
  other.write("second, and longer");
  other.putInPlace();
  first.putInPlace();
  CHECK(contents(folder / "a") == "first");
  CHECK(entries(folder.path()) == 1);
}

TEST_CASE("a new file that cannot be has the system's reason", "[files]") {
  const Scratch folder;
  try {
    NewFile file(folder / "none/a");
    FAIL("made in a folder that is not there");
  } catch (const std::system_error& error) {
    CHECK(error.code() == std::errc::no_such_file_or_directory);
  }
  fs::create_directory(folder / "taken");
  NewFile file(folder / "taken");
  CHECK_THROWS_AS(file.putInPlace(), std::system_error);
  CHECK(fs::is_directory(folder / "taken"));
}

TEST_CASE("names beside a place cannot be guessed", "[files]") {
  const Scratch folder;
  const HeldPart first(folder / "a"), second(folder / "a");
  CHECK(first.path() != second.path());
  CHECK(first.path().parent_path() == folder.path());
}

TEST_CASE("what a killed program left on its way is removed, and nothing that somebody holds or named",
          "[files]") {
  const Scratch folder;
  const std::string left = ".haloscope-0123456789abcdef.part";
  std::ofstream(folder / left) << "half";
  std::ofstream(folder / (left + "-journal")) << "its journal";
  for (const char* name : {".haloscope-notes.part", ".haloscope-0123456789abcdef.part.txt",
                           ".haloscope-0123456789ABCDEF.part", "a.part"})
    std::ofstream(folder / name) << "kept";
  fs::create_symlink(folder / "a.part", folder / ".haloscope-00000000000000aa.part");
  const HeldPart held(folder / "b");
  removeAbandoned(folder.path());
  CHECK_FALSE(fs::exists(folder / left));
  CHECK_FALSE(fs::exists(folder / (left + "-journal")));
  CHECK(fs::exists(held.path()));
  CHECK(entries(folder.path()) == 6);
  CHECK(contents(folder / "a.part") == "kept");
}

TEST_CASE("a part that its maker held is gone with it, and one that was released stays", "[files]") {
  const Scratch folder;
  { const HeldPart part(folder / "a"); }
  CHECK(entries(folder.path()) == 0);
  {
    HeldPart part(folder / "a");
    fs::rename(part.path(), folder / "a");
    part.release();
  }
  CHECK(entries(folder.path()) == 1);
  NewFile file(folder / "b");  // its name while it is put in place is held as well
  file.write("new");
  file.putInPlace();
  CHECK(contents(folder / "b") == "new");
}

TEST_CASE("no file is put in the place of a recording", "[files]") {
  const Scratch folder;
  std::string head("SQLite format 3\0", 16);
  head.resize(68);
  std::ofstream(folder / "r.db", std::ios::binary) << head + "HALO" + std::string(28, 'x');
  std::ofstream(folder / "others.db", std::ios::binary) << head + "GPKG" + std::string(28, 'x');
  std::ofstream(folder / "short.db", std::ios::binary) << "SQLite format 3";
  CHECK_THROWS_WITH(requireReplaceable(folder / "r.db"), Contains("is a recording; name a file"));
  CHECK_NOTHROW(requireReplaceable(folder / "others.db"));
  CHECK_NOTHROW(requireReplaceable(folder / "short.db"));
  CHECK_NOTHROW(requireReplaceable(folder / "absent"));
}
