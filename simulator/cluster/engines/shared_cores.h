#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace halo::cluster {

/// The cores of one node. Ranks at work have one each while there are enough. Where there are more ranks,
/// they share all cores alike. Time is an argument; it never goes back.
class SharedCores {
 public:
  explicit SharedCores(std::int64_t cores) : cores_(cores) {}

  /// Adds `ns` of work for a core.
  void begin(int rank, double nowNs, double ns);
  /// When the first is done if nobody begins meanwhile; infinite if nobody works.
  double nextEndNs() const;
  /// Those that are done at `nowNs`, ascending; they work no longer.
  std::vector<int> takeFinished(double nowNs);

 private:
  struct Work {
    int rank = 0;
    double leftNs = 0;
  };

  double rate() const;
  void advance(double nowNs);

  std::int64_t cores_;
  double sinceNs_ = 0;
  std::vector<Work> working_;
};

}  // namespace halo::cluster
