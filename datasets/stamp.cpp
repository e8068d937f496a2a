#include "datasets/stamp.h"

#include <sys/stat.h>

#include "datasets/graph/digest.h"
#include "datasets/readers_digest.h"

namespace halo {

std::string stampOf(const std::vector<std::filesystem::path>& files) {
  return stampOf(files, kReadersDigest);
}

std::string stampOf(const std::vector<std::filesystem::path>& files, std::string_view readers) {
  Digest digest;
  digest.add(HALO_VERSION).add(readers);
  for (const auto& file : files) {
    struct stat info {};
    const bool exists = ::stat(file.c_str(), &info) == 0;
    digest.add(file.native())
        .add(exists)
        .add(info.st_size)
        .add(info.st_mtim.tv_sec)
        .add(info.st_mtim.tv_nsec)
        .add(info.st_ctim.tv_sec)  // nobody can set it back, as copying programs do with the other
        .add(info.st_ctim.tv_nsec)
        .add(info.st_ino)
        .add(info.st_dev);
  }
  return digest.hex();
}

}  // namespace halo
