#include "engine/run/supervisor/extent.h"

#include <utility>

namespace halo {

void Extent::look() {
  const RecordingState before = std::exchange(last_, stateOf(recording_));
  const auto bytes = [](const std::optional<RecordingState::Part>& part) { return part ? part->bytes : 0; };
  shrank_ = shrank_ || bytes(last_.file) < bytes(before.file) || bytes(last_.log) < bytes(before.log);
}

}  // namespace halo
