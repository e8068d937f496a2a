#include "datasets/edges/listed_pairs.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace halo {

bool mutual(Listed& pairs, std::vector<Index> heads) {
  std::sort(pairs.begin(), pairs.end());
  std::sort(heads.begin(), heads.end());
  bool shown = false;
  for (const auto& [from, to] : pairs) {
    if (!std::binary_search(heads.begin(), heads.end(), to)) continue;
    if (!std::binary_search(pairs.begin(), pairs.end(), std::pair(to, from))) return false;
    shown = true;
  }
  return shown;
}

namespace {

/// Of pairs in order: neither a loop nor one that stands there twice.
bool isSimple(const Listed& pairs) {
  return std::ranges::adjacent_find(pairs) == pairs.end() &&
         std::ranges::none_of(pairs, [](const auto& pair) { return pair.first == pair.second; });
}

}  // namespace

CountedLists countedLists(std::vector<Index> heads, Listed pairs) {
  constexpr std::size_t kFewest = 3;
  std::ranges::sort(heads);
  if (heads.size() < kFewest || std::ranges::adjacent_find(heads) != heads.end()) return CountedLists::none;
  Listed behindCounts;
  for (std::size_t i = 1; i < pairs.size(); ++i)
    if (pairs[i].first == pairs[i - 1].first) behindCounts.push_back(pairs[i]);
  if (behindCounts.empty()) return CountedLists::none;
  const auto areLists = [&](Listed& listed) { return mutual(listed, heads) && isSimple(listed); };
  return areLists(behindCounts) && !areLists(pairs) ? CountedLists::certain : CountedLists::perhaps;
}

bool areWeighted(std::vector<Index> heads, Listed pairs) {
  constexpr std::size_t kFewest = 3;
  std::ranges::sort(heads);
  if (heads.size() < kFewest || std::ranges::adjacent_find(heads) != heads.end()) return false;
  std::vector<std::tuple<Index, Index, Index>> weighted;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    if (i + 1 == pairs.size() || pairs[i + 1].first != pairs[i].first) return false;
    weighted.emplace_back(pairs[i].first, pairs[i].second, pairs[i + 1].second);
  }
  std::ranges::sort(weighted);
  for (const auto& [from, to, weight] : weighted)
    if (!std::ranges::binary_search(weighted, std::tuple(to, from, weight))) return false;
  const bool allHaveLists = std::ranges::all_of(
      pairs, [&](const auto& pair) { return std::ranges::binary_search(heads, pair.second); });
  const bool lists = allHaveLists && mutual(pairs, std::move(heads)) && isSimple(pairs);
  return weighted.size() >= 2 * kFewest && !lists;
}

}  // namespace halo
