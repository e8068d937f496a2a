#include "engine/base/host_name.h"

#include <unistd.h>

#include <array>

namespace halo {

std::string hostName() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace halo
