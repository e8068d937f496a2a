#pragma once

namespace halo {

/// One rank of a training run, from the job on rank 0's standard input to the last frame on its standard
/// output. Collective over all ranks, between MPI_Init and MPI_Finalize. Returns the exit status of this
/// rank.
int runWorker();

}  // namespace halo
