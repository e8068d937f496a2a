#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>

#include "views/session/feed.h"

namespace halo {

/// What a Feed reads, and how often it looks again.
struct FeedSource {
  std::filesystem::path file;
  std::int64_t run = 0;
  Feed::Shift shift;
  TimeClock clock = TimeClock::wall;
  int intervalMs = 50;
};

/// The reading thread of a Feed: opens the recording read-only, posts messages until told to stop. Never
/// throws: what goes wrong is posted. True where it ends because the file was replaced by another. `post` may
/// be called from several threads at once.
bool readRecording(std::stop_token stop, const FeedSource& source,
                   const std::function<void(FeedMessage)>& post);

}  // namespace halo
