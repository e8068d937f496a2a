#pragma once

#include <cstdint>

namespace halo {

/// What an emulated link still has to carry, in ns, from epoch to epoch. While it grows, epochs are shorter
/// than their bytes take: they leave them to later ones, so they only fill the pipeline. Messages that travel
/// d epochs are waited for once d epochs' bytes are behind. Where an epoch computes for C and its bytes take
/// R > C, that is after about d·R ÷ (R − C) epochs. Pure arithmetic.
class Backlog {
 public:
  /// Part of an epoch by which it may grow in one: below, the epoch is as long as its bytes, but for noise.
  static constexpr std::int64_t kSteadyPart = 20;

  /// Whether it grew in an epoch that took `tookNs`, and is `nowNs` at its end.
  bool grew(std::int64_t nowNs, std::int64_t tookNs) {
    const std::int64_t before = ns_;
    ns_ = nowNs;
    return nowNs - before > tookNs / kSteadyPart;
  }

 private:
  std::int64_t ns_ = 0;
};

}  // namespace halo
