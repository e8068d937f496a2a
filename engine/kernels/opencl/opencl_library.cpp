#include "engine/kernels/opencl/opencl_library.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace halo {
namespace {

using namespace opencl;

constexpr const char* kDriverAdvice =
    "install the driver of the device: nvidia-opencl-icd or mesa-opencl-icd of a card, pocl-opencl-icd of "
    "this "
    "processor";

void require(Status status, const std::string& call) {
  if (status != kSuccess)
    throw Missing(call + ": " + statusText(status),
                  "see that the drivers match the system, and reinstall them");
}

/// A text that `ask(size, place, needed)` gives in two calls, as all of OpenCL's texts are.
template <class Ask>
std::string text(const Ask& ask) {
  std::size_t size = 0;
  if (ask(std::size_t{0}, nullptr, &size) != kSuccess || size == 0) return "";
  std::string answer(size, '\0');
  if (ask(size, answer.data(), nullptr) != kSuccess) return "";
  answer.resize(std::min(answer.find('\0'), answer.size()));
  const std::size_t begin = std::min(answer.find_first_not_of(' '), answer.size());
  return answer.substr(begin, answer.find_last_not_of(' ') + 1 - begin);
}

/// What a driver says of a device; 0 where it does not know the question.
template <class Number>
Number number(const Api& api, Handle device, DeviceFact fact) {
  Number answer = 0;
  if (api.clGetDeviceInfo(device, fact, sizeof answer, &answer, nullptr) != kSuccess) return 0;
  return answer;
}

OpenClDeviceInfo describe(const Api& api, Handle device, const std::string& platform) {
  const auto words = [&](DeviceFact fact) {
    return text([&](std::size_t size, void* place, std::size_t* needed) {
      return api.clGetDeviceInfo(device, fact, size, place, needed);
    });
  };
  OpenClDeviceInfo info;
  info.name = words(DeviceFact::name);
  info.vendor = words(DeviceFact::vendor);
  info.driver = words(DeviceFact::driver);
  info.platform = platform;
  info.memoryBytes = static_cast<std::int64_t>(number<std::uint64_t>(api, device, DeviceFact::memory));
  info.largestBufferBytes =
      static_cast<std::int64_t>(number<std::uint64_t>(api, device, DeviceFact::largestBuffer));
  info.units = number<UInt>(api, device, DeviceFact::units);
  info.groupSize = static_cast<std::int64_t>(number<std::size_t>(api, device, DeviceFact::groupSize));
  info.isProcessor = (number<Bits>(api, device, DeviceFact::type) & kProcessor) != 0;
  info.doubles = number<Bits>(api, device, DeviceFact::doubles) != 0;
  info.usable = number<UInt>(api, device, DeviceFact::available) != 0 &&
                number<UInt>(api, device, DeviceFact::compiler) != 0;
  info.id = device;
  return info;
}

std::vector<Handle> platforms(const Api& api) {
  UInt count = 0;
  const Status status = api.clGetPlatformIDs(0, nullptr, &count);
  if (status == kNoPlatform || (status == kSuccess && count == 0))
    throw Missing("the library is there, but no driver", kDriverAdvice);
  require(status, "clGetPlatformIDs");
  std::vector<Handle> handles(count);
  require(api.clGetPlatformIDs(count, handles.data(), nullptr), "clGetPlatformIDs");
  return handles;
}

/// What a driver has; why it has none is added to its `name`, so that another driver can still serve.
std::vector<Handle> devicesOf(const Api& api, Handle platform, std::string& name) {
  UInt count = 0;
  Status status = api.clGetDeviceIDs(platform, kAnyDevice, 0, nullptr, &count);
  std::vector<Handle> handles(status == kSuccess ? count : 0);
  if (!handles.empty()) status = api.clGetDeviceIDs(platform, kAnyDevice, count, handles.data(), nullptr);
  if (status == kSuccess) return handles;
  if (status != kDeviceNotFound) name += ", " + statusText(status);
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

template <class Items, class Name>
std::string listed(const Items& items, const Name& name) {
  std::string list;
  for (const auto& item : items) list += (list.empty() ? "'" : ", '") + name(item) + "'";
  return list;
}

}  // namespace

OpenClLibrary::OpenClLibrary(const std::string& path) : api_(loadApi(path)) {}

std::vector<OpenClDeviceInfo> OpenClLibrary::devices() const {
  std::vector<OpenClDeviceInfo> devices;
  std::vector<std::string> names;
  for (const Handle platform : platforms(api_)) {
    names.push_back(text([&](std::size_t size, void* place, std::size_t* needed) {
      return api_.clGetPlatformInfo(platform, PlatformFact::name, size, place, needed);
    }));
    for (const Handle device : devicesOf(api_, platform, names.back()))
      devices.push_back(describe(api_, device, names.back()));
  }
  if (devices.empty())
    throw Missing("no device; looked for by " + listed(names, [](const std::string& name) { return name; }),
                  kDriverAdvice);
  std::ranges::stable_partition(devices, [](const OpenClDeviceInfo& info) { return !info.isProcessor; });
  return devices;
}

std::vector<OpenClDeviceInfo> OpenClLibrary::matching(const std::string& part) const {
  const std::vector<OpenClDeviceInfo> all = devices();
  std::vector<OpenClDeviceInfo> fitting;
  std::ranges::copy_if(all, std::back_inserter(fitting), [&](const OpenClDeviceInfo& info) {
    return info.usable && (contains(info.name, part) || contains(info.vendor, part));
  });
  if (!fitting.empty()) return fitting;
  const auto label = [](const OpenClDeviceInfo& info) {
    return info.name + (info.usable ? "" : " (not available, or without a compiler)");
  };
  throw Missing("no device for '" + part + "'; there is " + listed(all, label),
                "name a part of its name or vendor, or nothing");
}

}  // namespace halo
