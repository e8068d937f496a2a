#include "engine/methods/choices/swap_plan.h"

#include <algorithm>

namespace halo {
namespace {

/// One choice among the items so far.
struct Choice {
  std::int64_t bytes = 0, saved = 0;
  std::vector<bool> kept;
};

/// Those that save more than every smaller one, ascending.
std::vector<Choice> best(std::vector<Choice> choices) {
  std::ranges::stable_sort(choices, [](const Choice& a, const Choice& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.saved > b.saved;
  });
  std::vector<Choice> left;
  for (Choice& choice : choices)
    if (left.empty() || choice.saved > left.back().saved) left.push_back(std::move(choice));
  return left;
}

}  // namespace

std::vector<bool> planSwaps(std::span<const SwapItem> items, std::int64_t capacity) {
  std::vector<Choice> choices(1);
  for (const SwapItem& item : items) {
    std::vector<Choice> next;
    for (const Choice& before : choices)
      for (const bool keep : {false, true}) {
        Choice choice = before;
        choice.bytes += keep ? item.bytes : 0;
        choice.saved += keep ? item.saved : 0;
        choice.kept.push_back(keep);
        if (!keep || choice.bytes <= capacity) next.push_back(std::move(choice));
      }
    choices = best(std::move(next));
  }
  return choices.back().kept;
}

}  // namespace halo
