#pragma once

namespace halo {

/// One rank of a training run, from the job on rank 0's standard input to the last frame on its standard
/// output. Collective over all ranks, between MPI_Init and MPI_Finalize. Returns the exit status of this
/// rank.
int runWorker();

/// Measures the network between all ranks; rank 0 says what it found (link_speeds.h). Collective, as above.
int runLinks();

/// A look at the files of the runs on its standard input (look.h), on the machine where rank 0 will be; no
/// MPI.
int runLook();

}  // namespace halo
