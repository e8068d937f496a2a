#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "datasets/overrides.h"
#include "datasets/parts/table.h"
#include "tests/datasets/own_cache.h"
#include "tests/datasets/refusal.h"

namespace halo {

using Remarks = std::vector<std::string>;
using Labels = std::vector<std::int32_t>;

/// The features of a file of `text`, as one row after the other.
inline std::vector<Scalar> features(const std::string& text, Index vertices, Remarks* remarks = nullptr) {
  const OwnCache own;
  Remarks fileRemarks;
  const Matrix read = readFeatureFile(own.write("f.csv", text), vertices, fileRemarks);
  if (remarks) *remarks = fileRemarks;
  return {read.values().begin(), read.values().end()};
}

/// What is said of it from its name on.
inline std::string refusedFeatures(const std::string& text, Index vertices) {
  const std::string message = refusal([&] { features(text, vertices); });
  return message.substr(std::min(message.size(), message.find("f.csv")));
}

inline LabelFile labels(const std::string& text, Index vertices, Remarks* remarks = nullptr) {
  const OwnCache own;
  Remarks fileRemarks;
  LabelFile file = readLabelFile(own.write("l.csv", text), vertices, fileRemarks);
  if (remarks) *remarks = fileRemarks;
  return file;
}

inline std::string refusedLabels(const std::string& text, Index vertices) {
  const std::string message = refusal([&] { labels(text, vertices); });
  return message.substr(std::min(message.size(), message.find("l.csv")));
}

inline std::string refusedSplit(const std::string& text, Index vertices) {
  const OwnCache own;
  std::vector<std::string> remarks;
  const std::string message = refusal([&] { readSplitFile(own.write("s.csv", text), vertices, remarks); });
  return message.substr(std::min(message.size(), message.find("s.csv")));
}

inline const std::vector<Scalar> kTens = {0, 0, 10, 100, 20, 200, 30, 300};  // of vertices 0 to 3

}  // namespace halo
