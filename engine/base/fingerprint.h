#pragma once

#include <map>
#include <string>

namespace halo {

/// Hex digest of a training run's resolved keys without those that do not change results (record.*,
/// training.repeat) and those that it found (result.*): what --resume goes by, and what its rows of table
/// `parameter` must give again.
std::string trainingFingerprint(const std::map<std::string, std::string>& keys);

/// The same of a simulation: of all keys but those that it found (result.*, factor.*) and where figures come
/// from (….source), which table `parameter` has too.
std::string simulationFingerprint(const std::map<std::string, std::string>& keys);

}  // namespace halo
