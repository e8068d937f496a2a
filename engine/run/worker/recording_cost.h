#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace halo {

/// What recording cost one rank.
struct RecordingCost {
  std::string host;
  std::int64_t cores = 1;   // of the host, as far as this rank may use them
  std::int64_t wallNs = 0;  // outside epochs, once all ranks had met
  std::int64_t cpuNs = 0;   // of it, the CPU time: with what it polled for the other ranks' rows
};

/// How long recording kept a run's ranks from their training. With a core for every thread: as long as it
/// kept the slowest. Where a host has more threads than cores (`oversubscribed`, for all ranks alike), wall
/// time holds the other ranks' turns on the core as well. Then it is the CPU time of a host's ranks over its
/// cores, of the host that took longest. It is no less than any one rank's CPU time. That is without waits
/// for the supervisor.
std::int64_t recordingNs(std::span<const RecordingCost> ranks, bool oversubscribed);

}  // namespace halo
