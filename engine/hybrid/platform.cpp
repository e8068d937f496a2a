#include "engine/hybrid/platform.h"

#include "engine/experiment/figure_file.h"

namespace halo {
namespace {

constexpr double kMostGbps = 1e6;
constexpr std::string_view kRootPorts[] = {"own", "shared"};
constexpr Parameter kParameters[] = {
    {"sockets", "processors", wholeFigure(1, 64)},
    {"cpu_threads", "threads of all processors that sample, load and train", wholeFigure(3, 65536)},
    {"memory_sockets", "processors whose memory bandwidth the features are read with", wholeFigure(1, 64)},
    {"socket_memory_gbps", "memory bandwidth of a processor, GB/s", realFigure(1e-3, kMostGbps)},
    {"cpu_gmacs", "multiply-adds of all processors, 10^9 a second", realFigure(1e-3, 1e9)},
    {"thread_gbps", "bytes that one thread moves at most, GB/s", realFigure(1e-3, kMostGbps)},
    {"thread_sample_medges", "neighbours that one thread samples, 10^6 a second", realFigure(1e-6, 1e6)},
    {"sample_bytes_per_edge", "host memory traffic of one sampled neighbour", realFigure(0, 4096)},
    {"cards", "accelerator cards", wholeFigure(1, 1024)},
    {"card_memory_gbps", "memory bandwidth of a card, GB/s", realFigure(1e-3, kMostGbps)},
    {"card_gmacs", "multiply-adds of a card, 10^9 a second", realFigure(1e-3, 1e9)},
    {"card_overlaps", "a card aggregates and updates at the same time", Flag{}},
    {"card_duplicates", "a card reads the row of a vertex once a layer, not once an edge", Flag{}},
    {"card_sample_medges", "neighbours that a card samples, 10^6 a second; 0: cards do not sample",
     realFigure(0, 1e6)},
    {"launch_us", "time to start the kernels of one propagation on a card", realFigure(0, 1e6)},
    {"pcie_gbps", "PCIe bandwidth of a card, or of all together, GB/s", realFigure(1e-3, kMostGbps)},
    {"root_port", "whether each card has its own PCIe root port, or all share one", wordFigure(kRootPorts)},
    {"socket_tflops", "peak of a processor, for normalised times", realFigure(0, 1e6)},
    {"card_tflops", "peak of a card, for normalised times", realFigure(0, 1e6)},
};

}  // namespace

const Declaration& platformDeclaration() {
  static const Declaration declaration{"hybrid-node", "processors and alike accelerator cards in one node",
                                       "HyScale Table II", kParameters};
  return declaration;
}

HybridPlatform platformOf(const std::string& name, const Values& values) {
  HybridPlatform platform;
  platform.name = name;
  const auto integer = [&](const char* key) { return static_cast<int>(values.integer(key)); };
  platform.sockets = integer("sockets");
  platform.cpuThreads = integer("cpu_threads");
  platform.memorySockets = integer("memory_sockets");
  platform.socketMemoryGbps = values.real("socket_memory_gbps");
  platform.cpuGmacs = values.real("cpu_gmacs");
  platform.threadGbps = values.real("thread_gbps");
  platform.threadSampleMedges = values.real("thread_sample_medges");
  platform.sampleBytesPerEdge = values.real("sample_bytes_per_edge");
  platform.cards = integer("cards");
  platform.cardMemoryGbps = values.real("card_memory_gbps");
  platform.cardGmacs = values.real("card_gmacs");
  platform.cardOverlaps = values.flag("card_overlaps");
  platform.cardDuplicates = values.flag("card_duplicates");
  platform.cardSampleMedges = values.real("card_sample_medges");
  platform.launchUs = values.real("launch_us");
  platform.pcieGbps = values.real("pcie_gbps");
  platform.sharedRootPort = values.text("root_port") == "shared";
  platform.socketTflops = values.real("socket_tflops");
  platform.cardTflops = values.real("card_tflops");
  return platform;
}

}  // namespace halo
