#pragma once

#include <cstdint>
#include <vector>

#include "engine/comm/exchange/coded_exchange.h"
#include "engine/methods/worker/worker_parts.h"

namespace halo {

/// One direction in which rows travel in codes, and what their widths are chosen by (AdaQP).
struct CodedChannel {
  /// sent, received: rows of messages; ids: of the sent rows, which rounding is drawn by.
  CodedChannel(WorkerParts& parts, int bits, std::vector<RowBlock> sentBlocks,
               std::vector<RowBlock> receivedBlocks, std::vector<std::uint64_t> ids);

  /// Notes of rows that are sent how far their elements are apart.
  void trace(Tracer& tracer, int layer, const Matrix& rows);
  /// For choices of a layer to come: they shall not allocate.
  void makeRoom(int layer);

  std::vector<RowBlock> sent, received;
  std::vector<double> weights;  // Σ α² of each sent row
  CodedExchange exchange;
  // by layer
  std::vector<std::vector<double>>
      traced;                        // (largest − smallest)² of each sent row, in the last traced epoch
  std::vector<std::int64_t> widths;  // elements a row then
  std::vector<ChosenWidths> chosen;
};

/// Σ α² of the rows that this rank sends, α what the receiver, who knows it, multiplies the row with.
/// Collective.
std::vector<double> weightsOf(Communicator& comm, const LocalGraph& graph, const CodedChannel& forward);

}  // namespace halo
