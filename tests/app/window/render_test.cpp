// What --render says and refuses.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/record/database/database.h"
#include "engine/record/tables/runs.h"
#include "tests/support/places.h"
#include "tests/support/process.h"
#include "tests/support/scratch.h"
#include "tests/support/small_recording.h"

using namespace halo;
using namespace halo::test;
using Catch::Contains;

namespace {

/// The built haloscope-desktop in a folder of its own.
class Desktop {
 public:
  Ended operator()(std::vector<std::string> words) const {
    words.insert(words.begin(), std::string(kBinDir) + "/haloscope-desktop");
    return run(words, {}, folder_.path());
  }
  bool has(const char* name) const { return std::filesystem::exists(folder_ / name); }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  Scratch folder_;
};

/// A run that failed before its first epoch, under a name that would make lines of its own.
std::filesystem::path failedRun(const std::filesystem::path& folder) {
  const auto file = folder / "failed.db";
  Database database(file, Access::create);
  RunRow row;
  row.name = "a\nledger: drawn of run 9\tb";
  row.method = "vanilla";
  const std::int64_t id = Runs(database).add(row);
  Runs(database).setStatus(id, "failed", "a worker died");
  return file;
}

}  // namespace

TEST_CASE("rendering refuses what it would not heed", "[render]") {
  const SmallRecording recording(2, 2);
  const std::string file = recording.file().string();
  const Desktop desktop;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--render", "runs", "-o", "x.csv", "--db", file, file},
        {"--render", "runs", "-o", "x.csv", file, file},
        {"--render", "runs", "-o", "x.svg", "--for", "spreadsheet", file},
        {"--render", "runs", "-o", "x.csv", "--start", file},
        {"--render", "timeline", "-o", "x.csv", "--run", "99", file}}) {
    const Ended ended = desktop(words);
    CAPTURE(ended.error);
    CHECK(ended.status == 2);
    CHECK_FALSE(desktop.has("x.csv"));
    CHECK_FALSE(desktop.has("x.svg"));
  }
  const Ended nowhere = desktop({"--render", "all", "-o", "/proc/x", file});
  CHECK(nowhere.status == 5);
  CHECK(nowhere.error.find("/proc/x: cannot be written: No such file or directory") != std::string::npos);
  CHECK(desktop({"--render", "runs", "-o", "x.csv", "--for", "spreadsheet", file}).status == 0);
  CHECK(desktop({"--render", "runs", "-o", "x.svg", "--db", file}).status == 0);
}

TEST_CASE("a recording whose name is no UTF-8 is drawn, and no file is written under such a name",
          "[render]") {
  const SmallRecording recording(2, 2);
  const Desktop desktop;
  const std::string name = "r\xff.db";
  std::filesystem::copy_file(recording.file(), desktop.folder() / name);
  CHECK(desktop({"--render", "runs", "-o", "x.csv", name}).status == 0);
  CHECK(desktop.has("x.csv"));
  CHECK(desktop({"--render", "runs", "-o", "y.csv", "--db=" + name}).status == 0);
  CHECK(desktop.has("y.csv"));
  const Ended noRun = desktop({"--render", "timeline", "-o", "z.csv", "--run", "99", name});
  CHECK(noRun.status == 2);
  CHECK(noRun.error.find("haloscope-names") == std::string::npos);
  for (const bool glued : {true, false}) {
    const Ended ended = glued ? desktop({"--render", "runs", "--output=z\xff.csv", name})
                              : desktop({"--render", "runs", "-o", "z\xff.csv", name});
    CHECK(ended.status == 2);
    CHECK(ended.error.find("a file that is written needs a name in UTF-8") != std::string::npos);
  }
  CHECK(desktop({"--render", "runs", "-o", "z.csv", "none\xff.db"}).status == 2);
}

TEST_CASE("rendering ends as haloscope does for the same reason", "[render]") {
  const SmallRecording recording(2, 2);
  const std::string file = recording.file().string();
  const Desktop desktop;
  CHECK(desktop({"--render", "runs", "-o", "x.csv", "none.db"}).status == 4);
  CHECK(desktop({"--render", "runs", "-o", "x.csv", desktop.folder().string()}).status == 4);
  CHECK(desktop({"--render", "runs", "-o", "none/x.csv", file}).status == 5);
  const Ended wrongEnding = desktop({"--render", "ledger", "-o", "x.jpg", file});
  CHECK(wrongEnding.status == 2);
  CHECK_FALSE(wrongEnding.error.find("drawn of") != std::string::npos);
}

TEST_CASE("rendering says which run has nothing to show, and why, on one line", "[render]") {
  const Desktop desktop;
  const std::string file = failedRun(desktop.folder()).string();
  const Ended any = desktop({"--render", "timeline", "-o", "x.svg", file});
  CHECK(any.status == 0);
  CHECK_THAT(any.error,
             Contains("timeline: no run has what it shows; of run 1, a\\u000Aledger: drawn of run "
                      "9\\u0009b, the last: This run is failed, and no epoch of it had finished."));
  CHECK_FALSE(any.error.find("record.spans") != std::string::npos);
  const Ended ledger = desktop({"--render", "ledger", "-o", "y.csv", "--run", "1", file});
  CHECK_THAT(ledger.error, Contains("ledger: nothing of run 1"));
}

TEST_CASE("lines of several named runs have the letters of their chips, as in the window", "[render]") {
  const SmallRecording recording(2, 2, 12, true);
  const std::string file = recording.file().string();
  const Desktop desktop;
  const auto textOf = [&](const char* name, std::vector<std::string> named) {
    std::vector<std::string> words{"--render", "scaling", "-o", name};
    words.insert(words.end(), named.begin(), named.end());
    words.push_back(file);
    REQUIRE(desktop(words).status == 0);
    std::ifstream text(desktop.folder() / name);
    return std::string(std::istreambuf_iterator<char>(text), {});
  };
  CHECK_THAT(textOf("named.csv", {"--run", "1,2,3,4"}), Contains("A  vanilla"));
  CHECK(textOf("all.csv", {}).find("A  ") == std::string::npos);
}
