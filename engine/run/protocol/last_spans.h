#pragma once

#include <string>
#include <vector>

#include "engine/run/protocol/frame.h"

namespace halo {

/// The spans that a rank has not delivered when it is ended, for its own standard error: MPI may be stuck.
/// Lines of at most 4 KiB, which a pipe takes in one piece.
std::vector<std::string> encodeLastSpans(const SpanBatch& batch);

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
