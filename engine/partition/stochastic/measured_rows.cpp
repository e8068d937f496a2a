#include "engine/partition/stochastic/measured_rows.h"

#include <cmath>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/sampling/uniform.h"

namespace halo {
namespace {

/// One partition's rows, batch after batch.
class Tally {
 public:
  Tally(const Owners& owners, int parts) : owners_(owners), seenBy_(at(parts), -1) {
    rows_.sent.assign(at(parts), 0.0);
  }

  /// consumers  of each vertex, within the batch
  void add(const SquareBlock& consumers) {
    std::int64_t total = 0;
    for (Index i = 0; i < consumers.arcs.rows(); ++i) {
      const std::int32_t own = owners_[at(consumers.vertices[at(i)])];
      std::int64_t copies = 0;
      for (const Vertex u : consumers.arcs.row(i)) {
        const std::int32_t part = owners_[at(consumers.vertices[at(u)])];
        if (part == own || seenBy_[at(part)] == vertex_) continue;
        seenBy_[at(part)] = vertex_;
        ++copies;
      }
      ++vertex_;
      rows_.sent[at(own)] += static_cast<double>(copies);
      total += copies;
    }
    ++batches_;
    const double off = static_cast<double>(total) - rows_.mean;
    rows_.mean += off / batches_;
    squares_ += off * (static_cast<double>(total) - rows_.mean);
  }

  MeasuredRows finish() {
    for (double& rows : rows_.sent) rows /= batches_;
    rows_.sigma = std::sqrt(squares_ / (batches_ - 1) / batches_);
    return std::move(rows_);
  }

 private:
  const Owners& owners_;
  std::vector<std::int64_t> seenBy_;  // the last vertex that a part needed
  std::int64_t vertex_ = 0;           // counted over all batches
  double batches_ = 0, squares_ = 0;
  MeasuredRows rows_;
};

}  // namespace

std::vector<MeasuredRows> measuredRows(const Csr& arcs, std::span<const Owners> partitions, int parts,
                                       Index batch, std::int64_t draws, std::uint64_t seed) {
  HALO_CHECK(draws >= 2);
  const Csr transposed = transpose(arcs);
  const SampledGraph needs(transposed);
  const UniformSampler sampler(needs, batch);
  Numbering numbering(arcs.rows());
  SquareBlock block;
  std::vector<Tally> tallies;
  for (const Owners& owners : partitions) tallies.emplace_back(owners, parts);
  for (std::int64_t i = 0; i < draws; ++i) {
    sampler.sample({seed, static_cast<std::uint64_t>(i), Purpose::subgraph}, numbering, block);
    for (Tally& tally : tallies) tally.add(block);
  }
  std::vector<MeasuredRows> measured;
  for (Tally& tally : tallies) measured.push_back(tally.finish());
  return measured;
}

}  // namespace halo
