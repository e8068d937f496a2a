#pragma once

namespace halo {

/// Whether a process may read the memory of another of this user's (process_vm_readv), found by doing it
/// between two children. Open MPI then copies a large message between ranks of a host once, as it comes.
/// Otherwise it copies the message twice, piece by piece, inside the calls of both. With one copy pipegcn
/// hides a twentieth of an epoch more. Some containers and hardened kernels forbid such reads, and Open MPI
/// finds out too late. Costs two forks, 1 ms.
bool processesReadEachOther();

}  // namespace halo
