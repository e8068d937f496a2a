#include "simulator/device/device_parts.h"

#include "engine/base/check.h"

namespace halo::sim {

std::optional<Problem> unknownMemory(const Values& figures, const Library& library) {
  if (library.memories.contains(figures.text("memory"))) return std::nullopt;
  std::string names;
  for (const auto& [name, table] : library.memories) names += " " + name;
  return Problem{.key = "memory",
                 .message = "'" + figures.text("memory") + "' is no table of dram.toml; one of" + names};
}

void refuseLongCounting(const DeviceTask& task) {
  constexpr std::int64_t kMost = 1'000'000;  // nonzeros
  if (task.level != Level::cycle || task.graph.nonzeros == 0) return;
  if (task.graph.nonzeros > kMost)
    throw InputError({.key = "simulate.level",
                      .message = "'cycle' is for at most " + std::to_string(kMost) +
                                 " nonzeros, and the graph has " + std::to_string(task.graph.nonzeros) +
                                 "; level \"tile\", or a smaller replica_scale"});
}

void keepWanted(std::span<const std::uint8_t> mask, Matrix& sums) {
  HALO_CHECK(mask.empty() || std::ssize(mask) == sums.size());
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i] == 0) sums.values()[i] = 0;
}

}  // namespace halo::sim
