#pragma once

#include <string>

#include "engine/comm/communicator/communicator.h"
#include "engine/methods/worker/resumable.h"
#include "engine/methods/worker/worker_parts.h"
#include "engine/run/protocol/checkpoint.h"

namespace halo {

/// What this rank has as an epoch begins: weights, optimizer, what its method summed up.
std::string keptState(WorkerParts& parts, const Resumable& method);
/// Takes it over; the method goes on with `epoch`.
void restoreState(const std::string& stateBytes, WorkerParts& parts, Resumable& method, std::int32_t epoch);

/// The checkpoint of all ranks on rank 0, elsewhere "": `head` with what each of them kept. Collective.
std::string gatherCheckpoint(Communicator& comm, const std::string& stateBytes, Checkpoint head);

}  // namespace halo
