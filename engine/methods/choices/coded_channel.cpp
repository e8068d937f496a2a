#include "engine/methods/choices/coded_channel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "engine/base/index.h"
#include "engine/comm/communicator/every_pair.h"

namespace halo {

CodedChannel::CodedChannel(WorkerParts& parts, int bits, std::vector<RowBlock> sentBlocks,
                           std::vector<RowBlock> receivedBlocks, std::vector<std::uint64_t> ids)
    : sent(std::move(sentBlocks)),
      received(std::move(receivedBlocks)),
      weights(ids.size(), 1),
      exchange(parts.comm, sent, received, std::move(ids), {.bits = bits},
               {.seed = parts.settings.training.seed}),
      traced(at(parts.model.layers())),
      widths(traced.size()),
      chosen(traced.size()) {}

void CodedChannel::trace(Tracer& tracer, int layer, const Matrix& rows) {
  const Timed timed(tracer, Kind::quantise, Name::encode);
  std::vector<double>& squares = traced[at(layer)];
  squares.resize(at(rows.rows()));
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto [low, high] = std::ranges::minmax(rows.row(i));
    const double range = static_cast<double>(high) - static_cast<double>(low);
    squares[at(i)] = std::isfinite(range) ? range * range : 0;  // what has no range ends the run elsewhere
  }
}

void CodedChannel::makeRoom(int layer) {
  traced[at(layer)].reserve(weights.size());
  ChosenWidths& layerWidths = chosen[at(layer)];
  layerWidths.sent.resize(sent.size());
  layerWidths.received.resize(received.size());
  const auto reserve = [](const std::vector<RowBlock>& blocks, std::vector<RowsByWidth>& messages) {
    for (std::size_t m = 0; m < blocks.size(); ++m)
      for (std::vector<Vertex>& rows : messages[m]) rows.reserve(at(blocks[m].count));
  };
  reserve(sent, layerWidths.sent);
  reserve(received, layerWidths.received);
}

std::vector<double> weightsOf(Communicator& comm, const LocalGraph& graph, const CodedChannel& forward) {
  std::vector<double> atReceiver(graph.haloIds.size(), 0), weights(at(graph.sendCount()), 0);
  for (std::size_t k = 0; k < graph.halo.columns.size(); ++k) {
    const double alpha = graph.halo.weighted() ? static_cast<double>(graph.halo.values[k]) : 1.0;
    atReceiver[at(graph.halo.columns[k])] += alpha * alpha;
  }
  const auto blockOf = [](const std::vector<RowBlock>& blocks, int rank) {
    const auto block = std::ranges::find(blocks, rank, &RowBlock::rank);
    return block == blocks.end() ? RowBlock{} : *block;
  };
  everyPair(
      comm,
      [&](int rank) {
        const RowBlock block = blockOf(forward.received, rank);
        return std::string(reinterpret_cast<const char*>(atReceiver.data() + block.begin),
                           at(block.count) * sizeof(double));
      },
      [&](int rank, const std::string& bytes) {
        const RowBlock block = blockOf(forward.sent, rank);
        HALO_CHECK(bytes.size() == at(block.count) * sizeof(double));
        if (!bytes.empty()) std::memcpy(weights.data() + block.begin, bytes.data(), bytes.size());
      });
  return weights;
}

}  // namespace halo
