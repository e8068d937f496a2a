#include "datasets/parts/one_hot.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr std::int32_t kNone = -1, kSeveral = -2;

std::int32_t onlyLabel(std::span<const Scalar> row) {
  const auto set = [](Scalar x) { return x != 0; };
  const auto first = std::find_if(row.begin(), row.end(), set);
  if (first == row.end()) return kNone;
  return std::any_of(first + 1, row.end(), set) ? kSeveral : static_cast<std::int32_t>(first - row.begin());
}

}  // namespace

void settleOneHot(RawDataset& raw) {
  std::vector<std::int32_t> labels;
  std::size_t unlabelled = 0;
  for (Index v = 0; v < raw.multiLabels.rows(); ++v) {
    labels.push_back(onlyLabel(std::as_const(raw.multiLabels).row(v)));
    if (labels.back() == kSeveral) return;
    if (labels.back() != kNone) continue;
    ++unlabelled;
    if (!raw.split.empty() && raw.split[at(v)] != Split::none) return;
  }
  if (unlabelled == labels.size()) return;
  raw.remarks.emplace_back(
      "labels are columns of 0 and 1 of which no vertex has two; read as one label a vertex");
  if (unlabelled > 0)
    raw.remarks.push_back(std::to_string(unlabelled) + " of " + std::to_string(labels.size()) +
                          " vertices have none of these labels");
  raw.labels = std::move(labels);
  raw.multiLabels = Matrix();
}

}  // namespace halo
