#pragma once

#include <mpi.h>

#include <cstdint>

namespace halo {

/// MPI's name for Scalar, and how much of anything goes into one call: its counts are int.
#ifdef HALO_DOUBLE
inline const MPI_Datatype kElement = MPI_DOUBLE;
#else
inline const MPI_Datatype kElement = MPI_FLOAT;
#endif
inline constexpr std::int64_t kPiece = 1LL << 30;

}  // namespace halo
