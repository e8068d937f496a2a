// A library of OpenCL whose one device, a card, builds no kernels: `failing-opencl/libOpenCL.so.1` beside the
// programs, which find it where LD_LIBRARY_PATH says so. Where HALO_TEST_FAILS names a program, it builds
// them for all others, and computes nothing.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "engine/kernels/opencl/opencl_api.h"

using namespace halo::opencl;

namespace {

int thing;  // what all handles point to

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

Handle made(Status* status) {
  if (status != nullptr) *status = kSuccess;
  return &thing;
}

bool failsHere() {
  const char* program = std::getenv("HALO_TEST_FAILS");
  return program == nullptr || std::string(program) == program_invocation_short_name;
}

}  // namespace

#define SHOWN extern "C" __attribute__((visibility("default")))

SHOWN Status clGetPlatformIDs(UInt room, Handle* platforms, UInt* count) {
  if (count != nullptr) *count = 1;
  if (room > 0) *platforms = &thing;
  return kSuccess;
}
SHOWN Status clGetPlatformInfo(Handle, PlatformFact, std::size_t size, void* place, std::size_t* needed) {
  return fill("Toy", size, place, needed);
}
SHOWN Status clGetDeviceIDs(Handle, Bits, UInt room, Handle* devices, UInt* count) {
  if (count != nullptr) *count = 1;
  if (room > 0) *devices = &thing;
  return kSuccess;
}
SHOWN Status clGetDeviceInfo(Handle, DeviceFact fact, std::size_t size, void* place, std::size_t* needed) {
  switch (fact) {
    case DeviceFact::name:
      return fill("Slide Rule", size, place, needed);
    case DeviceFact::vendor:
      return fill("Wood Ltd", size, place, needed);
    case DeviceFact::driver:
      return fill("0.1", size, place, needed);
    case DeviceFact::type:
      return fill(Bits{1U << 2}, size, place, needed);
    case DeviceFact::memory:
    case DeviceFact::largestBuffer:
      return fill(std::uint64_t{1} << 33, size, place, needed);
    case DeviceFact::groupSize:
      return fill(std::size_t{1024}, size, place, needed);
    case DeviceFact::doubles:
      return fill(Bits{1}, size, place, needed);
    case DeviceFact::units:
    case DeviceFact::available:
    case DeviceFact::compiler:
      return fill(UInt{1}, size, place, needed);
  }
  return -30;  // not known
}
SHOWN Handle clCreateContext(const std::intptr_t*, UInt, const Handle*,
                             void (*)(const char*, const void*, std::size_t, void*), void*, Status* status) {
  return made(status);
}
SHOWN Handle clCreateCommandQueue(Handle, Handle, Bits, Status* status) { return made(status); }
SHOWN Handle clCreateProgramWithSource(Handle, UInt, const char**, const std::size_t*, Status* status) {
  return made(status);
}
SHOWN Status clBuildProgram(Handle, UInt, const Handle*, const char*, void (*)(Handle, void*), void*) {
  return failsHere() ? -11 : kSuccess;
}
SHOWN Status clGetProgramBuildInfo(Handle, Handle, BuildFact, std::size_t size, void* place,
                                   std::size_t* needed) {
  return fill("kernels.cl:7:3: error: wood has no floating point", size, place, needed);
}
SHOWN Handle clCreateKernel(Handle, const char*, Status* status) { return made(status); }
SHOWN Handle clCreateBuffer(Handle, Bits, std::size_t, void*, Status* status) { return made(status); }
SHOWN Status clSetKernelArg(Handle, UInt, std::size_t, const void*) { return kSuccess; }
SHOWN Status clEnqueueNDRangeKernel(Handle, Handle, UInt, const std::size_t*, const std::size_t*,
                                    const std::size_t*, UInt, const Handle*, Handle*) {
  return kSuccess;
}
SHOWN Status clEnqueueWriteBuffer(Handle, Handle, UInt, std::size_t, std::size_t, const void*, UInt,
                                  const Handle*, Handle*) {
  return kSuccess;
}
SHOWN Status clEnqueueReadBuffer(Handle, Handle, UInt, std::size_t, std::size_t, void*, UInt, const Handle*,
                                 Handle*) {
  return kSuccess;
}
SHOWN Status clFinish(Handle) { return kSuccess; }
SHOWN Status clReleaseContext(Handle) { return kSuccess; }
SHOWN Status clReleaseCommandQueue(Handle) { return kSuccess; }
SHOWN Status clReleaseProgram(Handle) { return kSuccess; }
SHOWN Status clReleaseKernel(Handle) { return kSuccess; }
SHOWN Status clReleaseMemObject(Handle) { return kSuccess; }
