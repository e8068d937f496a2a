// Ranks of runs with unlike numbers of them: closed forms of 4 against 16, 3 and 6.
#include "engine/record/comparison/rank_map.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "engine/base/index.h"
#include "engine/base/philox.h"

using namespace halo;

namespace {

using Ranks = std::vector<std::int64_t>;

/// As `block` cuts n vertices.
RankFacts stretches(std::int64_t n, std::int64_t parts, std::string partitioner = "block") {
  RankFacts facts;
  facts.partitioner = std::move(partitioner);
  for (std::int64_t i = 0; i < parts; ++i) {
    facts.vertices.push_back(n * (i + 1) / parts - n * i / parts);
    facts.hosts.emplace_back("here");
  }
  return facts;
}

/// Who owns a vertex there.
std::vector<std::int64_t> ownersOf(const RankFacts& facts) {
  std::vector<std::int64_t> owners;
  for (std::size_t rank = 0; rank < facts.count(); ++rank)
    owners.insert(owners.end(), at(facts.vertices[rank]), static_cast<std::int64_t>(rank));
  return owners;
}

bool holds(const Ranks& ranks, std::int64_t rank) { return std::ranges::find(ranks, rank) != ranks.end(); }

}  // namespace

TEST_CASE("four ranks stand against sixteen by parts where both own stretches", "[comparison]") {
  const RankMap map = rankMap(stretches(1600, 4), stretches(1600, 16));
  CHECK(map.rule == RankRule::parts);
  REQUIRE(map.groups.size() == 4);
  CHECK(map.groups[1] == RankGroup{{1}, {4, 5, 6, 7}});
  CHECK(map.common == 1);
  CHECK(map.words == "4 ranks against 16: 4 to 1 by parts, 100 % of vertices in common");
  const RankMap back = rankMap(stretches(1600, 16), stretches(1600, 4));
  CHECK(back.groups[1] == RankGroup{{4, 5, 6, 7}, {1}});
  CHECK(back.words == "16 ranks against 4: 4 to 1 by parts, 100 % of vertices in common");
}

TEST_CASE("a rank goes to the one that owns most of its vertices", "[comparison]") {
  // 4 parts of 300 and 3 of 400: the second has 100 of the first's and 200 of the second's
  const RankMap map = rankMap(stretches(1200, 3), stretches(1200, 4));
  CHECK(map.groups == std::vector<RankGroup>{{{0}, {0}}, {{1}, {1, 2}}, {{2}, {3}}});
  CHECK(map.common == Approx((300 + 200 + 200 + 300) / 1200.0));
  CHECK(map.words == "3 ranks against 4: up to 2 to 1 by parts, 83 % of vertices in common");
}

TEST_CASE("without owners ranks go by number, and the counts say what is in common at most", "[comparison]") {
  RankFacts four = stretches(1600, 4, "metis-kway"), sixteen = stretches(1600, 16, "metis-kway");
  four.vertices = {460, 380, 380, 380};
  RankMap map = rankMap(four, sixteen);
  CHECK(map.rule == RankRule::number);
  CHECK(map.groups[3] == RankGroup{{3}, {12, 13, 14, 15}});
  CHECK_FALSE(map.exact);
  CHECK(map.words == "4 ranks against 16: 4 to 1 by number, at most 96 % of vertices in common");
  map = rankMap(four, sixteen, RankRule::parts);
  CHECK(map.rule == RankRule::number);
  CHECK(map.words.find("do not hold who owns which vertex") != std::string::npos);
  sixteen.vertices.assign(16, 7);  // of another graph
  CHECK(std::isnan(rankMap(four, sixteen).common));
}

TEST_CASE("ranks go by node where both have equally many, and else together", "[comparison]") {
  RankFacts four = stretches(600, 4, "metis-kway"), six = stretches(600, 6, "metis-kway");
  CHECK(rankMap(four, six).words == "4 ranks against 6: all together");
  CHECK(rankMap(four, six).groups == std::vector<RankGroup>{{{0, 1, 2, 3}, {0, 1, 2, 3, 4, 5}}});
  CHECK(rankMap(four, six, RankRule::node).rule == RankRule::number);
  four.hosts = {"a", "a", "b", "b"};
  six.hosts = {"x", "y", "x", "y", "x", "x"};
  const RankMap map = rankMap(four, six);
  CHECK(map.rule == RankRule::node);
  CHECK(map.groups == std::vector<RankGroup>{{{0, 1}, {0, 2, 4, 5}}, {{2, 3}, {1, 3}}});
  CHECK(map.words == "4 ranks against 6: by node, 2 each, at most 83 % of vertices in common");
  CHECK(rankMap(four, four).groups[2] == RankGroup{{2}, {2}});
  CHECK(rankMap({}, six).groups.empty());
}

TEST_CASE("every rank is in one group, and what is in common is that of the owners", "[comparison]") {
  PhiloxStream random(3, Purpose::shuffle, 0);
  for (int round = 0; round < 100; ++round) {
    const auto some = [&] { return static_cast<std::int64_t>(1 + random.below(20)); };
    const std::int64_t n = 20 + 10 * some();
    const RankFacts first = stretches(n, some()), second = stretches(n, some());
    const std::vector<std::int64_t> ofFirst = ownersOf(first), ofSecond = ownersOf(second);
    for (const RankRule rule : {RankRule::automatic, RankRule::parts, RankRule::number, RankRule::together}) {
      const RankMap map = rankMap(first, second, rule);
      std::size_t ranks = 0, shared = 0;
      for (const RankGroup& group : map.groups) ranks += group.first.size() + group.second.size();
      CHECK(ranks == first.count() + second.count());
      for (std::size_t v = 0; v < ofFirst.size(); ++v)
        for (const RankGroup& group : map.groups)
          if (holds(group.first, ofFirst[v]) && holds(group.second, ofSecond[v])) ++shared;
      CHECK(map.exact);
      CHECK(map.common == Approx(static_cast<double>(shared) / static_cast<double>(n)));
    }
  }
}
