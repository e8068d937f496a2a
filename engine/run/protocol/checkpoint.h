#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

/// The artifact that a run goes on from.
inline constexpr const char* kCheckpoint = "checkpoint";

/// What a run goes on from: the state of all ranks between two iterations.
struct Checkpoint {
  std::string version;                    // of the program: states are of one build
  std::int64_t elementBytes = 0;          // of a weight
  std::int64_t epoch = 0, iteration = 0;  // that come next; iteration 0: as the epoch begins
  std::int64_t step = 0;                  // of the run: updates before it
  std::int64_t clockNs = 0;               // of the run
  std::int64_t decisions = 0;             // that were recorded before, and will not be told again
  std::string dataDigest;                 // of what was trained on
  std::string experiment;                 // RunSettings::fingerprint of what the run was asked for
  std::vector<std::string> ranks;
};
std::string encodeCheckpoint(const Checkpoint& checkpoint);
/// Throws std::runtime_error for what is none.
Checkpoint decodeCheckpoint(std::string_view bytes);

/// What the workers are told before the job: a checkpoint, and where the run's clock goes on.
struct GoOn {
  std::int64_t clockNs = 0;
  std::string checkpoint;
};
std::string encodeGoOn(const GoOn& goOn);
GoOn decodeGoOn(std::string_view bytes);

}  // namespace halo
