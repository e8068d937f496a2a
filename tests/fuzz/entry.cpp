// The one entry of all harnesses, with libFuzzer's name for it: HALO_HARNESS says which is meant.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/harness.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace halo::fuzz;
  static std::string name;
  static const Harness* harness = nullptr;
  const char* selection = std::getenv("HALO_HARNESS");
  if (harness == nullptr || name != (selection ? selection : "")) {
    name = selection ? selection : "";
    harness = harnessNamed(name);
  }
  if (harness == nullptr) {
    std::fprintf(stderr, "HALO_HARNESS: '%s' is no harness\n", name.c_str());
    std::abort();
  }
  const std::string wrong = misbehaviour(*harness, {reinterpret_cast<const char*>(data), size});
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "FIND: %s\n", wrong.c_str());
  std::abort();
}
