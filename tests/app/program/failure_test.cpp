#include "app/program/failure.h"

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <new>
#include <string>
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
  CHECK(failureOf(DamagedInput(Problem{.file = "a", .message = "no"})).status == kDamaged);
}

TEST_CASE("who finds no memory is told the limit of ulimit where there is one", "[app]") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  const rlim_t kFar = rlim_t{1} << 40;  // takes nothing away
  const rlimit set{std::min(kFar, before.rlim_max), before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_AS, &set) == 0);
  const Failure limited = failureOf(std::bad_alloc());
  REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(limited.status == kEnvironment);
  CHECK(limited.message == "memory does not suffice: a program may have " +
                               std::to_string(set.rlim_cur >> 20) +
                               " MiB of memory here; raise the limit with: ulimit -v unlimited");
  if (before.rlim_cur == RLIM_INFINITY)
    CHECK(failureOf(std::bad_alloc()).message ==
          "memory does not suffice; take a smaller dataset.scale or a machine with more");
}
