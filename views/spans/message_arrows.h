#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/record/tables/epochs.h"
#include "engine/record/tables/spans.h"

namespace halo {

/// A message, from the moment it was sent to the work that uses its rows. A pipelined method sends in one
/// epoch what it uses in a later one.
struct MessageArrow {
  std::int64_t sentNs = 0, arrivedNs = 0;
  std::int64_t usedNs =
      0;  // begin of the first work of that epoch, layer and pass after it arrived; else arrivedNs
  std::int64_t sender = 0, receiver = 0;
  std::int32_t sentEpoch = 0, usedEpoch = 0;
  std::int16_t layer = -1;
  Pass pass = Pass::none;
  std::int64_t bytes = 0;
  /// Of a collective or barrier, which is no message: `sender` came last, and `receiver` went on at usedNs,
  /// having waited so long for it.
  std::optional<Name> meeting = {};
  std::int64_t waitedNs = 0;
  std::int32_t block = 0;  // place of the run in the timeline
  bool operator==(const MessageArrow&) const = default;
};

struct FoundArrows {
  std::vector<MessageArrow> arrows;  // by sentNs
  bool tooMany = false;              // so many spans lie there that none was read
};

/// Those that are under way at some moment of [beginNs, endNs), on the run's clock. They are collectives, and
/// sends of lane message joined with transfers of lane link by their number (message_numbers.h). Recordings
/// without either have none. Cost: reads the blocks of spans of that time and of two epochs around it.
FoundArrows readArrows(const Spans& store, const Epochs& epochs, std::int64_t run, std::int64_t beginNs,
                       std::int64_t endNs);

}  // namespace halo
