#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

/// By what ranks of two runs are held against each other, where they are not equally many. `automatic` is the
/// first of these that says something: parts, nodes, numbers where one count is a multiple of the other, all.
enum class RankRule : std::uint8_t { automatic, parts, node, number, together };
inline constexpr std::array<std::string_view, 5> kRankRules = {"automatic", "parts", "node", "number",
                                                               "together"};  // in order

/// What a recording says of a run's ranks.
struct RankFacts {
  std::vector<std::string> hosts = {};      // of each; "": not known
  std::vector<std::int64_t> vertices = {};  // likewise, that it owns
  std::string partitioner = {};             // "": not known
  std::size_t count() const { return vertices.size(); }
};

/// Ranks of both runs that are held against each other.
struct RankGroup {
  std::vector<std::int64_t> first, second;
  bool operator==(const RankGroup&) const = default;
};

struct RankMap {
  RankRule rule = RankRule::together;  // never automatic
  std::vector<RankGroup> groups;       // every rank is in one
  /// The share of the vertices whose owners in both runs are of one group, and whether it is that or at most
  /// that. NaN: it is not known.
  double common = std::numeric_limits<double>::quiet_NaN();
  bool exact = false;
  std::string words;  // "4 ranks against 16: 4 to 1 by parts, 97 % of vertices in common"
};

/// Number: consecutive ranks of the run with more go to each of the other. Parts: to the rank that owns most
/// of a rank's vertices. Recordings hold no owners. They are known where both partitioners cut the same order
/// of vertices into stretches (`block`, `rcm`). Node: ranks of one host go together, host by host, where both
/// runs have equally many. A rule that says nothing of these runs is replaced by numbers, and the words say
/// so. Cost: the product of both counts.
RankMap rankMap(const RankFacts& first, const RankFacts& second, RankRule rule = RankRule::automatic);

}  // namespace halo
