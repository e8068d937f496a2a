#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/kernels/opencl/opencl_api.h"

namespace halo {

/// A device as its driver describes it.
struct OpenClDeviceInfo {
  std::string name, vendor, driver, platform;
  std::int64_t memoryBytes = 0, largestBufferBytes = 0;
  std::int64_t units = 0;      // compute units
  std::int64_t groupSize = 0;  // most work-items of a work-group
  bool isProcessor = false;    // computes on the host's own cores, as pocl does
  bool doubles = false;        // computes in double precision
  bool usable = true;          // available, and with a compiler
  opencl::Handle id = nullptr;
};

/// OpenCL as this machine has it, found while the program runs: nothing of it is needed to build or to
/// install.
class OpenClLibrary {
 public:
  static constexpr const char* kName = "libOpenCL.so.1";

  /// Throws opencl::Missing where the library, or a function of it, is missing.
  explicit OpenClLibrary(const std::string& path = kName);
  /// Functions of another kind than a library's; for tests.
  explicit OpenClLibrary(const opencl::Api& api) : api_(api) {}

  /// Of all drivers, in their order, cards before processors. Throws EnvironmentError that says what to
  /// install where there is no driver or no device.
  std::vector<OpenClDeviceInfo> devices() const;
  /// Those that can be used and whose name or vendor contains `part`, whatever its case. Throws
  /// opencl::Missing naming those there are.
  std::vector<OpenClDeviceInfo> matching(const std::string& part) const;
  /// The first of them.
  OpenClDeviceInfo choose(const std::string& part) const { return matching(part).front(); }

  const opencl::Api& api() const { return api_; }

 private:
  opencl::Api api_;
};

}  // namespace halo
