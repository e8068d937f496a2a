#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulator/memory/bank_dram.h"

namespace halo::sim {

/// DRAM bank by bank that serves a few streams, each in a region of its own and in the order of its
/// addresses. Where the bandwidth is no whole number of channels, the next whole number is slower.
class StreamedDram {
 public:
  /// written[s]: stream s is written, else read.
  StreamedDram(const Dram& dram, std::vector<bool> written)
      : dram_(dram.table(), static_cast<int>(std::ceil(dram.channels())), PagePolicy::open),
        burst_(static_cast<std::uint64_t>(dram.table().burstBytes)),
        speed_(dram.channels() / std::ceil(dram.channels())),
        apart_((std::uint64_t{1} << 44) +
               static_cast<std::uint64_t>(std::ceil(dram.channels())) *
                   static_cast<std::uint64_t>(dram.table().pageBytes * dram.table().bankGroups)),
        written_(std::move(written)),
        at_(written_.size(), 0) {}

  /// How long from `nowNs` until the next bytes[s] of every stream have been moved; bursts already begun are
  /// not moved again.
  double ns(double nowNs, const std::vector<std::int64_t>& bytes) {
    const double now = nowNs * speed_;  // on the memory's clock
    std::vector<BurstRequest> requests;
    for (std::size_t s = 0; s < at_.size(); ++s) {
      const std::uint64_t end = at_[s] + static_cast<std::uint64_t>(bytes[s]);
      for (std::uint64_t b = (at_[s] + burst_ - 1) / burst_; b * burst_ < end; ++b)
        requests.push_back({s * apart_ + b * burst_, now, written_[s]});
      at_[s] = end;
    }
    return requests.empty() ? 0 : (dram_.serve(requests) - now) / speed_;
  }

 private:
  BankDram dram_;
  std::uint64_t burst_;
  double speed_;
  std::uint64_t apart_;  // where streams begin: never in one row, and each in the bank after the last one's
  std::vector<bool> written_;
  std::vector<std::uint64_t> at_;
};

}  // namespace halo::sim
