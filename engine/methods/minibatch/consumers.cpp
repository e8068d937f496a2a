#include "engine/methods/minibatch/consumers.h"

#include <algorithm>
#include <bit>

#include "engine/base/index.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/comm/communicator/every_pair.h"
#include "engine/methods/worker/uncounted.h"

namespace halo {
namespace {

/// An arc from a row of the rank that is told of it.
struct OutArc {
  Vertex row, consumer;
};

Csr rowsOf(std::vector<OutArc> arcs, Index rows, Index vertices) {
  std::ranges::sort(arcs, {}, [](const OutArc& arc) { return std::pair(arc.row, arc.consumer); });
  Csr consumers;
  consumers.cols = vertices;
  consumers.offsets.assign(at(rows) + 1, 0);
  for (const OutArc& arc : arcs) {
    ++consumers.offsets[at(arc.row) + 1];
    consumers.columns.push_back(arc.consumer);
  }
  for (std::size_t row = 0; row < at(rows); ++row) consumers.offsets[row + 1] += consumers.offsets[row];
  return consumers;
}

}  // namespace

Csr consumersOf(WorkerParts& parts, const Topology& topology) {
  const Uncounted settingUp(parts);
  Communicator& comm = parts.comm;
  const std::vector<Vertex>& owned = topology.owned();
  std::vector<std::vector<OutArc>> toldTo(at(comm.size()));
  for (std::size_t i = 0; i < owned.size(); ++i)
    for (const Vertex u : topology.graph().rows().row(static_cast<Index>(i)))
      if (u != owned[i])
        toldTo[at(topology.directory().owner(u))].push_back({topology.directory().rowAtOwner(u), owned[i]});
  std::vector<OutArc> arcs = std::move(toldTo[at(comm.rank())]);
  everyPair(
      comm,
      [&](int rank) {
        ByteWriter out;
        out.array(toldTo[at(rank)]);
        return out.take();
      },
      [&](int rank, const std::string& bytes) {
        std::vector<OutArc> remoteArcs;
        ByteReader(bytes).array(remoteArcs);
        arcs.insert(arcs.end(), remoteArcs.begin(), remoteArcs.end());
        toldTo[at(rank)] = {};
      });
  return rowsOf(std::move(arcs), std::ssize(owned), topology.graph().vertices());
}

std::vector<double> consumerSquares(WorkerParts& parts, const Topology& topology, const Csr& consumers) {
  const Uncounted settingUp(parts);
  const GlobalMatrix P = topology.matrix();
  std::vector<std::int64_t> bits(at(topology.graph().vertices()), 0);  // others' are 0: sums keep all bits
  for (std::size_t i = 0; i < topology.owned().size(); ++i) {
    double sum = 0;
    for (const Vertex w : consumers.row(static_cast<Index>(i))) {
      const double entry = P.entry(w, topology.owned()[i]);
      sum += entry * entry;
    }
    bits[at(topology.owned()[i])] = std::bit_cast<std::int64_t>(sum);
  }
  parts.comm.sum(bits);
  std::vector<double> squares;
  squares.reserve(bits.size());
  for (const std::int64_t word : bits) squares.push_back(std::bit_cast<double>(word));
  return squares;
}

}  // namespace halo
