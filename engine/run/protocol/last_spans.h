#pragma once

#include <string>
#include <vector>

#include "engine/run/protocol/frame.h"

namespace halo {

/// The spans that a rank has not delivered when it is ended, for its own standard error: MPI may be stuck.
/// The launcher reads as much at once and puts other ranks' output behind it, so each line has that length.
inline constexpr std::size_t kLastSpansLine = 4096;
std::vector<std::string> encodeLastSpans(const SpanBatch& batch);
/// A line without spans, after which so many bytes that the launcher has not read end a whole line.
std::string paddingAfter(std::size_t unread);

/// Takes them out of the lines that BeatReader leaves.
class LastSpansReader {
 public:
  /// Whether the line was of spans. One that was damaged on its way is, and its spans are lost.
  bool take(const std::string& line);
  /// A rank's spans may come in several.
  const std::vector<SpanBatch>& batches() const { return batches_; }

 private:
  std::vector<SpanBatch> batches_;
};

}  // namespace halo
