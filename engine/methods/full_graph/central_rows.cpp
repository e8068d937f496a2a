#include "engine/methods/full_graph/central_rows.h"

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {

RowsByReach rowsByReach(const Csr& own, const Csr& halo) {
  HALO_CHECK(own.rows() == halo.rows());
  RowsByReach split;
  for (Csr* half : {&split.central, &split.marginal}) {
    half->cols = own.cols;
    half->offsets.reserve(own.offsets.size());
  }
  for (Index row = 0; row < own.rows(); ++row) {
    Csr& half = halo.degree(row) == 0 ? split.central : split.marginal;
    const auto begin = own.offsets[at(row)], end = own.offsets[at(row) + 1];
    half.columns.insert(half.columns.end(), own.columns.begin() + begin, own.columns.begin() + end);
    if (own.weighted())
      half.values.insert(half.values.end(), own.values.begin() + begin, own.values.begin() + end);
    for (Csr* each : {&split.central, &split.marginal})
      each->offsets.push_back(static_cast<Index>(each->columns.size()));
  }
  return split;
}

}  // namespace halo
