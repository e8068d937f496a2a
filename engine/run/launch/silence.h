#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace halo {

/// How long a run's workers have not been heard of. So a run that waits for a stopped rank or a lost host
/// does not do so without a word. Times in ns of one clock.
class Silence {
 public:
  explicit Silence(std::int64_t nowNs) : heardNs_(nowNs) {}

  void heard(std::int64_t nowNs) {
    longestNs_ = std::max(longestNs_, nowNs - heardNs_);
    heardNs_ = nowNs;
    toldNs_ = 0;
  }
  /// How long the silence has lasted, once that is worth telling. This is after a minute, or later where
  /// there was as long a silence before (epochs may be long). It is so again when the silence has lasted
  /// twice as long.
  std::optional<std::int64_t> worthTelling(std::int64_t nowNs) {
    const std::int64_t lasted = nowNs - heardNs_;
    if (lasted < std::max({kFirstNs, kUnusual * longestNs_, 2 * toldNs_})) return std::nullopt;
    toldNs_ = lasted;
    return lasted;
  }
  /// The longest that ended.
  std::int64_t longestNs() const { return longestNs_; }

 private:
  static constexpr std::int64_t kFirstNs = 60'000'000'000, kUnusual = 4;
  std::int64_t heardNs_, longestNs_ = 0, toldNs_ = 0;
};

}  // namespace halo
