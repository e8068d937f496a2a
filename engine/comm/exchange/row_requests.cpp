#include "engine/comm/exchange/row_requests.h"

#include <string>
#include <utility>

#include "engine/base/index.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/comm/communicator/every_pair.h"

namespace halo {

std::vector<HaloPeer> requestRows(Communicator& comm, std::vector<HaloPeer> peers,
                                  const std::vector<std::vector<Vertex>>& requests) {
  everyPair(
      comm,
      [&](int rank) {
        ByteWriter out;
        out.array(requests[at(rank)]);
        return out.take();
      },
      [&](int rank, const std::string& bytes) { ByteReader(bytes).array(peers[at(rank)].sendRows); });
  std::vector<HaloPeer> exchanging;
  for (std::size_t rank = 0; rank < peers.size(); ++rank) {
    peers[rank].rank = static_cast<int>(rank);
    if (peers[rank].receiveCount > 0 || !peers[rank].sendRows.empty())
      exchanging.push_back(std::move(peers[rank]));
  }
  return exchanging;
}

}  // namespace halo
