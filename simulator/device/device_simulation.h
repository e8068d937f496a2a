#pragma once

#include "datasets/dataset_counts.h"
#include "engine/experiment/experiment.h"
#include "simulator/device/component.h"
#include "simulator/device/execute.h"

namespace halo::sim {

/// A device, and what it is to do.
struct DeviceSettings {
  std::string device;                 // as the file says: the name of an accelerator, or a device file
  std::string accelerator;            // the model that its figures are for
  Values figures;                     // every parameter of that model
  std::int64_t slices = 32;           // devices that share the feature columns
  std::string workload = "training";  // training | inference
  std::string level = "tile";         // analytic | tile | cycle
  std::string graph;                  // published figures of a graph stand for it; empty: the data set itself
  std::string tiling = "auto";        // auto | statistics | exact | replica
  double replicaScale = 0.01;
  double band = 1;      // share of the vertices that neighbours lie apart at most; figures and replicas only
  double locality = 1;  // share of the arcs of which that holds; the others lie anywhere
  DatasetRequest dataset;
  ModelSettings model;
  bool execute = false;  // sums real rows too, and holds them against the definition
};

/// The mark of results whose energies were scaled to a process beyond those of the table.
inline constexpr const char* kExtrapolatedEnergy = "energy extrapolated";

/// What a device did.
struct Simulated {
  Level level = Level::tile;
  std::string tiling;                                       // statistics | exact | replica: what was done
  std::int64_t vertices = 0, nonzeros = 0, features = 0;    // of the whole graph
  std::vector<DeviceClass> classes;                         // devices that do alike
  std::vector<DeviceResult> devices;                        // one of each class
  double seconds = 0;                                       // of the slowest device
  double joules = 0, perOpJoules = 0, chipPowerJoules = 0;  // of all devices
  double dramBytes = 0, operations = 0;                     // of all devices
  std::vector<std::string> marks;                           // what the data set is marked with, "replica"
  std::optional<Executed> executed;                         // where that is asked for
};

/// Runs one simulation: loads or makes the graph where blocks are counted in one.
/// Throws InputError where the device cannot do it (as `refusals` says as far as it is known before). Throws
/// std::runtime_error where the device sums wrongly when it executes, and what loadDataset and `progress`
/// throw. `progress` is asked between tiles. The same for any number of threads.
Simulated simulate(const DeviceSettings& settings, const Library& library, const Progress& progress = {});

/// What is wrong with the settings, as far as that is known without reading a data set: problems whose key is
/// "simulate.KEY" or "device.KEY".
std::vector<Problem> refusals(const DeviceSettings& settings, const Library& library);

/// The same once the counts of the data set are known.
std::vector<Problem> refusals(const DeviceSettings& settings, const Library& library,
                              const DatasetCounts& counts);

/// Columns that a graph comes with, and that a model of it gives; 0: not known.
struct GraphWidths {
  std::int64_t features = 0, classes = 0;
};
/// Throws InputError for what is wrong once the widths of the data set are known.
void refuseWidths(const DeviceSettings& settings, const Library& library, const GraphWidths& widths);

}  // namespace halo::sim
