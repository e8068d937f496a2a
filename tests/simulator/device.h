#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "engine/experiment/figure_file.h"
#include "simulator/device/device_simulation.h"
#include "tests/support/places.h"

namespace halo::simtest {

using namespace halo::sim;

inline const Library& library() {
  static const Library all = readLibrary(std::filesystem::path(kSourceDir) / "resources");
  return all;
}

inline std::vector<Declaration> accelerators() {
  std::vector<Declaration> all;
  for (const auto& [name, entry] : registry<AcceleratorEntry>()) all.push_back(entry.declaration);
  return all;
}

/// A device that ships.
inline FigureFile deviceFile(const std::string& name) {
  return readFigureFile(std::filesystem::path(kSourceDir) / "resources/devices" / (name + ".toml"),
                        "accelerator", accelerators());
}

/// Its figures, some replaced.
inline Values deviceFigures(const std::string& name, const std::map<std::string, Value>& other = {}) {
  Values figures = deviceFile(name).figures;
  for (const auto& [key, value] : other) {
    HALO_CHECK(figures.contains(key) && figures.find(key)->second.index() == value.index());
    figures[key] = value;
  }
  return figures;
}

/// A device of this accelerator whose buffers hold a few rows only.
inline Values tinyFigures(const std::string& accelerator) {
  Values figures = deviceFigures(accelerator);
  for (auto& [key, value] : figures)
    if (key.ends_with("_buffer_mb")) value = 0.0004;
  return figures;
}

/// One epoch of a model of 3 layers, 128 wide, on 32 devices, as MixGCN's evaluation has it.
inline DeviceSettings mixgcn(const std::string& device, const std::string& graph,
                             const std::map<std::string, Value>& other = {}) {
  DeviceSettings settings;
  settings.device = device;
  settings.accelerator = deviceFile(device).model;
  settings.figures = deviceFigures(device, other);
  settings.graph = graph;
  settings.model.layers = 3;
  settings.model.hidden = 128;
  settings.model.order = "aggregate-first";
  return settings;
}

}  // namespace halo::simtest
