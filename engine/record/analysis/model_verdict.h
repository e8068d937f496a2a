#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/record/rows/rows.h"

namespace halo {

/// How far the performance model of a node is off, by an iteration and each stage, as the run's metrics
/// `prediction_error…` have it. Only stages that were timed on this machine (device host or opencl) measure
/// the model. With modelled devices two models are compared, and there is no verdict.
struct ModelVerdict {
  static constexpr double kMost = 0.15;  // either way

  struct Part {
    std::string name;   // "iteration", "sample", "load", "transfer", "propagate"
    double error = 0;   // predicted ÷ measured, less one
    bool fits() const;  // within kMost
  };
  std::vector<Part> parts;  // those that are known, in this order
  bool measured = false;
  std::string platform;  // whose figures the model has

  /// The iteration and every stage are within kMost.
  bool holds() const;
  /// "comes out: …", "does not come out: load -31.2 %, …", or that one model is held against another.
  std::string sentence() const;
};

/// None where the run has no such metric.
std::optional<ModelVerdict> modelVerdict(const RunRow& run,
                                         const std::map<std::string, std::string>& parameters,
                                         const std::map<std::string, double>& latest);

}  // namespace halo
