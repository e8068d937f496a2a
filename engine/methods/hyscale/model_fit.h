#pragma once

#include <map>
#include <string>

#include "engine/comm/communicator/bytes.h"
#include "engine/hybrid/stage_model.h"
#include "engine/methods/hyscale/even_sample.h"

namespace halo::hyscale {

/// How far the performance model is off, over the iterations of a run in which all stages work. It also says
/// how much of what stages take in all is beside the longest.
class ModelFit {
 public:
  /// An iteration that was predicted to take so long, and what it took.
  void add(const HybridTimes& predicted, double predictedSeconds, const HybridTimes& times, double seconds);
  /// Medians, by metric.
  void addTo(std::map<std::string, double>& figures) const;
  /// For a run that goes on.
  void keep(ByteWriter& out) const;
  void resume(ByteReader& in);

 private:
  EvenSample hidden_;
  std::map<std::string, EvenSample> errors_;  // by metric
};

}  // namespace halo::hyscale
