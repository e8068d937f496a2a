// Runs the MPI tests of this rank; every rank runs the same ones in the same order. Only rank 0 prints,
// unless something failed elsewhere, which then prints with its rank.
#define CATCH_CONFIG_RUNNER
#include <mpi.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <sstream>

int main(int argc, char** argv) {
  // as the worker does: threads where messages are moved by one
  const bool moves = std::getenv("HALO_TEST_MOVES") != nullptr;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, moves ? MPI_THREAD_SERIALIZED : MPI_THREAD_SINGLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::ostringstream output;
  std::streambuf* screen = nullptr;
  if (rank != 0) screen = std::cout.rdbuf(output.rdbuf());
  const int failures = Catch::Session().run(argc, argv);
  if (screen != nullptr) std::cout.rdbuf(screen);
  if (rank != 0 && failures != 0) std::cout << "--- rank " << rank << "\n" << output.str();
  int worst = failures;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return worst;
}
