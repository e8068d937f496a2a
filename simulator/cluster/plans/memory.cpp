#include "simulator/cluster/plans/memory.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::cluster {
namespace {

constexpr std::int64_t kElement = sizeof(Scalar);

/// What RowSteps keeps of one row: elements by what for.
class RowElements {
 public:
  RowElements(const RunSettings& run, const ModelShape& shape, bool cached)
      : model_(run.model), kind_(layerWork(run.model.kind)), shape_(shape), cached_(cached) {}

  Memory memory() const {
    Memory elements{};
    elements[at(MemoryOf::features)] = shape_.layers.front().in;
    elements[at(MemoryOf::activations)] = activations();
    elements[at(MemoryOf::aggregated)] = aggregated();
    elements[at(MemoryOf::gradients)] = gradients();
    return elements;
  }
  bool readsInput(std::size_t l) const {
    const LayerShape& layer = shape_.layers[l];
    return kind_.ownProduct || kind_.secondProduct || layer.updatesBeforeForward ||
           !layer.updatesBeforeBackward;
  }

 private:
  bool isCached(std::size_t l) const { return l == 0 && cached_; }

  /// Outputs, activations, inputs after dropout, statistics of norms, and what layers keep of their own.
  std::int64_t activations() const {
    std::int64_t elements = 0;
    for (std::size_t l = 0; l < shape_.layers.size(); ++l) {
      const LayerShape& layer = shape_.layers[l];
      const bool last = l + 1 == shape_.layers.size();
      elements += layer.out + (l > 0 ? layer.in : 0);
      if (model_.dropout > 0 && (!isCached(l) || readsInput(l))) elements += layer.in;
      if (model_.norm == "layer" && !last) elements += 2;
      if (kind_.secondProduct)
        elements += (layer.updatesBeforeForward ? 2 * layer.out : layer.in) + 2 * layer.out +
                    (layer.updatesBeforeForward || layer.updatesBeforeBackward ? 0 : layer.out);
      else if (layer.updatesBeforeForward)
        elements += layer.propagated;
    }
    return elements;
  }
  std::int64_t aggregated() const {
    std::int64_t elements = 0, passing = 0;
    for (std::size_t l = 0; l < shape_.layers.size(); ++l) {
      const LayerShape& layer = shape_.layers[l];
      if (isCached(l)) {
        elements += layer.propagated * (model_.dropout > 0 ? 2 : 1);
      } else if (!layer.updatesBeforeForward && !layer.updatesBeforeBackward) {
        passing = std::max(passing, layer.propagated);  // nobody reads it again
      } else {
        elements += layer.propagated;
      }
    }
    return elements + passing;
  }
  /// Of outputs and inputs, which change places from layer to layer, of sums, and of what was propagated.
  std::int64_t gradients() const {
    std::int64_t sums = 0, returned = 0, output = 0, input = 0;
    for (int epoch = 0; epoch < 2; ++epoch) {
      output = std::max(output, shape_.layers.back().out);
      for (std::size_t l = shape_.layers.size(); l-- > 0;) {
        const LayerShape& layer = shape_.layers[l];
        if (layer.backward || !layer.updatesBeforeBackward) sums = std::max(sums, layer.returned);
        if (layer.backward) returned = std::max(returned, layer.returned);
        if (l == 0) continue;
        input = std::max(input, layer.in);
        std::swap(output, input);
      }
    }
    return sums + returned + output + input;
  }

  const ModelSettings& model_;
  LayerWork kind_;
  const ModelShape& shape_;
  bool cached_;
};

/// Rows of messages of one pass, by rank.
struct MessageRows {
  std::vector<std::int64_t> received, sent, largestReceived, largestSent;
};

/// Of the first forward pass that has messages: of others there are as many.
MessageRows messageRows(const ModelShape& shape, const TrafficOf& traffic, const Plan& plan) {
  const std::vector<std::int64_t> none(at(plan.ranks), 0);
  MessageRows rows{none, none, none, none};
  for (const auto& [key, pass] : traffic) {
    const auto& [layer, direction] = key;
    if (layer < 0 || direction != Pass::forward) continue;
    const std::int64_t rowBytes = shape.layers[at(layer)].propagated * kElement;
    if (rowBytes == 0) continue;
    for (int rank = 0; rank < plan.ranks; ++rank) {
      rows.received[at(rank)] = pass.plainArrivedBytes[rank] / rowBytes;
      rows.sent[at(rank)] = pass.plainBytes[rank] / rowBytes;
    }
    const auto note = [&](std::vector<std::int64_t>& largest, std::int32_t rank, std::int64_t bytes) {
      largest[at(rank)] = std::max(largest[at(rank)], bytes / rowBytes);
    };
    for (const int number : pass.rounds) {
      if (number < 0) continue;
      const Traffic& exchange = plan.traffics[at(number)];
      for (const Flow& f : exchange.flows) {
        note(rows.largestReceived, f.target, f.bytes);
        note(rows.largestSent, f.source, f.bytes);
      }
      for (int rank = 0; !exchange.pairwise && rank < plan.ranks; ++rank) {
        note(rows.largestReceived, rank,
             exchange.inBytes[rank] / std::max<std::int64_t>(exchange.inMessages[rank], 1));
        note(rows.largestSent, rank,
             exchange.outBytes[rank] / std::max<std::int64_t>(exchange.outMessages[rank], 1));
      }
    }
    return rows;
  }
  return rows;
}

/// The two ranks with most rows: the first has the largest block for all but itself.
std::pair<int, int> twoLargest(const PerRank& rows, int ranks) {
  int first = 0, second = ranks > 1 ? 1 : 0;
  if (rows[second] > rows[first]) std::swap(first, second);
  for (int rank = 2; rank < ranks; ++rank)
    if (rows[rank] > rows[first])
      second = std::exchange(first, rank);
    else if (rows[rank] > rows[second])
      second = rank;
  return {first, second};
}

std::vector<Memory> rowMemory(const RunSettings& run, const ModelShape& shape, const MethodStyle& style,
                              const Loads& loads, const TrafficOf& traffic, const Plan& plan) {
  const MethodEntry* method = find<MethodEntry>(run.method);
  HALO_CHECK(method != nullptr);
  const bool cached = cachesLayer0(*method, run.parameters);
  const RowElements elements(run, shape, cached);
  const Memory row = elements.memory();
  const bool transposed = style.order == ExchangeOrder::transposed;
  const MessageRows messages = transposed ? MessageRows{} : messageRows(shape, traffic, plan);
  const auto [first, second] = twoLargest(loads.rows, plan.ranks);
  MemoryRequest request;
  request.ranks = plan.ranks;
  request.slices = transposed ? plan.ranks / style.groups : 1;
  request.input = shape.layers.front().in;
  request.readsInput = elements.readsInput(0);
  request.drops = run.model.dropout > 0;
  request.parameters = run.parameters;
  for (std::size_t l = 0; l < shape.layers.size(); ++l) {
    request.forward.push_back(l == 0 && cached ? 0 : shape.layers[l].propagated);
    request.backward.push_back(shape.layers[l].backward ? shape.layers[l].returned : 0);
  }
  const std::int64_t all = loads.rows.total(plan.ranks);
  std::vector<Memory> memory;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    request.rows = loads.rows[rank];
    request.vertices = transposed ? loads.rowsOfGroup[rank] : all;
    request.halo = loads.haloRows[rank];
    request.received = transposed ? loads.haloRows[rank] : messages.received[at(rank)];
    request.sent = transposed ? loads.groupSent[rank] : messages.sent[at(rank)];
    request.largestReceived = transposed ? 0 : messages.largestReceived[at(rank)];
    request.largestSent = transposed ? 0 : messages.largestSent[at(rank)];
    request.largestBlock = plan.ranks > 1 ? loads.rows[rank == first ? second : first] : 0;
    request.slice = rank % request.slices;
    Memory own = plan.ranks == 1 && !transposed ? Memory{} : predictedMemory(*method, request);
    for (std::size_t c = 0; c < own.size(); ++c) own[c] += request.rows * row[c] * kElement;
    memory.push_back(own);
  }
  return memory;
}

}  // namespace

void setMemory(const RunSettings& run, const ModelShape& shape, const MethodStyle& style, const Loads& loads,
               const TrafficOf& traffic, Plan& plan) {
  const bool transposed = style.order == ExchangeOrder::transposed;
  plan.rowMemory = rowMemory(run, shape, style, loads, traffic, plan);
  std::vector<std::int64_t> bytes;
  for (const Memory& rankMemory : plan.rowMemory) {
    const int rank = static_cast<int>(bytes.size());
    const std::int64_t entries = transposed ? loads.entriesOfGroup[rank] : loads.entries[rank];
    const std::int64_t rows = transposed ? loads.rowsOfGroup[rank] : loads.rows[rank];
    bytes.push_back(std::accumulate(rankMemory.begin(), rankMemory.end(), std::int64_t{0}) +
                    4 * shape.weights * kElement + 8 * entries + 8 * (rows + 1));
  }
  plan.memoryBytes = PerRank(std::move(bytes));
}

}  // namespace halo::cluster
