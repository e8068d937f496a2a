#include "tests/fuzz/coverage.h"

#include <bit>
#include <cstdint>

namespace halo::fuzz {
namespace {
Coverage hits{};
}  // namespace

const Coverage& coverage() { return hits; }
void forgetCoverage() { hits.fill(0); }

bool isNews(Coverage& total) {
  bool news = false;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (hits[i] == 0) continue;
    const auto step = static_cast<unsigned char>(1 << (std::bit_width(hits[i]) - 1));
    news |= (total[i] & step) == 0;
    total[i] = static_cast<unsigned char>(total[i] | step);
  }
  return news;
}

}  // namespace halo::fuzz

// Called by every piece of the program, so written without anything that would be traced itself.
extern "C" __attribute__((no_sanitize_coverage, no_sanitize("address", "undefined"))) void
__sanitizer_cov_trace_pc() {
  const auto address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  unsigned char* at = reinterpret_cast<unsigned char*>(&halo::fuzz::hits) +
                      ((address ^ address >> 13) & (halo::fuzz::kPlaces - 1));
  if (*at < 255) ++*at;
}
