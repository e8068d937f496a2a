#include "app/machine/energy_counter.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace halo {
namespace {

namespace fs = std::filesystem;

std::optional<std::int64_t> number(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

}  // namespace

EnergyCounter::EnergyCounter(const fs::path& folder) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    // intel-rapl:0 is a package, intel-rapl:0:1 a part of it
    if (!name.starts_with("intel-rapl:") || std::ranges::count(name, ':') != 1) continue;
    const auto now = number(entry.path() / "energy_uj"), range = number(entry.path() / "max_energy_range_uj");
    if (now && range) packages_.push_back({entry.path() / "energy_uj", *range, *now});
  }
}

double EnergyCounter::joules() {
  std::int64_t sum = 0;
  for (Package& package : packages_) {
    const std::int64_t now = number(package.counter).value_or(package.lastUj);
    sum += now >= package.lastUj ? now - package.lastUj : now + package.rangeUj - package.lastUj;
    package.lastUj = now;
  }
  return static_cast<double>(sum) * 1e-6;
}

}  // namespace halo
