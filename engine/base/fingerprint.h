#pragma once

#include <map>
#include <string>

namespace halo {

/// Hex digest of a training run's resolved keys. Keys that do not change results (record.*, training.repeat)
/// and keys that the run found (result.*) do not count. --resume goes by this digest. The run's rows of table
/// `parameter` must give the same digest again.
std::string trainingFingerprint(const std::map<std::string, std::string>& keys);

/// The same of a simulation. Table `parameter` also has keys that the simulation found (result.*, factor.*)
/// and where figures come from (….source). They do not count.
std::string simulationFingerprint(const std::map<std::string, std::string>& keys);

}  // namespace halo
