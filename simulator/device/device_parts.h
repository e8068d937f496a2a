#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/experiment/figure_file.h"
#include "simulator/device/component.h"

namespace halo::sim {

// What several accelerators have in common: figures that mean the same in each, and what all refuse. The
// values stand in the device files.

inline constexpr std::string_view kMemoryModels[] = {"efficiency", "closed-page"};
inline constexpr std::string_view kChipEnergies[] = {"chip-power", "per-op"};
inline constexpr std::string_view kBoardEnergies[] = {"board-power", "per-op"};
inline constexpr std::string_view kHbmEnergies[] = {"flat", "split"};

inline constexpr Parameter kClock{"freq_mhz", "clock", realFigure(1, 1e5)};
inline constexpr Parameter kMemory{"memory", "kind of DRAM, a table of dram.toml", Text{""}};
inline constexpr Parameter kMemoryModel{
    "memory_model", "efficiency: shares of the peak; closed-page: the busiest of bus, activations, banks",
    wordFigure(kMemoryModels)};
inline constexpr Parameter kLineBytes{"line_bytes", "least that is fetched of a row of features",
                                      wholeFigure(4, 4096)};
inline constexpr Parameter kIndexBytes{"index_bytes", "of one column number", wholeFigure(1, 16)};
inline constexpr Parameter kRowNumberBytes{"row_number_bytes", "of one nonzero's row number",
                                           wholeFigure(1, 16)};
inline constexpr Parameter kValueBytes{"value_bytes", "of one nonzero's value", wholeFigure(0, 16)};
inline constexpr Parameter kEdgeBytes{"edge_bytes", "of one edge", wholeFigure(1, 64)};
inline constexpr Parameter kTechnology{"technology_nm", "process, for energy", realFigure(1, 1000)};
inline constexpr Parameter kLeakage{
    "leakage_w", "that it draws whatever it does, beside counts of operations", realFigure(0, 1e5)};
inline constexpr Parameter kBoardPower{"board_power_w", "of the board with its memory", realFigure(0, 1e5)};
inline constexpr Parameter kBoardMemoryEnergy{"memory_pj_per_byte", "of the board's memory, everything in it",
                                              realFigure(0, 1e6)};
inline constexpr Parameter kChipEnergy{
    "energy_mode", "of the components: the chip's power times time, or counts of operations",
    wordFigure(kChipEnergies)};
inline constexpr Parameter kBoardEnergy{
    "energy_mode", "of the components: the board's power times time, or counts of operations",
    wordFigure(kBoardEnergies)};
inline constexpr Parameter kHbmEnergy{
    "hbm_energy", "flat: so much a byte; split: array, rows opened, the rest a byte, and standing by",
    wordFigure(kHbmEnergies)};

/// KEY: the peak of the memory outside the chip.
constexpr Parameter peakOf(std::string_view key) {
  return {key, "peak of all channels, 10^9 bytes a second", realFigure(1e-3, 1e6)};
}
/// Static memory: "one macro of the buffers".
constexpr Parameter sramMacro(std::string_view description) {
  return {"sram_macro_kb", description, realFigure(0.1, 1e6)};
}
inline constexpr Parameter kBufferMacro = sramMacro("one macro of the buffers, for energy");

/// Refuses a kind of DRAM that dram.toml does not have.
std::optional<Problem> unknownMemory(const Values& figures, const Library& library);

/// Level `cycle` counts in a graph, a small one: throws InputError where it is not. Other levels pass.
void refuseLongCounting(const DeviceTask& task);

/// 0 where `mask` (rows × columns; empty: all) is 0.
void keepWanted(std::span<const std::uint8_t> mask, Matrix& sums);

}  // namespace halo::sim
