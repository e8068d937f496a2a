#include "engine/sampling/neighbour.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/parallel.h"

namespace halo {
namespace {

constexpr std::int64_t kAskEvery = 1 << 18;  // arcs; some 10 ms
constexpr std::size_t kOffsetsAhead = 16, kRowsAhead = 4;
constexpr std::size_t kLine = 64 / sizeof(Vertex), kLinesAhead = 4;  // of a row

/// The first lines of a row, which is read soon.
void prefetchRow(const Vertex* neighbours, std::size_t degree) {
  for (std::size_t i = 0; i < std::min(degree, kLinesAhead * kLine); i += kLine)
    __builtin_prefetch(neighbours + i);
}

}  // namespace

void NeighbourDraw::findRows(const SampledGraph& graph, std::span<const Vertex> targets,
                             std::span<const Vertex> rowNumbers) {
  const std::span<const Vertex> numbers = rowNumbers.empty() ? targets : rowNumbers;
  HALO_CHECK(numbers.size() == targets.size());
  const Index* offsets = graph.rows().offsets.data();
  const Vertex* columns = graph.rows().columns.data();
  resizeUndefined(rows_, targets.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i + kOffsetsAhead < numbers.size()) __builtin_prefetch(offsets + numbers[i + kOffsetsAhead]);
    const Index begin = offsets[numbers[i]], end = offsets[numbers[i] + 1];
    rows_[i] = {columns + begin, static_cast<std::uint32_t>(end - begin)};
    if (!graph.hasLoops()) continue;
    const SampledGraph::Loops loops = graph.loopsOf(numbers[i]);
    rows_[i].degree -= static_cast<std::uint32_t>(loops.count);
    rows_[i].loops = static_cast<std::uint32_t>(loops.count);
    rows_[i].after = static_cast<std::uint32_t>(loops.begin);
  }
}

/// All of a row's neighbours.
void NeighbourDraw::take(const Row& row, Vertex* columns) const {
  std::copy_n(row.neighbours, row.loops == 0 ? row.degree : row.after, columns);
  if (row.loops != 0)
    std::copy_n(row.neighbours + row.after + row.loops, row.degree - row.after, columns + row.after);
}

void NeighbourDraw::operator()(const SampledGraph& graph, const NeighbourSettings& settings,
                               const DrawKey& key, int layer, std::span<const Vertex> targets,
                               std::span<const Vertex> rowNumbers, Csr& out, const AskStop& askStop) {
  const int layers = settings.layers();
  HALO_CHECK(layer >= 1 && layer <= layers);
  HALO_CHECK((key.step + 1) * static_cast<std::uint64_t>(layers) <= std::uint64_t{1} << 32);
  const std::int32_t fanout = settings.fanouts[at(layer) - 1];
  HALO_CHECK(fanout == kAllNeighbours || (fanout >= 1 && fanout <= kMostFanout));
  findRows(graph, targets, rowNumbers);
  resizeUndefined(out.offsets, targets.size() + 1);
  out.offsets[0] = 0;
  for (std::size_t i = 0; i < targets.size(); ++i)
    out.offsets[i + 1] = out.offsets[i] + drawnArcs(rows_[i].degree, fanout, settings.replace);
  out.cols = graph.vertices();
  resizeUndefined(out.columns, at(out.nonzeros()));
  StopAsks asks(askStop, kAskEvery);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (i + kRowsAhead < targets.size())
      prefetchRow(rows_[i + kRowsAhead].neighbours, rows_[i + kRowsAhead].degree);
    const Row& row = rows_[i];
    const auto count = static_cast<std::uint32_t>(out.offsets[i + 1] - out.offsets[i]);
    Vertex* columns = out.columns.data() + out.offsets[i];
    asks.step(count + 1);
    const bool all = count == row.degree && (!settings.replace || fanout == kAllNeighbours);
    if (all) {
      take(row, columns);
      continue;
    }
    draw_.draw(key, neighbourStream(key.step, layers, layer, targets[i]), row.degree, count,
               settings.replace);
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t position = draw_.positions()[k];
      columns[k] = row.neighbours[position + (position >= row.after ? row.loops : 0)];
    }
  }
}

NeighbourSampler::NeighbourSampler(const SampledGraph& graph, NeighbourSettings settings)
    : graph_(graph), settings_(std::move(settings)), numbering_(graph.vertices()) {
  HALO_CHECK(graph.rows().rows() == graph.vertices() && settings_.layers() > 0);
}

void NeighbourSampler::sample(std::span<const Vertex> seeds, const DrawKey& key, Blocks& out,
                              const AskStop& askStop) {
  out.arcs.resize(settings_.fanouts.size());
  numbering_.begin(seeds);
  for (int layer = settings_.layers(); layer >= 1; --layer) {
    Csr& block = out.arcs[at(layer) - 1];
    draw_(graph_, settings_, key, layer, numbering_.targets(), {}, block, askStop);
    numbering_.add(block);
  }
  numbering_.finish(out.vertices);
}

NeighbourTeam::NeighbourTeam(const SampledGraph& graph, const NeighbourSettings& settings, int threads) {
  HALO_CHECK(threads >= 1);
  samplers_.reserve(at(threads));
  for (int t = 0; t < threads; ++t) samplers_.emplace_back(graph, settings);
  idle_.reserve(samplers_.size());
  for (NeighbourSampler& sampler : samplers_) idle_.push_back(&sampler);
}

NeighbourSampler* NeighbourTeam::take() {
  const std::lock_guard lock(mutex_);
  NeighbourSampler* sampler = idle_.back();
  idle_.pop_back();
  return sampler;
}

void NeighbourTeam::sample(std::span<const NeighbourBatch> batches, std::span<Blocks> out,
                           const AskStop& askStop) {
  HALO_CHECK(batches.size() == out.size());
  const auto sampleRange = [&](std::int64_t begin, std::int64_t end) {
    const auto back = [&](NeighbourSampler* sampler) {
      const std::lock_guard lock(mutex_);
      idle_.push_back(sampler);
    };
    const std::unique_ptr<NeighbourSampler, decltype(back)> sampler(take(), back);
    for (std::int64_t i = begin; i < end; ++i)
      sampler->sample(batches[at(i)].seeds, batches[at(i)].key, out[at(i)]);
  };
  // by reference: a copy of what it captures would be allocated
  parallelBlocks(std::ssize(batches), 1, std::ref(sampleRange), threads(), askStop);
}

std::size_t NeighbourTeam::heldBytes() const {
  std::size_t sum = 0;
  for (const NeighbourSampler& sampler : samplers_) sum += sampler.heldBytes();
  return sum;
}

}  // namespace halo
