#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/run/launch/process.h"

namespace halo {

/// Why workers ended that could not say so themselves, and the exit status that stands for it.
struct Cause {
  std::string message;
  int exitStatus = 1;
  bool saysAll = false;  // the launcher's lines are for Open MPI's developers
};

/// What the log says of a launcher that was ended because none of its ranks was left.
inline constexpr const char* kDeserted = "mpirun went on without a rank, and was ended";

/// Whether Open MPI begins to speak of itself with this line: a ruler, or an error of its parts.
bool isMpisOwn(const std::string& line);

/// mpirun alone knows which rank died of what, and which host could not be reached; it and ssh say so on the
/// launcher's standard error.
///
/// log        its lines      exit   how the launcher ended
/// lastEpoch  that is recorded, if any
/// heard      whether a rank was heard of: then MPI had started
Cause causeOfDeath(const std::vector<std::string>& log, const ChildProcess::Exit& exit,
                   const ClusterSettings& cluster, std::optional<std::int64_t> lastEpoch, bool heard = true);

}  // namespace halo
