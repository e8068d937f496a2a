#include "engine/base/mapped_rows.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/open_file.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

[[noreturn]] void refuse(const RowsInFile& place, const std::string& message) {
  throw DamagedInput({.file = place.file, .message = message});
}

/// A page beyond the end of a file would end the program where it is read.
void requireWhole(const RowsInFile& place, int descriptor) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) refuse(place, std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(info.st_mode)) refuse(place, "is no plain file");
  const std::int64_t end = place.begin + static_cast<std::int64_t>(place.bytes());
  if (info.st_size >= end) return;
  refuse(place, "is cut short: it has " + std::to_string(info.st_size) + " bytes, and features of " +
                    std::to_string(place.rows) + " × " + std::to_string(place.cols) + " end at " +
                    std::to_string(end));
}

}  // namespace

MappedRows::MappedRows(RowsInFile place) : place_(std::move(place)) {
  const OpenFile file(place_.file);
  if (!file) refuse(place_, std::string("cannot be read: ") + std::strerror(errno));
  requireWhole(place_, file.descriptor());
  if (place_.bytes() == 0) return;
  const std::int64_t page = ::sysconf(_SC_PAGESIZE), first = place_.begin / page * page;
  mappedBytes_ = place_.bytes() + at(place_.begin - first);
  pages_ = ::mmap(nullptr, mappedBytes_, PROT_READ, MAP_SHARED, file.descriptor(), static_cast<off_t>(first));
  if (pages_ == MAP_FAILED) refuse(place_, std::string("cannot be mapped: ") + std::strerror(errno));
  values_ = reinterpret_cast<const Scalar*>(static_cast<const std::byte*>(pages_) + (place_.begin - first));
}

MappedRows::~MappedRows() {
  if (values_ != nullptr) ::munmap(pages_, mappedBytes_);
}

}  // namespace halo
