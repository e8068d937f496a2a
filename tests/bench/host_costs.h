#pragma once

#include "datasets/graph/csr.h"
#include "simulator/cluster/machines/machine.h"

namespace halo {

/// What waiting for messages costs on the machine that measures it.
struct HostCosts {
  double copyGbPerS = 0;    // a message's fragments through memory that two processes share, one side
  double readGbPerS = 0;    // a message read whole out of another process's memory; 0: not permitted
  double gatherGbPerS = 0;  // rows gathered into a message, one core
  double lookUs = 0;        // of a core, counted for who sleeps 20 us and looks
  double lookLossUs = 0;    // of the computing of another thread on the same core, for each such look
};

/// The least disturbed of several rounds, about three seconds; on the first core that the process may use.
HostCosts measureHost();

/// Rows of 128 cut into so many slices of columns one after the other, and put together again, as an exchange
/// of columns for rows does it, GB/s of one core; a sixth of a second.
double sliceGbPerS(int slices);

/// What entries, their elements and those of rows cost one thread in sums of neighbours' rows, fitted to sums
/// of rows of 16 to 256; under a second where A has a million entries.
cluster::ComputeRates measureSparse(const Csr& A);

/// How many times as long kernels take when every core computes the same, as ranks do: they share memory, the
/// last cache and the clock.
struct Crowding {
  double sparse = 1, dense = 1;
};

/// Of sums of A's rows of 128 and of products with 128 x 128 weights, this process beside `cores` - 1 others;
/// about a second where A has a million entries.
Crowding measureCrowding(const Csr& A, int cores);

}  // namespace halo
