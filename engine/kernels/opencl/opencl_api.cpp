#include "engine/kernels/opencl/opencl_api.h"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace halo::opencl {
namespace {

/// A shared library that stays loaded.
class Library {
 public:
  explicit Library(const std::string& name) : name_(name), handle_(::dlopen(name.c_str(), RTLD_NOW)) {
    if (handle_ != nullptr) return;
    const char* why = ::dlerror();
    throw Missing(why != nullptr ? why : name + " cannot be loaded",
                  "apt install ocl-icd-libopencl1, and the driver of the device");
  }

  template <class Function>
  void find(const char* function, Function& pointer) const {
    pointer = reinterpret_cast<Function>(::dlsym(handle_, function));
    if (pointer == nullptr)
      throw Missing(name_ + " has no function " + function,
                    "it must be a library of OpenCL 1.1 or later, such as ocl-icd-libopencl1");
  }

 private:
  std::string name_;
  void* handle_;
};

constexpr std::array kStatusNames = {
    std::pair{-1, "CL_DEVICE_NOT_FOUND"},          std::pair{-2, "CL_DEVICE_NOT_AVAILABLE"},
    std::pair{-3, "CL_COMPILER_NOT_AVAILABLE"},    std::pair{-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    std::pair{-5, "CL_OUT_OF_RESOURCES"},          std::pair{-6, "CL_OUT_OF_HOST_MEMORY"},
    std::pair{-11, "CL_BUILD_PROGRAM_FAILURE"},    std::pair{-30, "CL_INVALID_VALUE"},
    std::pair{-38, "CL_INVALID_MEM_OBJECT"},       std::pair{-46, "CL_INVALID_KERNEL_NAME"},
    std::pair{-48, "CL_INVALID_KERNEL"},           std::pair{-51, "CL_INVALID_ARG_SIZE"},
    std::pair{-52, "CL_INVALID_KERNEL_ARGS"},      std::pair{-54, "CL_INVALID_WORK_GROUP_SIZE"},
    std::pair{-55, "CL_INVALID_WORK_ITEM_SIZE"},   std::pair{-61, "CL_INVALID_BUFFER_SIZE"},
    std::pair{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

}  // namespace

Api loadApi(const std::string& name) {
  const Library library(name);
  Api api;
  library.find("clGetPlatformIDs", api.clGetPlatformIDs);
  library.find("clGetPlatformInfo", api.clGetPlatformInfo);
  library.find("clGetDeviceIDs", api.clGetDeviceIDs);
  library.find("clGetDeviceInfo", api.clGetDeviceInfo);
  library.find("clCreateContext", api.clCreateContext);
  library.find("clReleaseContext", api.clReleaseContext);
  library.find("clCreateCommandQueue", api.clCreateCommandQueue);
  library.find("clReleaseCommandQueue", api.clReleaseCommandQueue);
  library.find("clCreateProgramWithSource", api.clCreateProgramWithSource);
  library.find("clBuildProgram", api.clBuildProgram);
  library.find("clGetProgramBuildInfo", api.clGetProgramBuildInfo);
  library.find("clReleaseProgram", api.clReleaseProgram);
  library.find("clCreateKernel", api.clCreateKernel);
  library.find("clReleaseKernel", api.clReleaseKernel);
  library.find("clSetKernelArg", api.clSetKernelArg);
  library.find("clEnqueueNDRangeKernel", api.clEnqueueNDRangeKernel);
  library.find("clCreateBuffer", api.clCreateBuffer);
  library.find("clReleaseMemObject", api.clReleaseMemObject);
  library.find("clEnqueueWriteBuffer", api.clEnqueueWriteBuffer);
  library.find("clEnqueueReadBuffer", api.clEnqueueReadBuffer);
  library.find("clFinish", api.clFinish);
  return api;
}

std::string statusText(Status status) {
  for (const auto& [number, name] : kStatusNames)
    if (number == status) return std::string(name) + " (" + std::to_string(status) + ")";
  return "status " + std::to_string(status);
}

}  // namespace halo::opencl
