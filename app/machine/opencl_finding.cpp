#include "app/machine/opencl_finding.h"

#include <fmt/format.h>

#include "app/report/table.h"

namespace halo {
namespace {

std::string described(const OpenClDeviceInfo& device) {
  return fmt::format("{} (driver {}, {}, {} units{}{})", device.name, device.driver,
                     byteText(static_cast<double>(device.memoryBytes)), device.units,
                     device.isProcessor ? ", this processor" : "", device.usable ? "" : ", not usable");
}

}  // namespace

Finding openClFinding(const std::string& library) {
  constexpr const char* kThing = "OpenCL";
  try {
    std::string devices;
    for (const OpenClDeviceInfo& device : OpenClLibrary(library).devices())
      devices += (devices.empty() ? "" : "; ") + described(device);
    return {kThing, Finding::State::good, devices, ""};
  } catch (const opencl::Missing& missing) {
    return {kThing, Finding::State::poor, missing.thing(),
            "only kernels of OpenCL need it: " + missing.advice()};
  }
}

}  // namespace halo
