#include "engine/methods/full_graph/message_blocks.h"

#include "engine/base/index.h"

namespace halo {

std::vector<RowBlock> boundaryBlocks(const LocalGraph& graph) {
  std::vector<RowBlock> blocks;
  Index begin = 0;
  for (const HaloPeer& peer : graph.peers) {
    if (peer.sendRows.empty()) continue;
    blocks.push_back({peer.rank, begin, static_cast<Index>(peer.sendRows.size())});
    begin += blocks.back().count;
  }
  return blocks;
}
std::vector<RowBlock> haloBlocks(const LocalGraph& graph) {
  std::vector<RowBlock> blocks;
  for (const HaloPeer& peer : graph.peers)
    if (peer.receiveCount > 0) blocks.push_back({peer.rank, peer.receiveBegin, peer.receiveCount});
  return blocks;
}

std::vector<std::uint64_t> boundaryIds(const LocalGraph& graph) {
  std::vector<std::uint64_t> ids;
  for (const HaloPeer& peer : graph.peers)
    for (const Vertex row : peer.sendRows) ids.push_back(static_cast<std::uint64_t>(graph.owned[at(row)]));
  return ids;
}
std::vector<std::uint64_t> haloIds(const LocalGraph& graph) {
  std::vector<std::uint64_t> ids;
  for (const Vertex v : graph.haloIds)
    ids.push_back(std::uint64_t{1} << 63 | static_cast<std::uint64_t>(graph.rank) << 32 |
                  static_cast<std::uint64_t>(v));
  return ids;
}

}  // namespace halo
