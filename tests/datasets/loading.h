#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "datasets/graph/dataset.h"
#include "datasets/load.h"
#include "engine/base/problem.h"
#include "tests/datasets/own_cache.h"

namespace halo {

/// The set in a file of this name and text, in a folder and with a cache of its own.
inline Dataset loadText(const std::string& name, const std::string& text, const std::string& format = "",
                        bool directed = false) {
  const OwnCache own;
  DatasetRequest request;
  request.name = own.write(name, text).string();
  request.format = format;
  request.directed = directed;
  return loadDataset(request);
}

/// What is said where it is refused as damaged, the file's folder left out; "" where it is read.
inline std::string refusalOf(const std::string& name, const std::string& text,
                             const std::string& format = "") {
  const OwnCache own;
  DatasetRequest request;
  request.name = own.write(name, text).string();
  request.format = format;
  try {
    loadDataset(request);
  } catch (const DamagedInput& error) {
    std::string message = error.what();
    const std::string folder = own.path("").string();
    for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder))
      message.erase(at, folder.size());
    return message;
  }
  return "";
}

/// Whether one of the remarks holds `words`.
inline bool remarks(const Dataset& set, const std::string& words) {
  return std::any_of(set.remarks.begin(), set.remarks.end(),
                     [&](const std::string& remark) { return remark.find(words) != std::string::npos; });
}

inline std::vector<Vertex> rowOf(const Dataset& set, Index row) {
  return {set.arcs.row(row).begin(), set.arcs.row(row).end()};
}

}  // namespace halo
