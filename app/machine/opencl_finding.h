#pragma once

#include "app/machine/doctor.h"
#include "engine/kernels/opencl/opencl_library.h"

namespace halo {

/// The devices of OpenCL: name, driver, memory and compute units of each, or why there is none.
Finding openClFinding(const std::string& library = OpenClLibrary::kName);

}  // namespace halo
