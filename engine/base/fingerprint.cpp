#include "engine/base/fingerprint.h"

#include "engine/base/digest.h"

namespace halo {
namespace {

/// Whether a data set can be read, but not what it holds.
constexpr const char* kMemoryLimit = "dataset.memory_limit_gib";
/// Where features are while they are trained on: no number that is trained. True is of the run all the same,
/// which takes less memory.
constexpr const char* kMapFeatures = "dataset.map_features";
/// How long a run is waited for, but not what it trains.
constexpr const char* kSilence = "cluster.silence_s";
/// What is told of the network, and nothing that a run goes by; with its figures.
constexpr const char* kWire = "cluster.wire";

bool changesNothing(const std::string& key, const std::string& value) {
  return key.starts_with("result.") || key == kMemoryLimit || key == kSilence || key.starts_with(kWire) ||
         (key == kMapFeatures && value == "false");
}

}  // namespace

std::string trainingFingerprint(const std::map<std::string, std::string>& keys) {
  std::string text;
  for (const auto& [key, value] : keys)
    if (!changesNothing(key, value) && !key.starts_with("record.") && key != "training.repeat")
      text += key + " = " + value + "\n";
  return digest(text);
}

std::string simulationFingerprint(const std::map<std::string, std::string>& keys) {
  std::string text = "simulation\n";
  for (const auto& [key, value] : keys)
    if (!changesNothing(key, value) && !key.starts_with("factor.") && !key.ends_with(".source"))
      text += key + " = " + value + "\n";
  return digest(text);
}

}  // namespace halo
