// Platforms of tests: of one on which kernels start in no time, an iteration of small batches takes what its
// stages take.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/base/check.h"
#include "tests/support/places.h"

namespace halo::test {

/// hyscale-u250 with another line in the place of one, as a file in this folder; its path.
inline std::string changedPlatform(const std::filesystem::path& folder, const std::string& line,
                                   const std::string& other) {
  std::ifstream shipped(std::string(kSourceDir) + "/resources/platforms/hyscale-u250.toml");
  std::string text{std::istreambuf_iterator<char>(shipped), {}};
  const std::size_t at = text.find("\n" + line + "\n");
  HALO_CHECK(at != std::string::npos);
  text.replace(at + 1, line.size(), other);
  const std::filesystem::path file = folder / "changed.toml";
  std::ofstream(file) << text;
  return file.string();
}
inline std::string platformWithoutLaunches(const std::filesystem::path& folder) {
  return changedPlatform(folder, "launch_us = 20.0", "launch_us = 0.0");
}

/// Figures that never let a manager rest for long.
inline const std::string kDrift =
    "thread_sample_medges 0.3 16, thread_gbps 0.3 20, pcie_gbps 0.3 24, cpu_gmacs 0.3 28";

}  // namespace halo::test
