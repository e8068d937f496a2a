#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/record/database/recording_file.h"

namespace halo {

/// How large a recording and its log are while a run is recorded. Neither gets smaller by what is recorded:
/// where damage shows after that, another program has cut the file.
class Extent {
 public:
  explicit Extent(const std::filesystem::path& recording) : recording_(recording) { look(); }
  /// To be called before each piece that is written: a log that was cut is as long as before once more is
  /// written to it.
  void look();
  bool shrank() const { return shrank_; }

 private:
  std::filesystem::path recording_;
  RecordingState last_;
  bool shrank_ = false;
};

}  // namespace halo
