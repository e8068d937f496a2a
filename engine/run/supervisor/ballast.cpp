#include "engine/run/supervisor/ballast.h"

#include <fcntl.h>
#include <unistd.h>

namespace halo {
namespace {

constexpr off_t kBytes = off_t{256} << 10;  // a dozen of the recording's pages

}  // namespace

Ballast::Ballast(const std::filesystem::path& recording) {
  const std::filesystem::path folder = std::filesystem::absolute(recording).parent_path();
  file_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file_ >= 0 && ::fallocate(file_, 0, 0, kBytes) != 0) release();
}

void Ballast::release() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace halo
