#include "engine/record/tables/shown_recording.h"

#include <utility>

#include "engine/base/host_name.h"
#include "engine/record/tables/runs.h"

namespace halo {

Database& ShownRecording::database() {
  if (!database_) openAnew();
  return *database_;
}

Database& ShownRecording::openAnew() {
  // where it fails nothing changes until the file does; opening alone is no reading
  const RecordingState before = std::exchange(read_, stateOf(file_));
  database_.reset();
  const auto now = identityOf(file_);
  if (std::exchange(identity_, now) != now || generation_ == 0) ++generation_;
  database_ = std::make_unique<Database>(file_, Access::readOnly);
  lookForDeaths();
  read_ = before;
  return *database_;
}

void ShownRecording::lookForDeaths() {
  if (database_ && Runs(*database_).showInterrupted(hostName()) > 0) deathUnread_ = true;
}

bool ShownRecording::replaced() const {
  const auto now = identityOf(file_);
  return identity_ && now && now != identity_;
}

bool ShownRecording::changed() {
  lookForDeaths();
  return stateOf(file_) != read_ || deathUnread_;
}

void ShownRecording::markRead() {
  read_ = stateOf(file_);
  deathUnread_ = false;
}

}  // namespace halo
