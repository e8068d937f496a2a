#pragma once

#include <cstdint>
#include <vector>

#include "engine/comm/communicator/bytes.h"

namespace halo::hyscale {

/// Evenly spaced ones of any number of values, in the order that they come. All are kept up to kMost, from
/// then on every second, every fourth and so on. So a run of any length holds bounded memory.
class EvenSample {
 public:
  static constexpr std::size_t kMost = 1024;
  EvenSample() { kept_.reserve(kMost); }

  void add(double value);
  bool empty() const { return kept_.empty(); }
  std::size_t size() const { return kept_.size(); }
  /// For a run that goes on.
  void keep(ByteWriter& out) const;
  void resume(ByteReader& in);
  /// Of those that are kept; of an even number the upper one.
  double median() const;

 private:
  std::int64_t offered_ = 0, stride_ = 1;
  std::vector<double> kept_;
};

}  // namespace halo::hyscale
