// haloscope-worker: one MPI rank of a training run, or with --look what looks at its files beforehand;
// started by the launcher, never by hand.
#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <string_view>

#include "engine/base/heap.h"
#include "engine/run/worker.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--look") return halo::runLook();
  halo::keepFreedMemory();
  std::signal(SIGXFSZ, SIG_IGN);  // a cache that may not grow is done without
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    std::fprintf(stderr, "haloscope-worker: MPI could not start; workers are started by haloscope run\n");
    return 5;
  }
  const int status = halo::runWorker();
  MPI_Finalize();
  return status;
}
