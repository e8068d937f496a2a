#include "app/program/failure.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <system_error>

#include "engine/base/problem.h"
#include "engine/record/tables/read_back.h"

using namespace halo;

TEST_CASE("who finds no room ends with status 5 and what makes room, whatever said so", "[app]") {
  for (const auto& [code, remedy] : {std::pair{ENOSPC, "; make room"},
                                     {EDQUOT, "; make room"},
                                     {EFBIG, "; raise the limit with: ulimit -f"}}) {
    const Failure failure = failureOf(std::system_error(code, std::generic_category(), "out.csv"));
    CAPTURE(code, failure.message);
    CHECK(failure.status == kEnvironment);
    CHECK(failure.message.starts_with("out.csv: "));
    CHECK(failure.message.ends_with(remedy));
    CHECK(failureOf(std::system_error(code, std::system_category())).status == kEnvironment);
  }
  CHECK(failureOf(std::system_error(EIO, std::generic_category())).status == kFailed);
}

TEST_CASE("what a recording refuses ends as its kind says, a kind of a kind too", "[app]") {
  CHECK(failureOf(RecordError("no")).status == kFailed);
  CHECK(failureOf(RecordLocked("no")).status == kFailed);
  CHECK(failureOf(DiskFull("full", "make room")).status == kEnvironment);
  CHECK(failureOf(RecordUnusable("no")).status == kEnvironment);
  CHECK(failureOf(RecordCut("no")).status == kEnvironment);
  CHECK(failureOf(RecordDamaged("no")).status == kDamaged);
  CHECK(failureOf(RecordEmpty("no")).status == kDamaged);
  CHECK(failureOf(DamagedInput({"a", 0, 0, "", "no"})).status == kDamaged);
}
