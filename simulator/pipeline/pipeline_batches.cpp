#include "simulator/pipeline/pipeline_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "datasets/graph/order.h"
#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo::sim {
namespace {

BatchCut emptyCut(const Csr& A, int batches) {
  HALO_CHECK(A.rows() == A.cols && batches >= 1);
  BatchCut cut;
  cut.batching = {A.rows(), batches};
  cut.lastNeeded.assign(at(batches), -1);
  cut.lastReader.assign(at(batches), -1);
  for (int j = 0; j < batches; ++j)
    cut.nonzeros.push_back(A.offsets[at(cut.batching.begin(j + 1))] - A.offsets[at(cut.batching.begin(j))]);
  return cut;
}

void referExactly(const Csr& A, BatchCut& cut) {
  std::vector<int> batchOf(at(A.rows()));
  for (Index v = 0; v < A.rows(); ++v) batchOf[at(v)] = cut.batching.batchAt(v);
  for (Index v = 0; v < A.rows(); ++v) {
    const int j = batchOf[at(v)];
    for (const Vertex u : A.row(v)) cut.lastReader[at(batchOf[at(u)])] = j;
    // columns ascend
    if (A.degree(v) > 0)
      cut.lastNeeded[at(j)] = std::max(cut.lastNeeded[at(j)], batchOf[at(A.row(v).back())]);
  }
}

// Of an empty batch nothing is needed and nothing read.
void referWithin(Index band, BatchCut& cut) {
  const Batching& batching = cut.batching;
  for (int j = 0; j < batching.batches; ++j)
    if (batching.rows(j) > 0) {
      const Index reach = std::min(batching.vertices, batching.begin(j + 1) + band) - 1;
      cut.lastNeeded[at(j)] = cut.lastReader[at(j)] = batching.batchAt(reach);
    }
}

std::vector<std::int64_t> times(const BatchCut& cut, const char* key, double perRow, double perNonzero,
                                double each) {
  constexpr double kLongestPs = 1e16;
  std::vector<std::int64_t> ps;
  double total = 0;
  for (int j = 0; j < cut.batching.batches; ++j) {
    const double takes = each + perRow * static_cast<double>(cut.batching.rows(j)) +
                         perNonzero * static_cast<double>(cut.nonzeros[at(j)]);
    total += takes;
    if (total > kLongestPs)
      throw InputError(
          {.key = std::string("pipeline.") + key,
           .message = fmt::format("one phase takes {:.3g} ps or more; at most {:.0g}", total, kLongestPs)});
    ps.push_back(std::llround(takes));
  }
  return ps;
}

void check(const PipelineRates& rates) {
  std::vector<Problem> problems;
  const auto rate = [&](const char* name, double value) {
    if (!(value >= 0) || std::isinf(value))
      problems.push_back({.key = std::string("pipeline.") + name,
                          .message = fmt::format("{} cannot be used; 0 or more", value)});
  };
  rate("aggregate_ps_per_nonzero", rates.aggregatePsPerNonzero);
  rate("aggregate_ps_per_row", rates.aggregatePsPerRow);
  rate("update_ps_per_row", rates.updatePsPerRow);
  rate("to_dense_ps_per_row", rates.toDensePsPerRow);
  rate("to_sparse_ps_per_row", rates.toSparsePsPerRow);
  rate("overhead_ps", rates.overheadPs);
  if (!problems.empty()) throw InputError(std::move(problems));
}

}  // namespace

BatchCut cutIntoBatches(const Csr& A, int batches, PipelineDependence dependence) {
  BatchCut cut = emptyCut(A, batches);
  switch (dependence) {
    case PipelineDependence::exact:
      referExactly(A, cut);
      break;
    case PipelineDependence::band:
      referWithin(bandwidth(A), cut);
      break;
    case PipelineDependence::all:
      cut.lastNeeded.assign(at(batches), batches - 1);
      cut.lastReader.assign(at(batches), batches - 1);
      break;
  }
  return cut;
}

BatchCut cutByBand(Index vertices, Index nonzeros, Index band, int batches) {
  HALO_CHECK(batches >= 1 && band >= 0);
  BatchCut cut;
  cut.batching = {vertices, batches};
  cut.lastNeeded.assign(at(batches), -1);
  cut.lastReader.assign(at(batches), -1);
  const auto before = [&](int j) {
    return vertices == 0
               ? 0
               : static_cast<Index>(static_cast<__int128>(nonzeros) * cut.batching.begin(j) / vertices);
  };
  for (int j = 0; j < batches; ++j) cut.nonzeros.push_back(before(j + 1) - before(j));
  referWithin(band, cut);
  return cut;
}

BatchCut cutIntoBatchesReference(const Csr& A, int batches) {
  BatchCut cut = emptyCut(A, batches);
  const auto refers = [&](int j, int k) {
    const Index from = cut.batching.begin(k), to = cut.batching.begin(k + 1);
    for (Index v = cut.batching.begin(j); v < cut.batching.begin(j + 1); ++v)
      if (std::ranges::any_of(A.row(v), [&](Vertex u) { return from <= u && u < to; })) return true;
    return false;
  };
  for (int j = 0; j < batches; ++j)
    for (int k = 0; k < batches; ++k)
      if (refers(j, k)) {
        cut.lastNeeded[at(j)] = std::max(cut.lastNeeded[at(j)], k);
        cut.lastReader[at(k)] = std::max(cut.lastReader[at(k)], j);
      }
  return cut;
}

PipelinePhase timePhase(const BatchCut& cut, const PipelineRates& rates) {
  check(rates);
  PipelinePhase phase;
  if (cut.batching.vertices == 0) return phase;
  phase.aggregatePs =
      times(cut, "aggregate", rates.aggregatePsPerRow, rates.aggregatePsPerNonzero, rates.overheadPs);
  phase.updatePs = times(cut, "update", rates.updatePsPerRow, 0, rates.overheadPs);
  phase.toDensePs = times(cut, "to_dense", rates.toDensePsPerRow, 0, 0);
  phase.toSparsePs = times(cut, "to_sparse", rates.toSparsePsPerRow, 0, 0);
  phase.lastNeeded = cut.lastNeeded;
  phase.lastReader = cut.lastReader;
  return phase;
}

}  // namespace halo::sim
