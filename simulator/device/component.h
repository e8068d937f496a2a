#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/declaration.h"
#include "engine/base/matrix.h"
#include "engine/base/problem.h"
#include "engine/base/registry.h"
#include "engine/base/required.h"
#include "engine/record/trace/span.h"
#include "simulator/device/library.h"
#include "simulator/graph/workload.h"

namespace halo::sim {

/// How closely a device is simulated (resources/manual/reference/simulator/devices.md, Levels).
enum class Level { analytic, tile, cycle };
std::string_view text(Level level);
Level levelOf(std::string_view word);

/// A number that a result was made with, and where it comes from: "published: …", "measured: …",
/// "derived: …", "assumed: …" or "cycle model: …".
struct Factor {
  std::string name;
  double value = 0;
  std::string from;
};

/// Bytes of a stream, cycles of a stall cause.
struct Count {
  std::string name;
  std::int64_t value = 0;
};

/// One engine of a device. busyCycles + stallCycles() + idleCycles == cycles of the device, counted apart.
struct Component {
  std::string name;
  std::int64_t busyCycles = 0, idleCycles = 0;
  std::vector<Count> stalls;  // cycles by cause
  std::int64_t bytes = 0;     // that passed through it
  double energyPj = 0;        // of these the device's energy is the sum
  std::int64_t stallCycles() const;
};

/// What an engine did or waited for; consecutive ones may stand as one.
struct EngineSpan {
  std::size_t engine = 0;  // of DeviceResult::components
  std::int64_t beginCycle = 0, cycles = 0, bytes = 0;
  Name name = Name::stream;
  Kind kind = Kind::compute;
  std::int16_t layer = -1;
  Pass pass = Pass::none;
};

/// What one device does in one epoch or inference.
struct DeviceResult {
  std::int64_t cycles = 0;
  double ns = 0;
  std::int64_t operations = 0;  // additions
  std::vector<Count> streams;   // bytes to and from DRAM by what they are; their sum is dramBytes()
  std::vector<Component> components;
  double perOpPj = 0, chipPowerPj = 0;  // both ways to account for energy; the components hold the chosen one
  std::vector<Factor> factors;
  std::vector<EngineSpan> spans;
  std::int64_t dramBytes() const;
};

/// What a device is asked to do.
struct DeviceTask {
  const Values& figures;  // complete, checked by AcceleratorEntry::refuse
  const Library& library;
  const Graph& graph;
  std::vector<SlicePass> passes;  // of this device's slice
  Level level = Level::tile;
};

/// What a device can do at most.
struct Roof {
  double operationsPerSecond = 0;  // of the kind that DeviceResult::operations counts
  double bytesPerSecond = 0;       // of its DRAM
};

/// An accelerator declares itself by one of these in a Registered<AcceleratorEntry>. The figures themselves
/// and their sources stand in resources/devices/NAME.toml.
struct AcceleratorEntry {
  Declaration declaration;
  std::span<const Level> levels;
  /// Why these figures cannot do passes of these widths: problems whose key is a parameter.
  Required<std::vector<Problem>(const Values& figures, const Library& library,
                                std::span<const SlicePass> passes)>
      refuse;
  /// Throws InputError for a task that these figures cannot do, as far as its counts tell: the graph itself
  /// may be missing. `simulate` asks it too.
  Required<void(const DeviceTask& task)> refuseTask;
  /// The device with this share of its capacities and rates: for a replica of a graph of this share.
  Required<Values(const Values& figures, double share)> scaled;
  /// Does the work instead of timing it, block by block as `simulate` has the blocks. Returns the sums of A H
  /// (A binary) in the device's order, 0 where `mask` is 0. The mask is rows × columns of the result, row by
  /// row; an empty one asks for all. What simulator/device/execute.h holds against A H: tiles must cover
  /// every nonzero once.
  Required<Matrix(const Values& figures, const Library& library, const CsrRows& A, const Matrix& H,
                  std::span<const std::uint8_t> mask)>
      execute;
  /// The same task gives the same result for any number of threads.
  Required<DeviceResult(const DeviceTask& task)> simulate;
  Required<Roof(const Values& figures)> roof;
  /// Picoseconds of an update, rows × `in` times in × `out`; nullptr: the device only aggregates.
  std::int64_t (*updatePs)(const Values& figures, std::int64_t rows, std::int64_t in,
                           std::int64_t out) = nullptr;
};

}  // namespace halo::sim
