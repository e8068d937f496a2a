// A platform on which an iteration of small batches takes what its stages take, and not the start of kernels.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/base/check.h"
#include "tests/support/places.h"

namespace halo::test {

/// hyscale-u250 without launches, as a file in this folder; its path.
inline std::string platformWithoutLaunches(const std::filesystem::path& folder) {
  std::ifstream shipped(std::string(kSourceDir) + "/resources/platforms/hyscale-u250.toml");
  std::string text{std::istreambuf_iterator<char>(shipped), {}};
  const std::string launch = "launch_us = 20.0";
  const std::size_t at = text.find(launch);
  HALO_CHECK(at != std::string::npos);
  text.replace(at, launch.size(), "launch_us = 0.0");
  const std::filesystem::path file = folder / "no-launches.toml";
  std::ofstream(file) << text;
  return file.string();
}

/// Figures that never let a manager rest for long.
inline const std::string kDrift =
    "thread_sample_medges 0.3 16, thread_gbps 0.3 20, pcie_gbps 0.3 24, cpu_gmacs 0.3 28";

}  // namespace halo::test
