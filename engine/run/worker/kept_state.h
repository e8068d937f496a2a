#pragma once

#include <string>

#include "engine/comm/communicator/communicator.h"
#include "engine/methods/worker/resumable.h"
#include "engine/methods/worker/worker_parts.h"

namespace halo {

/// What this rank has as an epoch begins: weights, optimizer, what its method summed up.
std::string keptState(WorkerParts& parts, const Resumable& method);
/// Takes it over; the method goes on with `epoch`.
void restoreState(const std::string& kept, WorkerParts& parts, Resumable& method, std::int32_t epoch);

/// The checkpoint of all ranks on rank 0, elsewhere "". Collective.
std::string gatherCheckpoint(Communicator& comm, const std::string& kept, std::int32_t epoch,
                             std::int64_t decisions);

}  // namespace halo
