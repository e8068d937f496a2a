#include "engine/base/address_limit.h"

#include <sys/resource.h>

namespace halo {

std::string addressLimitText() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return "a program may have " + std::to_string(limit.rlim_cur >> 20) +
         " MiB of memory here; raise the limit with: ulimit -v unlimited";
}

std::string addressLimitRemark() {
  const std::string limit = addressLimitText();
  return limit.empty() ? "" : "; " + limit;
}

}  // namespace halo
