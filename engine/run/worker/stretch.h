#pragma once

#include <cstdint>

namespace halo {

/// Epochs between two pauses in which the ranks evaluate and record. They are for messages that travel on
/// over the end of an epoch, on a wire that cannot be stopped. What is done after each epoch would carry
/// their bytes. Messages that an epoch finds there already are missing on the wire in the next ones. So the
/// first of a stretch, as many as messages may travel and one more, only fill the pipeline. As many others
/// follow as are worth a median. Pure arithmetic.
class Stretch {
 public:
  /// Of epochs that do not fill: how many make a stretch. Fewer, kLeastEpochs, do when so much time has
  /// passed that a viewer would miss them.
  static constexpr std::int64_t kEpochs = 8, kLeastEpochs = 2, kLongNs = 5'000'000'000;

  /// depth: epochs that messages may travel.
  Stretch(std::int64_t nowNs, std::int64_t depth) : beganNs_(nowNs), filling_(depth + 1) {}
  void epochEnded() { ++epochs_; }
  /// Whether the epoch to come fills the pipeline.
  bool fills() const { return epochs_ < filling_; }
  bool isLong(std::int64_t nowNs) const {
    const std::int64_t others = epochs_ - filling_;
    return others >= kEpochs || (others >= kLeastEpochs && nowNs - beganNs_ >= kLongNs);
  }

 private:
  std::int64_t beganNs_, filling_, epochs_ = 0;
};

}  // namespace halo
