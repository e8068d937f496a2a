#include "datasets/one_hot.h"

#include <algorithm>

namespace halo {

void settleOneHot(RawDataset& raw) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(raw.multiLabels.rows()), -1);
  std::size_t labelled = 0;
  for (std::size_t v = 0; v < labels.size(); ++v) {
    const auto row = raw.multiLabels.row(static_cast<Index>(v));
    const auto first = std::find_if(row.begin(), row.end(), [](Scalar x) { return x != 0; });
    if (first == row.end()) continue;
    if (std::any_of(first + 1, row.end(), [](Scalar x) { return x != 0; })) return;
    labels[v] = static_cast<std::int32_t>(first - row.begin());
    ++labelled;
  }
  if (labelled == 0) return;
  raw.remarks.push_back(
      "labels are columns of 0 and 1 of which no vertex has two; read as one label a vertex");
  if (labelled < labels.size())
    raw.remarks.push_back(std::to_string(labels.size() - labelled) + " of " + std::to_string(labels.size()) +
                          " vertices have none of these labels");
  raw.labels = std::move(labels);
  raw.multiLabels = Matrix();
}

}  // namespace halo
