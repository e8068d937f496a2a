#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "engine/record/trace/span.h"
#include "views/spans/message_arrows.h"

namespace halo {

/// Collectives and barriers: which spans of the ranks are of one, and who was waited for there. Ranks come to
/// those of one epoch, layer, pass and name in the same order, so their count tells them apart.
class Meetings {
 public:
  void add(std::int64_t rank, const Span& span);

  /// From the rank that came last, when it came, to each other one, when it went on. Of epochs all of whose
  /// spans were added. Where ranks tell of different numbers, or of times that do not meet, there are none.
  std::vector<MessageArrow> arrows(const std::set<std::int32_t>& epochs);

 private:
  using Key = std::tuple<std::int32_t, std::int16_t, Pass, Name>;
  std::map<Key, std::map<std::int64_t, std::vector<Span>>> spans_;  // by rank
};

}  // namespace halo
