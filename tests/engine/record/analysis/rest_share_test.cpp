#include "engine/record/analysis/rest_share.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("what is idle is the rest without what else was done, and older recordings called the rest idle",
          "[record]") {
  std::map<std::string, double> now = {{"rest_share", 0.4}, {"other_share", 0.15}};
  addIdle(now);
  CHECK(now.at("idle_share") == Approx(0.25));
  const auto same = now;
  nameRest(now);
  CHECK(now == same);
  std::map<std::string, double> older = {{"compute_share", 0.6}, {"idle_share", 0.4}};
  nameRest(older);
  CHECK(older == std::map<std::string, double>{{"compute_share", 0.6}, {"rest_share", 0.4}});
  addIdle(older);
  CHECK_FALSE(older.contains("idle_share"));
}
