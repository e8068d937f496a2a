#pragma once

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "tests/app/program.h"

namespace halo::test {

/// What `script` does as root of its own mounts; nothing where that is not allowed. "$0" is the program. The
/// script ends with 99 where it cannot mount.
inline std::optional<Ended> mounted(const Program& haloscope, const std::string& script) {
  const Ended ended = run({"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script,
                           std::string(kBinDir) + "/haloscope"},
                          haloscope.environment(), haloscope.folder());
  if (ended.status != 99 && ended.status != 127 && !holds(ended.error, "unshare:")) return ended;
  WARN("SKIPPED: nothing can be mounted here");
  return std::nullopt;
}

}  // namespace halo::test
