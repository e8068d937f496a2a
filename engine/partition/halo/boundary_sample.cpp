#include "engine/partition/halo/boundary_sample.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"

namespace halo {

Index sampleSize(double rate, bool atLeastOne, Index rows) {
  HALO_CHECK(rate >= 0 && rate <= 1 && rows >= 0);
  // a 32-bit count times a rate is off by at most 5e-7 from the product of the decimals
  constexpr double kRounding = 1e-6;
  const auto size = static_cast<Index>(std::floor(rate * static_cast<double>(rows) + kRounding));
  return atLeastOne && rate > 0 && rows > 0 ? std::max(size, Index{1}) : std::min(size, rows);
}

void drawSample(const SampleKey& key, Index rows, Index count, std::vector<Index>& positions) {
  HALO_CHECK(count >= 0 && count <= rows);
  HALO_CHECK(key.owner >= 0 && key.owner < (1 << 16) && key.receiver >= 0 && key.receiver < (1 << 16));
  positions.clear();
  if (count == 0) return;
  PhiloxStream random(key.seed, Purpose::boundarySample,
                      std::uint64_t{key.epoch} << 32 | static_cast<std::uint64_t>(key.owner) << 16 |
                          static_cast<std::uint64_t>(key.receiver));
  thread_local std::vector<bool> chosen;  // kept from draw to draw: every epoch draws
  chosen.assign(at(rows), false);
  for (Index last = rows - count; last < rows; ++last) {
    const auto any = static_cast<Index>(random.below(static_cast<std::uint64_t>(last) + 1));
    chosen[at(chosen[at(any)] ? last : any)] = true;
  }
  for (Index position = 0; position < rows; ++position)
    if (chosen[at(position)]) positions.push_back(position);
}

SampledHalo::SampledHalo(const LocalGraph& graph, double rate, bool atLeastOne)
    : graph_(graph), turnedHalo_(transpose(graph.halo)) {
  for (const HaloPeer& peer : graph.peers) {
    sent_.emplace_back(at(sampleSize(rate, atLeastOne, static_cast<Index>(peer.sendRows.size()))));
    received_.emplace_back(at(sampleSize(rate, atLeastOne, peer.receiveCount)));
    peers_.push_back({peer.rank, {}, 0, 0});
  }
  reserveForDensest();
}

// The most nonzeros a sample can have: those of the densest rows of every peer. Memory of this size is
// claimed once, and touched only as far as samples go, so that no epoch has to grow it.
void SampledHalo::reserveForDensest() {
  Index most = 0;
  std::vector<Index> degrees;
  for (std::size_t p = 0; p < peers_.size(); ++p) {
    const HaloPeer& peer = graph_.peers[p];
    degrees.clear();
    for (Index row = 0; row < peer.receiveCount; ++row)
      degrees.push_back(turnedHalo_.degree(peer.receiveBegin + row));
    std::ranges::sort(degrees, std::greater<>());
    most +=
        std::accumulate(degrees.begin(), degrees.begin() + static_cast<Index>(received_[p].size()), Index{0});
  }
  for (Csr* sampled : {&transposed_, &halo_}) {
    sampled->columns.reserve(at(most));
    sampled->values.reserve(at(most));
  }
}

void SampledHalo::drawSent(std::uint64_t seed, std::int32_t epoch) {
  for (std::size_t p = 0; p < sent_.size(); ++p)
    drawSample({seed, static_cast<std::uint32_t>(epoch), graph_.rank, graph_.peers[p].rank},
               static_cast<Index>(graph_.peers[p].sendRows.size()), static_cast<Index>(sent_[p].size()),
               sent_[p]);
}

void SampledHalo::drawReceived(std::uint64_t seed, std::int32_t epoch) {
  for (std::size_t p = 0; p < received_.size(); ++p)
    drawSample({seed, static_cast<std::uint32_t>(epoch), graph_.peers[p].rank, graph_.rank},
               graph_.peers[p].receiveCount, static_cast<Index>(received_[p].size()), received_[p]);
}

void SampledHalo::cut() {
  transposed_.cols = turnedHalo_.cols;
  transposed_.offsets.assign(1, 0);
  transposed_.columns.clear();
  transposed_.values.clear();
  Index begin = 0;
  for (std::size_t p = 0; p < peers_.size(); ++p) {
    const HaloPeer& peer = graph_.peers[p];
    HaloPeer& sampled = peers_[p];
    sampled.sendRows.clear();
    for (const Index position : sent_[p]) sampled.sendRows.push_back(peer.sendRows[at(position)]);
    sampled.receiveBegin = begin;
    cutRows(peer, received_[p], sampled);
    begin += sampled.receiveCount;
  }
  transposeBack();
}

// Appends the peer's sampled rows of turnedHalo_, scaled, to transposed_.
void SampledHalo::cutRows(const HaloPeer& peer, const std::vector<Index>& positions, HaloPeer& sampled) {
  sampled.receiveCount = static_cast<Index>(positions.size());
  const Scalar scale = positions.empty() ? Scalar{0}
                                         : static_cast<Scalar>(static_cast<double>(peer.receiveCount) /
                                                               static_cast<double>(positions.size()));
  Index before = -1;
  for (const Index position : positions) {
    HALO_CHECK(position > before && position < peer.receiveCount);  // it may come from another rank
    before = position;
    const Index row = peer.receiveBegin + position;
    for (Index k = turnedHalo_.offsets[at(row)]; k < turnedHalo_.offsets[at(row) + 1]; ++k) {
      transposed_.columns.push_back(turnedHalo_.columns[at(k)]);
      transposed_.values.push_back(scale * (turnedHalo_.weighted() ? turnedHalo_.values[at(k)] : Scalar{1}));
    }
    transposed_.offsets.push_back(static_cast<Index>(transposed_.columns.size()));
  }
}

// halo_ = transposed_ᵀ, in place of what it was: no allocation once its arrays have grown.
void SampledHalo::transposeBack() {
  halo_.cols = transposed_.rows();
  halo_.offsets.assign(at(turnedHalo_.cols) + 1, 0);
  halo_.columns.resize(transposed_.columns.size());
  halo_.values.resize(transposed_.values.size());
  for (const Vertex own : transposed_.columns) ++halo_.offsets[at(own) + 1];
  for (std::size_t row = 1; row < halo_.offsets.size(); ++row) halo_.offsets[row] += halo_.offsets[row - 1];
  next_.assign(halo_.offsets.begin(), halo_.offsets.end() - 1);
  for (Index row = 0; row < transposed_.rows(); ++row)
    for (Index k = transposed_.offsets[at(row)]; k < transposed_.offsets[at(row) + 1]; ++k) {
      const Index to = next_[at(transposed_.columns[at(k)])]++;
      halo_.columns[at(to)] = static_cast<Vertex>(row);
      halo_.values[at(to)] = transposed_.values[at(k)];
    }
}

}  // namespace halo
