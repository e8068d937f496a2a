#include "engine/methods/minibatch/pull_counts.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr std::int64_t kIdBytes = 8;  // of a count, and of a vertex

// PredictedVolume::round: of a question; features are asked for once block 1 is drawn
constexpr int kCountsRound = 0, kIdsRound = 1, kAnswersRound = 2, kFeaturesRound = 3;

std::size_t firstTable(int block) { return block == 0 ? 0 : 4 * at(block) - 2; }

/// use(i, j) of all pairs of different ranks.
template <class Use>
void eachPair(int ranks, const Use& use) {
  for (int i = 0; i < ranks; ++i)
    for (int j = 0; j < ranks; ++j)
      if (i != j) use(i, j);
}

/// Who asks says to everyone how many vertices it wants, in every iteration, and to some which.
void predictQuestion(const VolumeRequest& request, int layer, int block, int round,
                     std::vector<PredictedVolume>& flows) {
  const PullTables tables(request.decided);
  eachPair(request.parts, [&](int i, int j) {
    const std::int64_t iterations = tables.iterations(), vertices = tables.vertices(block)[at(i)][at(j)];
    flows.push_back({layer, Pass::none, i, j, iterations, kIdBytes * iterations, round + kCountsRound});
    if (const std::int64_t messages = tables.askedIn(block)[at(i)][at(j)]; messages > 0)
      flows.push_back({layer, Pass::none, i, j, messages, kIdBytes * vertices, round + kIdsRound});
  });
}

}  // namespace

PullCounts::PullCounts(int layers, int ranks)
    : ranks_(at(ranks)),
      tables_(firstTable(layers)),
      counts_(tables_ * ranks_ * ranks_ + 1, 0),
      sampleCpuNs_(at(layers), 0) {}

void PullCounts::clear() {
  std::ranges::fill(counts_, 0);
  std::ranges::fill(sampleCpuNs_, 0);
}

void PullCounts::add(const PullCounts& other) {
  std::ranges::transform(counts_, other.counts_, counts_.begin(), std::plus());
  std::ranges::transform(sampleCpuNs_, other.sampleCpuNs_, sampleCpuNs_.begin(), std::plus());
}

void PullCounts::addAsked(int block, int self, std::span<const Index> begins) {
  add(firstTable(block), self, begins);
}

void PullCounts::addArcs(int block, int self, std::span<const Index> begins) {
  add(firstTable(block) + 2, self, begins);
}

void PullCounts::add(std::size_t table, int self, std::span<const Index> begins) {
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const std::int64_t count = begins[rank + 1] - begins[rank];
    std::int64_t& sum = counts_[(table * ranks_ + at(self)) * ranks_ + rank];
    sum += count;
    (&sum)[ranks_ * ranks_] += count > 0;  // the table after it: iterations with any
  }
}

std::int64_t PullCounts::rowSum(int block, std::size_t kind, int self) const {
  const auto row = counts_.begin() +
                   static_cast<std::ptrdiff_t>(((firstTable(block) + kind) * ranks_ + at(self)) * ranks_);
  return std::reduce(row, row + static_cast<std::ptrdiff_t>(ranks_));
}

void PullCounts::keep(ByteWriter& out) const {
  out.array(counts_);
  out.array(sampleCpuNs_);
}

void PullCounts::resume(ByteReader& in) {
  in.array(counts_);
  in.array(sampleCpuNs_);
}

std::vector<RowTable> PullCounts::tables(std::int64_t iterations) const {
  std::vector<RowTable> all;
  auto next = counts_.begin();
  for (std::size_t t = 0; t < tables_; ++t) {
    RowTable& table = all.emplace_back();
    for (std::size_t i = 0; i < ranks_; ++i, next += static_cast<std::ptrdiff_t>(ranks_))
      table.emplace_back(next, next + static_cast<std::ptrdiff_t>(ranks_));
  }
  all.push_back({{iterations}});
  return all;
}

const RowTable& PullTables::table(int block, int kind) const {
  return tables_.at(firstTable(block) + at(kind));
}

std::vector<PredictedVolume> predictPulls(const VolumeRequest& request) {
  if (request.parts == 1 || request.decided.empty()) return {};
  std::vector<PredictedVolume> flows = predictSampling(request);
  const std::vector<PredictedVolume> rows = predictFeaturePulls(request);
  flows.insert(flows.end(), rows.begin(), rows.end());
  return flows;
}

std::vector<PredictedVolume> predictSampling(const VolumeRequest& request) {
  std::vector<PredictedVolume> flows;
  const PullTables tables(request.decided);
  const int layers = static_cast<int>(request.widths.size()) - 1;
  for (int block = 1; block < layers; ++block) {
    predictQuestion(request, block - 1, block, /*round=*/0, flows);
    eachPair(request.parts, [&](int i, int j) {
      const std::int64_t messages = tables.answeredIn(block)[at(i)][at(j)];
      if (messages > 0)
        flows.push_back({block - 1, Pass::none, j, i, messages, kIdBytes * tables.arcs(block)[at(i)][at(j)],
                         kAnswersRound});
    });
  }
  return flows;
}

std::vector<PredictedVolume> predictFeaturePulls(const VolumeRequest& request) {
  std::vector<PredictedVolume> flows;
  predictQuestion(request, 0, 0, kFeaturesRound, flows);
  const PullTables tables(request.decided);
  const std::int64_t rowBytes = request.widths.front() * request.elementBytes;
  eachPair(request.parts, [&](int i, int j) {
    if (const std::int64_t messages = tables.askedIn(0)[at(i)][at(j)]; messages > 0)
      flows.push_back({0, Pass::forward, j, i, messages, rowBytes * tables.vertices(0)[at(i)][at(j)]});
  });
  return flows;
}

}  // namespace halo
