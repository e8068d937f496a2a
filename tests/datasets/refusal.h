#pragma once

#include <string>

#include "datasets/graph/dataset.h"
#include "datasets/load.h"
#include "engine/base/problem.h"

namespace halo {

/// What is said when `work` is refused as damaged; "": it is not.
template <class Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const DamagedInput& error) {
    return error.what();
  }
  return "";
}

inline Dataset loadAt(const std::filesystem::path& path) {
  DatasetRequest request;
  request.name = path.string();
  return loadDataset(request);
}

inline std::string refusalOf(const std::filesystem::path& path) {
  return refusal([&] { loadAt(path); });
}

}  // namespace halo
