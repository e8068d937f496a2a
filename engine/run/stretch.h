#pragma once

#include <cstdint>

namespace halo {

/// Epochs between two pauses in which the ranks evaluate and record, where messages travel on over the end of
/// an epoch and the wire cannot be stopped: what is done after each epoch would carry their bytes. The first
/// epoch after a pause finds its messages there already, so enough others follow it. Pure arithmetic.
class Stretch {
 public:
  /// With fewer epochs only when so much time passed that a viewer would miss them.
  static constexpr std::int64_t kEpochs = 8, kLeastEpochs = 3, kLongNs = 5'000'000'000;

  explicit Stretch(std::int64_t nowNs) : beganNs_(nowNs) {}
  void epochEnded() { ++epochs_; }
  bool isLong(std::int64_t nowNs) const {
    return epochs_ >= kEpochs || (epochs_ >= kLeastEpochs && nowNs - beganNs_ >= kLongNs);
  }

 private:
  std::int64_t beganNs_, epochs_ = 0;
};

}  // namespace halo
