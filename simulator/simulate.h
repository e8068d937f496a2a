#pragma once

#include "engine/experiment/experiment.h"
#include "simulator/component.h"

namespace halo::sim {

/// What a [[simulate]] found.
struct Simulated {
  Level level = Level::tile;
  std::string tiling;                                       // statistics | exact | replica: what was done
  std::int64_t vertices = 0, nonzeros = 0, features = 0;    // of the whole graph
  std::vector<DeviceClass> classes;                         // devices that do alike
  std::vector<DeviceResult> devices;                        // one of each class
  double seconds = 0;                                       // of the slowest device
  double joules = 0, perOpJoules = 0, chipPowerJoules = 0;  // of all devices
  double dramBytes = 0, operations = 0;                     // of all devices
  std::vector<std::string> marks;  // "simulated" and what the data set is marked with
};

/// Runs one simulation: loads or makes the graph where blocks are counted in one.
/// Throws InputError where the device cannot do it (as `refusals` says as far as it is known before), and
/// what loadDataset throws. The same for any number of threads.
Simulated simulate(const SimulateSettings& settings, const Library& library, const Progress& progress = {});

/// What is wrong with the settings, as far as that is known without reading a data set: problems whose key is
/// "simulate.KEY" or "device.KEY".
std::vector<Problem> refusals(const SimulateSettings& settings, const Library& library);

}  // namespace halo::sim
