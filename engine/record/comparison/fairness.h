#pragma once

#include <string>
#include <vector>

#include "engine/record/comparison/configuration.h"

namespace halo {

/// What differs between configurations, or may, though it is not compared.
struct Objection {
  std::string setting;  // see Unlike; "status" of a run that did not complete
  std::string sentence;
  bool operator==(const Objection&) const = default;
};

/// Why configurations may not be compared as they stand. Runs that did not complete, settings and machines
/// that differ (unlike.h), and those that may.
std::vector<Objection> objections(const std::vector<Configuration>& configurations);
/// Their sentences.
std::vector<std::string> fairness(const std::vector<Configuration>& configurations);

/// What a difference in this setting does to times, bytes or scores, in one or two sentences.
std::string whyItMatters(const std::string& setting);

}  // namespace halo
