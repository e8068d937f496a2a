#pragma once

#include <cstdint>
#include <string>

#include "engine/record/trace/span.h"

namespace halo {

// How findings name a place of a run.

inline std::string workerAt(std::int64_t epoch, std::int64_t rank) {
  return "epoch " + std::to_string(epoch) + ", worker " + std::to_string(rank);
}

inline std::string layerAt(std::int64_t epoch, std::int64_t rank, std::int64_t layer, Pass pass) {
  return "epoch " + std::to_string(epoch) + ", layer " + std::to_string(layer) + ", pass " +
         std::string(text(pass)) + ", worker " + std::to_string(rank);
}

inline std::string layerOfAll(std::int64_t epoch, std::int64_t layer, Pass pass) {
  return "epoch " + std::to_string(epoch) + ", layer " + std::to_string(layer) + ", pass " +
         std::string(text(pass)) + ", all workers";
}

}  // namespace halo
