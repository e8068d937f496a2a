#include "datasets/parts/class_numbers.h"

#include <algorithm>
#include <limits>

#include "datasets/text/class_codes.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// How many classes have a vertex; `labels` are below `classes`.
Index classesInUse(const std::vector<std::int32_t>& labels, std::int32_t classes) {
  std::vector<bool> used(at(classes));
  for (const std::int32_t label : labels)
    if (label >= 0) used[at(label)] = true;
  return std::count(used.begin(), used.end(), true);
}

}  // namespace

void settleClassNumbers(RawDataset& raw, const std::filesystem::path& file, const std::string& array) {
  if (raw.labels.empty()) return;
  const auto refuse = [&](const char* message) {
    throw DamagedInput({.file = file.string(), .key = array, .message = message});
  };
  std::int32_t smallest = std::numeric_limits<std::int32_t>::max(), largest = -1;
  for (const std::int32_t label : raw.labels) {
    if (label < 0) continue;
    smallest = std::min(smallest, label);
    largest = std::max(largest, label);
  }
  if (largest < 0) refuse("no vertex has a label");
  if (raw.minusOne && smallest == 1 && largest == 1)
    refuse("1 and -1 are no two classes: -1 means no label, which leaves one; write two classes as 0 and 1");
  if (smallest == largest)
    raw.remarks.push_back("all labels are one class, " + std::to_string(largest) +
                          ": there is nothing to tell it from");
  const std::int32_t first = smallest == 1 && raw.classes < largest + 1 ? 1 : 0;
  if (first == 1) {
    for (std::int32_t& label : raw.labels) label = std::max(-1, label - 1);
    raw.remarks.emplace_back(kClassesFromOne);
  }
  const std::int32_t counted = largest + 1 - first;
  if (raw.classes < counted) remarkCodes(classesInUse(raw.labels, counted), counted, largest, raw.remarks);
  raw.classes = std::max(raw.classes, counted);
}

}  // namespace halo
