#include "engine/run/launch/look_there.h"

#include "engine/run/launch/answer.h"
#include "engine/run/protocol/frame.h"

namespace halo {

std::vector<LookFound> lookThere(std::span<const RunSettings> runs, const std::filesystem::path& worker,
                                 const Progress& progress) {
  RunSettings first = runs.front();
  first.cluster.workers = 1;
  if (!first.cluster.hosts.empty()) first.cluster.hosts.resize(1);  // rank 0's: no other host is bothered
  return foundFromJson(answerOf(first, worker, "--look", encode(FrameType::job, jobToJson(runs)), progress));
}

}  // namespace halo
