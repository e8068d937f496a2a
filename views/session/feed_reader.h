#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>

#include "views/session/feed.h"

namespace halo {

/// The reading thread of a Feed: opens the recording read-only, posts messages until told to stop. Never
/// throws: what goes wrong is posted. True where it ends because the file was replaced by another. `post` may
/// be called from several threads at once.
bool readRecording(std::stop_token stop, const std::filesystem::path& file, std::int64_t run, int intervalMs,
                   const std::function<void(FeedMessage)>& post);

}  // namespace halo
