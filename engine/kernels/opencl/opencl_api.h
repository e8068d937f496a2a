#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/problem.h"

// The part of OpenCL that we call, as version 1.1 of the standard declares it. So no header and no library of
// OpenCL is needed to build. Numbers are those of the standard's cl.h and never change.
namespace halo::opencl {

using Status = std::int32_t;  // cl_int: 0, or what went wrong
using UInt = std::uint32_t;
using Bits = std::uint64_t;
using Handle =
    void*;  // cl_platform_id, cl_device_id, cl_context, cl_command_queue, cl_program, cl_kernel, cl_mem

constexpr Status kSuccess = 0;
constexpr Status kDeviceNotFound = -1;
constexpr Status kNoBuffer = -4, kNoResources = -5,
                 kNoHostMemory = -6;   // some devices say so when they compute
constexpr Status kNoPlatform = -1001;  // of the loader that finds drivers (cl_khr_icd)

constexpr Bits kAnyDevice = 0xFFFFFFFF, kProcessor = 1U << 1;
constexpr UInt kBlocking = 1;
constexpr Bits kReadWrite = 1;

enum class PlatformFact : UInt { name = 0x0902 };
enum class DeviceFact : UInt {
  type = 0x1000,
  units = 0x1002,
  groupSize = 0x1004,
  largestBuffer = 0x1010,
  memory = 0x101F,
  available = 0x1027,
  compiler = 0x1028,
  name = 0x102B,
  vendor = 0x102C,
  driver = 0x102D,
  doubles = 0x1032,
};
enum class BuildFact : UInt { log = 0x1183 };

/// The functions, each by the name it has in the standard.
struct Api {
  Status (*clGetPlatformIDs)(UInt, Handle*, UInt*) = nullptr;
  Status (*clGetPlatformInfo)(Handle, PlatformFact, std::size_t, void*, std::size_t*) = nullptr;
  Status (*clGetDeviceIDs)(Handle, Bits, UInt, Handle*, UInt*) = nullptr;
  Status (*clGetDeviceInfo)(Handle, DeviceFact, std::size_t, void*, std::size_t*) = nullptr;
  Handle (*clCreateContext)(const std::intptr_t*, UInt, const Handle*,
                            void (*)(const char*, const void*, std::size_t, void*), void*, Status*) = nullptr;
  Status (*clReleaseContext)(Handle) = nullptr;
  Handle (*clCreateCommandQueue)(Handle, Handle, Bits, Status*) = nullptr;
  Status (*clReleaseCommandQueue)(Handle) = nullptr;
  Handle (*clCreateProgramWithSource)(Handle, UInt, const char**, const std::size_t*, Status*) = nullptr;
  Status (*clBuildProgram)(Handle, UInt, const Handle*, const char*, void (*)(Handle, void*),
                           void*) = nullptr;
  Status (*clGetProgramBuildInfo)(Handle, Handle, BuildFact, std::size_t, void*, std::size_t*) = nullptr;
  Status (*clReleaseProgram)(Handle) = nullptr;
  Handle (*clCreateKernel)(Handle, const char*, Status*) = nullptr;
  Status (*clReleaseKernel)(Handle) = nullptr;
  Status (*clSetKernelArg)(Handle, UInt, std::size_t, const void*) = nullptr;
  Status (*clEnqueueNDRangeKernel)(Handle, Handle, UInt, const std::size_t*, const std::size_t*,
                                   const std::size_t*, UInt, const Handle*, Handle*) = nullptr;
  Handle (*clCreateBuffer)(Handle, Bits, std::size_t, void*, Status*) = nullptr;
  Status (*clReleaseMemObject)(Handle) = nullptr;
  Status (*clEnqueueWriteBuffer)(Handle, Handle, UInt, std::size_t, std::size_t, const void*, UInt,
                                 const Handle*, Handle*) = nullptr;
  Status (*clEnqueueReadBuffer)(Handle, Handle, UInt, std::size_t, std::size_t, void*, UInt, const Handle*,
                                Handle*) = nullptr;
  Status (*clFinish)(Handle) = nullptr;
};

/// What this machine lacks of OpenCL, and how to get it.
class Missing : public EnvironmentError {
 public:
  Missing(std::string lack, std::string advice)
      : EnvironmentError("OpenCL: " + lack + "; " + advice),
        thing_(std::move(lack)),
        advice_(std::move(advice)) {}
  const std::string& thing() const { return thing_; }
  const std::string& advice() const { return advice_; }

 private:
  std::string thing_, advice_;
};

/// The functions of a shared library. Throws Missing that names the library, or the function that it lacks.
/// It stays loaded until the program ends: drivers leave threads behind that run their code.
Api loadApi(const std::string& library);

/// "CL_OUT_OF_RESOURCES (-5)"
std::string statusText(Status status);

struct Release {
  Status (*call)(Handle) = nullptr;
  void operator()(Handle handle) const { (void)call(handle); }
};
using Owned = std::unique_ptr<void, Release>;

}  // namespace halo::opencl
