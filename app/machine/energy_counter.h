#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace halo {

/// The energy that the processor's packages count themselves (Linux powercap: intel-rapl:N, which AMD's show
/// too).
class EnergyCounter {
 public:
  explicit EnergyCounter(const std::filesystem::path& folder = "/sys/class/powercap");

  /// Whether there is a counter that may be read.
  bool readable() const { return !packages_.empty(); }
  /// Joules since the last call, or since the start: of all packages. Call it before a counter comes round
  /// (minutes).
  double joules();

 private:
  struct Package {
    std::filesystem::path counter;
    std::int64_t rangeUj = 0, lastUj = 0;
  };
  std::vector<Package> packages_;
};

}  // namespace halo
