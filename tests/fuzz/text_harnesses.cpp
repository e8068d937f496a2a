// Files in TOML: experiments with everything that this program knows, figures of devices and clusters,
// interconnects, gates, and the experiment that a recording brings along.

#include <fstream>

#include "app/program/known.h"
#include "app/report/gate.h"
#include "engine/experiment/figure_file.h"
#include "engine/experiment/published.h"
#include "simulator/cluster/machines/machine_figures.h"
#include "simulator/device/component.h"
#include "tests/fuzz/harness.h"

namespace halo::fuzz {
namespace {

std::filesystem::path written(std::string_view bytes) {
  auto file = emptyFolder() / "x.toml";
  std::ofstream(file, std::ios::binary) << bytes;
  return file;
}

/// Every file of a folder of resources/, or the file.
std::function<std::vector<std::string>()> resources(const std::string& name) {
  return [name] {
    std::vector<std::string> seeds;
    const auto path = resourceFolder() / name;
    if (std::filesystem::is_regular_file(path)) return std::vector{bytesOf(path)};
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().extension() == ".toml") seeds.push_back(bytesOf(entry.path()));
    return seeds;
  };
}

void readDevice(std::string_view bytes) {
  std::vector<Declaration> models;
  for (const auto& [name, entry] : registry<sim::AcceleratorEntry>()) models.push_back(entry.declaration);
  readFigureFile(written(bytes), "accelerator", models);
}

void readExperimentText(std::string_view bytes) {
  static const Known names = knownHere();
  parseExperiment(std::string(bytes), "x.toml", names);
}

std::vector<std::string> gateSeeds() {
  return {"[epoch_seconds]\nmax_increase_percent = 5.0\n[test]\nmin = 0.8\n", "[loss]\nmax = 2\n"};
}

}  // namespace

std::vector<Harness> textHarnesses() {
  return {
      {"experiment", readExperimentText, resources("experiments")},
      {"device", readDevice, resources("devices")},
      {"cluster", [](std::string_view bytes) { cluster::readMachine(written(bytes)); },
       resources("clusters")},
      {"links", [](std::string_view bytes) { readLinks(written(bytes)); }, resources("links.toml")},
      {"gates", [](std::string_view bytes) { readGates(written(bytes)); }, gateSeeds},
      {"published", [](std::string_view bytes) { readPublished(std::string(bytes)); },
       resources("experiments")},
  };
}

}  // namespace halo::fuzz
