#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "engine/record/database/database.h"
#include "engine/record/database/recording_file.h"

namespace halo {

/// A recording that is shown for as long as the window has it open. A run that goes on and one that ended are
/// read alike; whoever looks again asks whether anything changed. The runs of this machine whose supervisors
/// ended before them are shown as interrupted. For one thread at a time.
class ShownRecording {
 public:
  explicit ShownRecording(std::filesystem::path file) : file_(std::move(file)) {}

  /// Opened where it is not. Throws RecordError, InputError: what keeps it from being read, once more where
  /// that was thrown before.
  Database& database();
  /// By a fresh connection, whatever has the name now. What looks damaged may be a sound file that was
  /// replaced, or changed under a connection that took it for unchanging. Throws as database().
  Database& openAnew();
  bool isOpen() const { return database_ != nullptr; }

  /// Counts the files that were opened under the name: what was read of an earlier one is not of this one.
  std::uint64_t generation() const { return generation_; }
  /// Another file has the name than the one that was opened last, or that opening failed at.
  bool replaced() const;

  /// Whether the recording, or why it cannot be opened, is another than at the last markRead(). A supervisor
  /// that died is a change too, which no file shows.
  bool changed();
  /// What is read from here on is of the recording as it is now.
  void markRead();

 private:
  void lookForDeaths();

  std::filesystem::path file_;
  std::unique_ptr<Database> database_;
  std::optional<FileIdentity> identity_;
  std::uint64_t generation_ = 0;
  RecordingState read_;       // looked at before reading, so that no change is missed
  bool deathUnread_ = false;  // perhaps: a run became interrupted since
};

}  // namespace halo
