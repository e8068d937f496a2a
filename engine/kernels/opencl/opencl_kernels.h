#pragma once

#include <array>
#include <string>

#include "engine/base/index.h"
#include "engine/base/matrix.h"

namespace halo {

/// The kernels, in the order of kCardKernelNames.
enum class CardKernel {
  aggregateRows,
  aggregateHubs,
  multiply,
  multiplyTransposedA,
  multiplyTransposedB,
  sumChunks,
  sumColumns,
  relu,
  reluBackward,
  scaleAdd,
  dropout,
  normalise,
  normaliseBackward,
};
inline constexpr std::array kCardKernelNames = {
    "aggregateRows",       "aggregateHubs", "multiply",   "multiplyTransposedA",
    "multiplyTransposedB", "sumChunks",     "sumColumns", "relu",
    "reluBackward",        "scaleAdd",      "dropout",    "normalise",
    "normaliseBackward",
};

/// Their source, in OpenCL C 1.1. It is built with cardKernelOptions().
extern const char* const kCardKernelSource;
/// What both the source and those who start it count with; the source gets it as definitions.
struct CardTiles {
  static constexpr Index kEdge = 16;             // a work-group of a product: 16 × 16 work-items
  static constexpr Index kEach = 4;              // which make 4 × 4 elements each
  static constexpr Index kSide = kEdge * kEach;  // so that a group makes 64 × 64
  static constexpr Index kHub = 128;  // entries; a row of more is summed by a group, not by an item
  static constexpr Index kHubColumns = 32, kHubLanes = 8;  // that group
  static constexpr Index kNormItems = 64;  // of the group that normalises a row; a power of two
};
std::string cardKernelOptions();

}  // namespace halo
