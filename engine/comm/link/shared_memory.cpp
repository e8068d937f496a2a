#include "engine/comm/link/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace halo {
namespace {

/// Where rank 0 has the memory, and what tells that a rank has found the same.
struct Source {
  std::int64_t process = 0, descriptor = -1, device = 0, node = 0;
};

/// −1, and errno, where it cannot be had.
int makeMemory(std::size_t bytes) {
  const int descriptor = ::memfd_create("haloscope", MFD_CLOEXEC);
  if (descriptor >= 0 && ::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0) return descriptor;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  errno = error;
  return -1;
}

Source sourceOf(int descriptor) {
  struct stat info = {};
  if (descriptor < 0 || ::fstat(descriptor, &info) != 0) return {};
  return {::getpid(), descriptor, static_cast<std::int64_t>(info.st_dev),
          static_cast<std::int64_t>(info.st_ino)};
}

int openMemory(const Source& source) {
  const std::string path =
      "/proc/" + std::to_string(source.process) + "/fd/" + std::to_string(source.descriptor);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return -1;
  const Source same = sourceOf(descriptor);
  if (same.device == source.device && same.node == source.node) return descriptor;
  ::close(descriptor);
  errno = ESRCH;  // what this rank calls by that number is another process
  return -1;
}

}  // namespace

SharedMemory::SharedMemory(MPI_Comm comm, std::size_t bytes) : bytes_(bytes) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  int error = 0, descriptor = -1;
  Source source;
  if (rank == 0) {
    descriptor = makeMemory(bytes);
    error = descriptor < 0 ? errno : 0;
    source = sourceOf(descriptor);
  }
  MPI_Bcast(&source, 4, MPI_INT64_T, 0, comm);
  if (rank != 0 && source.descriptor >= 0) {
    descriptor = openMemory(source);
    error = descriptor < 0 ? errno : 0;
  }
  if (descriptor >= 0) {
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (at == MAP_FAILED)
      error = errno;
    else
      data_ = static_cast<std::byte*>(at);
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_INT, MPI_MAX, comm);  // all have opened it
  if (descriptor >= 0) ::close(descriptor);
  if (error == 0) return;
  if (data_ != nullptr) ::munmap(data_, bytes_);
  throw std::runtime_error("the ranks of this machine cannot share " + std::to_string(bytes) +
                           " bytes of memory: " + std::strerror(error));
}

SharedMemory::~SharedMemory() { ::munmap(data_, bytes_); }

}  // namespace halo
