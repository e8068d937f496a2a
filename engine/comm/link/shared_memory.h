#pragma once

#include <mpi.h>

#include <cstddef>

namespace halo {

/// Memory of zeros that all ranks of a communicator share; they must be on one machine. It lies in no file
/// system, so that /dev/shm needs no room for it, and takes room as it is written.
class SharedMemory {
 public:
  /// Collective. Throws on every rank, in the system's words, where one rank cannot have it.
  SharedMemory(MPI_Comm comm, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace halo
