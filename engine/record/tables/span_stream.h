#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/tables/spans.h"

namespace halo {

/// Whose a span is: a rank, or one of its actors.
struct SpanOwner {
  std::int64_t rank = 0;
  std::optional<std::int64_t> actor;  // those of the rank itself come first
  auto operator<=>(const SpanOwner&) const = default;
};

/// Calls use(owner, lane, span) for every span of a run, or for those of one lane. They come by rank, actor,
/// lane and begin; of two that begin together the longer comes first. Returns what it had to leave out: a
/// sentence for every damaged block. Memory: the spans of the few blocks that overlap in time.
template <class Use>
std::vector<std::string> forEachOwnedSpan(const Spans& store, std::int64_t run, Use use,
                                          std::optional<Lane> only = {}) {
  std::vector<std::string> leftOut;
  std::vector<SpanBlockInfo> blocks = store.blocks(run);
  if (only) std::erase_if(blocks, [&](const SpanBlockInfo& block) { return block.lane != *only; });
  std::stable_sort(blocks.begin(), blocks.end(), [](const SpanBlockInfo& a, const SpanBlockInfo& b) {
    return std::tie(a.rank, a.actor, a.lane, a.firstNs) < std::tie(b.rank, b.actor, b.lane, b.firstNs);
  });
  const auto before = [](const Span& a, const Span& b) {
    return a.beginNs != b.beginNs ? a.beginNs < b.beginNs : a.durationNs > b.durationNs;
  };
  std::vector<Span> waiting;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    try {
      const std::vector<Span> more = store.load(blocks[i].id);
      waiting.insert(waiting.end(), more.begin(), more.end());
    } catch (const RecordDamaged& error) {
      leftOut.emplace_back(error.what());
    }
    std::stable_sort(waiting.begin(), waiting.end(), before);
    const SpanOwner owner{blocks[i].rank, blocks[i].actor};
    const bool last = i + 1 == blocks.size() || SpanOwner{blocks[i + 1].rank, blocks[i + 1].actor} != owner ||
                      blocks[i + 1].lane != blocks[i].lane;
    const auto ready =
        last ? waiting.end() : std::find_if(waiting.begin(), waiting.end(), [&](const Span& span) {
          return span.beginNs >= blocks[i + 1].firstNs;
        });
    for (auto span = waiting.begin(); span != ready; ++span) use(owner, blocks[i].lane, *span);
    waiting.erase(waiting.begin(), ready);
  }
  return leftOut;
}

/// The same for who asks for the rank alone: use(rank, lane, span).
template <class Use>
std::vector<std::string> forEachSpan(const Spans& store, std::int64_t run, Use use,
                                     std::optional<Lane> only = {}) {
  const auto ofRank = [&](const SpanOwner& owner, Lane lane, const Span& span) {
    use(owner.rank, lane, span);
  };
  return forEachOwnedSpan(store, run, ofRank, only);
}

}  // namespace halo
