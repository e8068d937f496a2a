#include "views/recording/lane_badges.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

LaneBadges badges(const char* status, const char* error) {
  RunRow run;
  run.id = 3;
  run.status = status;
  run.error = error;
  return badgesOf(run);
}

}  // namespace

TEST_CASE("the lanes of a rank that was lost carry a badge, and no others", "[views][badge]") {
  const LaneBadges lost = badges("failed", "rank 12 on here was ended by signal 9 (Killed) after epoch 3");
  CHECK(lost.has(12));
  CHECK_FALSE(lost.has(1));
  CHECK(lost.why == "Run 3 failed: rank 12 on here was ended by signal 9 (Killed) after epoch 3");
}

TEST_CASE("all lanes carry a badge where no rank is to blame, and none of a run that is well",
          "[views][badge]") {
  CHECK(badges("failed", "the loss of rank 1 is not a number").everyRank);
  CHECK(badges("interrupted", "").everyRank);
  CHECK(badges("interrupted", "").why == "Run 3 interrupted");
  for (const char* status : {"completed", "running", "cancelled", "queued"})
    CHECK(badges(status, "rank 1 was slow") == LaneBadges{});
}
