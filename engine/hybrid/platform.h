#pragma once

#include <string>

#include "engine/base/declaration.h"

namespace halo {

/// One node of processors and alike accelerator cards (HyScale Table II). Rates in GB/s are 10^9 bytes a
/// second; all are what is reached, not peaks.
struct HybridPlatform {
  std::string name;
  int sockets = 0, cpuThreads = 0;  // threads: of all sockets
  int memorySockets = 0;            // sockets whose memory bandwidth counts
  double socketMemoryGbps = 0;
  double cpuGmacs = 0;            // of all threads, 10^9 multiply-adds a second
  double threadGbps = 0;          // that one thread moves at most
  double threadSampleMedges = 0;  // neighbours that one thread samples, 10^6 a second
  double sampleBytesPerEdge = 0;  // host memory traffic of one of them
  int cards = 0;
  double cardMemoryGbps = 0, cardGmacs = 0;
  bool cardOverlaps = false;    // aggregation and update at once (FPGA), or one after the other
  bool cardDuplicates = false;  // reads the row of a vertex once a layer, not once an edge
  double cardSampleMedges = 0;  // 0: cards do not sample
  double launchUs = 0;          // before a card's propagation
  double pcieGbps = 0;          // of a card, or of all together
  bool sharedRootPort = false;
  double socketTflops = 0, cardTflops = 0;  // peaks, for the normalised comparison only

  double hostMemoryGbps() const { return memorySockets * socketMemoryGbps; }
  double peakTflops() const { return sockets * socketTflops + cards * cardTflops; }
};

/// The figures of a platform file (`platform = "hybrid-node"`), each declared once.
const Declaration& platformDeclaration();

/// The platform of these figures, every declared one.
HybridPlatform platformOf(const std::string& name, const Values& figures);

}  // namespace halo
