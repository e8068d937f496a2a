#include "engine/kernels/opencl/opencl_library.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "engine/base/problem.h"
#include "engine/kernels/opencl/opencl_device.h"
#include "tests/engine/kernels/opencl/card_support.h"

using namespace halo;
using namespace halo::opencl;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// A driver of our own, without state: a platform called "Toy" and so many devices as `toys` says.
struct Toys {
  UInt platforms = 1, devices = 0;
  Status ofPlatforms = kSuccess, ofDevices = kSuccess;
  UInt available = 1;
  std::size_t groupSize = 1024;
};
Toys toys;
int places[4];

Status fill(const void* value, std::size_t bytes, std::size_t size, void* place, std::size_t* needed) {
  if (needed != nullptr) *needed = bytes;
  if (place != nullptr) std::memcpy(place, value, std::min(bytes, size));
  return kSuccess;
}
Status fill(const char* text, std::size_t size, void* place, std::size_t* needed) {
  return fill(text, std::strlen(text) + 1, size, place, needed);
}
template <class Number>
Status fill(Number value, std::size_t size, void* place, std::size_t* needed) {
  return fill(&value, sizeof value, size, place, needed);
}

Status platformIds(UInt room, Handle* platforms, UInt* count) {
  if (count != nullptr) *count = toys.platforms;
  for (UInt p = 0; p < std::min(room, toys.platforms); ++p) platforms[p] = &places[p];
  return toys.ofPlatforms;
}
Status platformInfo(Handle, PlatformFact, std::size_t size, void* place, std::size_t* needed) {
  return fill("Toy", size, place, needed);
}
Status deviceIds(Handle, Bits, UInt room, Handle* devices, UInt* count) {
  if (count != nullptr) *count = toys.devices;
  for (UInt d = 0; d < std::min(room, toys.devices); ++d) devices[d] = &places[d];
  return toys.devices == 0 && toys.ofDevices == kSuccess ? kDeviceNotFound : toys.ofDevices;
}
/// Device 0 is a processor, all others are cards.
Status deviceInfo(Handle device, DeviceFact fact, std::size_t size, void* place, std::size_t* needed) {
  const bool first = device == &places[0];
  switch (fact) {
    case DeviceFact::name:
      return fill(first ? "  Abacus 1 " : "Slide Rule", size, place, needed);
    case DeviceFact::vendor:
      return fill("Wood Ltd", size, place, needed);
    case DeviceFact::driver:
      return fill("0.1", size, place, needed);
    case DeviceFact::type:
      return fill(Bits{first ? kProcessor : 1U << 2}, size, place, needed);
    case DeviceFact::memory:
      return fill(std::uint64_t{1} << 33, size, place, needed);
    case DeviceFact::units:
      return fill(UInt{7}, size, place, needed);
    case DeviceFact::groupSize:
      return fill(toys.groupSize, size, place, needed);
    case DeviceFact::available:
    case DeviceFact::compiler:
      return fill(toys.available, size, place, needed);
    default:
      return -30;  // not known
  }
}

OpenClLibrary toyLibrary(const Toys& setup) {
  toys = setup;
  Api api;
  api.clGetPlatformIDs = platformIds;
  api.clGetPlatformInfo = platformInfo;
  api.clGetDeviceIDs = deviceIds;
  api.clGetDeviceInfo = deviceInfo;
  return OpenClLibrary(api);
}

}  // namespace

TEST_CASE("a missing OpenCL library is named, with what to install", "[opencl]") {
  CHECK_THROWS_AS(OpenClLibrary("/nowhere/libOpenCL.so.1"), EnvironmentError);
  CHECK_THROWS_WITH(OpenClLibrary("/nowhere/libOpenCL.so.1"),
                    StartsWith("OpenCL: /nowhere/libOpenCL.so.1: cannot open shared object file") &&
                        Contains("apt install ocl-icd-libopencl1"));
}

TEST_CASE("a library without OpenCL's functions is named with the first that is missing", "[opencl]") {
  CHECK_THROWS_WITH(
      OpenClLibrary("libm.so.6"),
      "OpenCL: libm.so.6 has no function clGetPlatformIDs; it must be a library of OpenCL 1.1 or "
      "later, such as ocl-icd-libopencl1");
}

TEST_CASE("no driver and no device are told apart", "[opencl]") {
  CHECK_THROWS_WITH(toyLibrary({.platforms = 0, .ofPlatforms = kNoPlatform}).devices(),
                    StartsWith("OpenCL: the library is there, but no driver; install the driver"));
  CHECK_THROWS_WITH(toyLibrary({.platforms = 0}).devices(),
                    StartsWith("OpenCL: the library is there, but no driver; install the driver"));
  CHECK_THROWS_WITH(toyLibrary({.devices = 0}).devices(),
                    StartsWith("OpenCL: no device; looked for by 'Toy'; install the driver"));
  CHECK_THROWS_WITH(toyLibrary({.devices = 1, .ofDevices = -6}).devices(),
                    StartsWith("OpenCL: no device; looked for by 'Toy, CL_OUT_OF_HOST_MEMORY (-6)'"));
  CHECK_THROWS_WITH(
      toyLibrary({.ofPlatforms = -30}).devices(),
      "OpenCL: clGetPlatformIDs: CL_INVALID_VALUE (-30); see that the drivers match the system, and "
      "reinstall them");
}

TEST_CASE("devices are described, cards before processors", "[opencl]") {
  const auto devices = toyLibrary({.devices = 3}).devices();
  REQUIRE(devices.size() == 3);
  CHECK(devices[0].name == "Slide Rule");
  CHECK(devices[2].name == "Abacus 1");
  CHECK(devices[2].isProcessor);
  CHECK(devices[2].vendor == "Wood Ltd");
  CHECK(devices[2].driver == "0.1");
  CHECK(devices[2].platform == "Toy");
  CHECK(devices[2].memoryBytes == std::int64_t{1} << 33);
  CHECK(devices[2].units == 7);
  CHECK_FALSE(devices[2].doubles);  // a fact that the driver does not know
}

TEST_CASE("a device is chosen by a part of its name or vendor", "[opencl]") {
  const OpenClLibrary library = toyLibrary({.devices = 2});
  CHECK(library.choose("").name == "Slide Rule");
  CHECK(library.choose("abacus").name == "Abacus 1");
  CHECK(library.choose("WOOD").name == "Slide Rule");
  CHECK_THROWS_WITH(
      library.choose("H200"),
      "OpenCL: no device for 'H200'; there is 'Slide Rule', 'Abacus 1'; name a part of its name or "
      "vendor, or nothing");
  CHECK_THROWS_WITH(toyLibrary({.devices = 1, .available = 0}).choose(""),
                    Contains("there is 'Abacus 1 (not available, or without a compiler)'"));
}

TEST_CASE("a device that cannot serve is refused with its name and the reason", "[opencl]") {
  OpenClLibrary library = toyLibrary({.devices = 1, .groupSize = 64});
  CHECK_THROWS_WITH(
      OpenClDevice(library, library.devices()[0]),
      "OpenCL device 'Abacus 1' (driver 0.1) takes work-groups of at most 64 items; the kernels "
      "need 256: take another device");
  library = toyLibrary({.devices = 1, .available = 0});
  CHECK_THROWS_WITH(
      OpenClDevice(library, library.devices()[0]),
      "OpenCL device 'Abacus 1' (driver 0.1) is not available, or has no compiler; take another "
      "device");
}

TEST_CASE("kernels that do not build are shown with the device and the compiler's first lines", "[opencl]") {
  HALO_NEEDS_CARD(device);
  const OpenClLibrary library;
  const auto build = [&](const std::string& source) { OpenClDevice(library, device.info(), source); };
  CHECK_THROWS_AS(build("kernel void relu( nonsense"), EnvironmentError);
  CHECK_THROWS_WITH(
      build("kernel void relu( nonsense"),
      StartsWith("OpenCL device '" + device.info().name + "' (driver " + device.info().driver +
                 ") does not build the kernels: CL_BUILD_PROGRAM_FAILURE (-11); update its driver, or take "
                 "another device. Its compiler says:\n") &&
          Contains("nonsense"));
  CHECK_THROWS_WITH(build("kernel void other(global float* X) { X[0] = 1; }"),
                    Contains("has no kernel 'aggregateRows' in what it built: CL_INVALID_KERNEL_NAME (-46)"));
}

TEST_CASE("a long message of the compiler is cut to its first lines", "[opencl]") {
  HALO_NEEDS_CARD(device);
  std::string source;
  for (int i = 0; i < 50; ++i) source += "undeclared" + std::to_string(i) + " x" + std::to_string(i) + ";\n";
  try {
    OpenClDevice(OpenClLibrary(), device.info(), source);
    FAIL("was built");
  } catch (const EnvironmentError& error) {
    const std::string text = error.what();
    CHECK(std::ranges::count(text, '\n') <= 5);
    CHECK(text.find("undeclared0") != std::string::npos);
  }
}

TEST_CASE("a matrix that a card cannot allocate is named with its size and the limit", "[opencl]") {
  HALO_NEEDS_CARD(device);
  CardBuffer buffer;
  const auto most = device.info().largestBufferBytes;
  CHECK_THROWS_WITH(device.reserve(buffer, at(most) + 1),
                    Contains("a matrix of " + std::to_string(most + 1) +
                             " bytes is more than it allocates at once, at most " + std::to_string(most) +
                             "; a smaller batch, or smaller fan-outs"));
}
