// haloscope-worker: one MPI rank of a training run; started by the launcher, never by hand. With --look it
// looks at a run's files beforehand, with --links it measures the network between hosts. With --version it
// says which it is, without MPI, to `haloscope doctor HOST`.
#include <mpi.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "engine/base/heap.h"
#include "engine/run/worker/worker.h"

namespace {

/// Between hosts a thread of the communicator calls MPI too (ProgressEngine). On one host nothing does, and
/// MPI need not lock. Above the lowest level MPI_Waitall of Open MPI 4.1 hangs on a transfer that failed.
int threadsNeeded() {
  const char* localSize = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const char* all = std::getenv("OMPI_COMM_WORLD_SIZE");
  const bool oneHost = localSize != nullptr && all != nullptr && std::string_view(localSize) == all;
  return oneHost ? MPI_THREAD_SINGLE : MPI_THREAD_SERIALIZED;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "--version")
    return std::puts("haloscope-worker " HALO_VERSION) < 0 ? 1 : 0;
  if (argc > 1 && std::string_view(argv[1]) == "--look") return halo::runLook();
  halo::keepFreedMemory();
  std::signal(SIGXFSZ, SIG_IGN);  // a cache that may not grow is done without
  int provided = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(&argc, &argv, threadsNeeded(), &provided) != MPI_SUCCESS) {
    std::fprintf(stderr, "haloscope-worker: MPI could not start; workers are started by haloscope run\n");
    return 5;
  }
  const bool measures = argc > 1 && std::string_view(argv[1]) == "--links";
  const int status = measures ? halo::runLinks() : halo::runWorker();
  MPI_Finalize();
  return status;
}
