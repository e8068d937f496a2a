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

Listed pairsOf(std::span<const Index> numbers) {
  Listed pairs;
  pairs.reserve(numbers.size() / 2);
  for (std::size_t i = 0; i < numbers.size(); i += 2) pairs.emplace_back(numbers[i], numbers[i + 1]);
  return pairs;
}

/// Whether no line that is counted from `first` on begins with its own number: that would be a loop.
bool namesNoLine(std::span<const Index> heads, Index first) {
  const auto lines = static_cast<Index>(heads.size());
  for (Index line = 0; line < lines; ++line) {
    const Index head = heads[static_cast<std::size_t>(line)];
    if (head == line + first || head < first || head >= lines + first) return false;
  }
  return true;
}

/// Whether the numbers on each line are its neighbours, all of which list it.
bool listsByLine(const ListedLines& lists, Index first) {
  const auto& [heads, numbers, ends] = lists;
  Listed listed;
  std::vector<Index> lines;
  std::size_t at = 0;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const Index line = first + static_cast<Index>(i);
    lines.push_back(line);
    listed.emplace_back(line, heads[i]);
    for (; at < 2 * ends[i]; at += 2) listed.emplace_back(line, numbers[at + 1]);
  }
  const bool within = std::ranges::all_of(
      listed, [&](const auto& each) { return each.second >= first && each.second <= lines.back(); });
  return within && mutual(listed, std::move(lines)) && isSimple(listed);
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

bool areByLine(const ListedLines& lists) {
  constexpr std::size_t kFewest = 4;
  const auto& [heads, numbers, ends] = lists;
  if (heads.size() < kFewest || ends.size() != heads.size()) return false;
  for (const Index first : {0, 1})
    if (namesNoLine(heads, first) && listsByLine(lists, first)) {
      Listed plain = pairsOf(numbers);
      return !mutual(plain, {heads.begin(), heads.end()}) || !isSimple(plain);
    }
  return false;
}

bool areMultiline(const ListedLines& lists) {
  constexpr std::size_t kFewest = 4;
  const auto& [heads, numbers, ends] = lists;
  if (heads.size() < kFewest || ends.size() != heads.size() || numbers.size() / 2 >= heads.size())
    return false;
  Index left = 0;  // lines of one neighbour that have to follow
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::size_t listed = ends[i] - (i == 0 ? 0 : ends[i - 1]);
    if (listed != (left == 0 ? 1U : 0U)) return false;
    left = left == 0 ? numbers[2 * ends[i] - 1] : left - 1;
  }
  return left == 0 && !numbers.empty();
}

bool areWeighted(std::span<const Index> heads, std::span<const Index> numbers) {
  constexpr std::size_t kFewest = 3;
  if (heads.size() < kFewest || numbers.size() < 4 * kFewest || numbers.size() % 4 != 0) return false;
  for (std::size_t i = 0; i < numbers.size(); i += 4)
    if (numbers[i] != numbers[i + 2]) return false;
  std::vector<std::tuple<Index, Index, Index>> weighted;
  for (std::size_t i = 0; i < numbers.size(); i += 4)
    weighted.emplace_back(numbers[i], numbers[i + 1], numbers[i + 3]);
  std::ranges::sort(weighted);
  for (const auto& [from, to, weight] : weighted)
    if (!std::ranges::binary_search(weighted, std::tuple(to, from, weight))) return false;
  std::vector<Index> sorted(heads.begin(), heads.end());
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return false;
  Listed pairs = pairsOf(numbers);
  const bool allHaveLists = std::ranges::all_of(
      pairs, [&](const auto& pair) { return std::ranges::binary_search(sorted, pair.second); });
  const bool lists = allHaveLists && mutual(pairs, std::move(sorted)) && isSimple(pairs);
  return weighted.size() >= 2 * kFewest && !lists;
}

}  // namespace halo
