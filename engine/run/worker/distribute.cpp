#include "engine/run/worker/distribute.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>

#include "datasets/load.h"
#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/methods/laws/volume.h"
#include "engine/partition/connectivity/metis.h"
#include "engine/partition/contract/empty_parts.h"
#include "engine/run/protocol/look.h"
#include "engine/run/worker/map_features.h"

namespace halo {
namespace {

/// Everything rank 0 works out before the others get their part.
struct Whole {
  Dataset dataset;
  Csr propagation;
  Prepared prepared;
  std::optional<ArcPlacement> arcs;  // of a method that cuts vertices
  std::vector<Vertex> order;         // of a method that has one
  const ArcPlacement* placedArcs() const { return arcs ? &*arcs : nullptr; }
};

/// Adds the time that the partitioner takes to `seconds`, what it works out to `figures`.
Placement place(const MethodEntry& method, const RunSettings& run, const Dataset& dataset, int parts,
                const Progress& progress, double& seconds, std::map<std::string, double>& figures) {
  const auto timed = [&](const auto& divide) {
    if (progress) progress("partitioning (" + run.partition.method + ")", 0);
    const std::int64_t begin = wallNs();
    Owners owners = divide();
    seconds += static_cast<double>(wallNs() - begin) * 1e-9;
    return owners;
  };
  const auto partitionInto = [&](int count) {
    if (count == 1) return Owners(at(dataset.vertices()), 0);
    const PartitionRequest request{count, run.partition.imbalance, run.training.seed,
                                   run.partition.parameters};
    Owners owners = timed([&] {
      for (const auto& [name, label, value] : partitionFigures(dataset.arcs, run.partition.method, request)) {
        figures[std::string(name)] = value;
        std::fprintf(stderr, "partition.method = %s: %.*s: %.10g\n", run.partition.method.c_str(),
                     static_cast<int>(label.size()), label.data(), value);
      }
      return partition(dataset.arcs, run.partition.method, request);
    });
    if (const std::string remark = emptyPartsRemark(owners, count); !remark.empty())
      std::fprintf(stderr, "partition.method = %s: %s\n", run.partition.method.c_str(), remark.c_str());
    return owners;
  };
  PlacementRequest request{dataset.arcs, parts, run.parameters, partitionInto, {}, dataset.split};
  if (run.partition.method == "metis")
    request.divide = [&](const Csr& arcs, const Weights& weights, int count, int constraints) {
      return timed([&] {
        return metisParts(arcs, weights, count, run.partition.imbalance, run.training.seed,
                          MetisObjective::cut, constraints);
      });
    };
  return placeVertices(method, std::move(request));
}

/// What a partitioner of the other kind than the method's means to it.
void tellOfPartitioner(const MethodEntry& method, const RunSettings& run, int parts) {
  const auto* partitioner = find<PartitionerEntry>(run.partition.method);
  if (parts == 1 || method.place != nullptr || partitioner == nullptr) return;
  const bool cuts = partitioner->placeArcs != nullptr;
  if (cuts == method.placesArcs) return;
  if (cuts)
    std::fprintf(
        stderr,
        "partition.method = %s places arcs, and %s is trained on vertices: each belongs to the part of its "
        "root, which is drawn among its clones\n",
        run.partition.method.c_str(), run.method.c_str());
  else
    std::fprintf(
        stderr,
        "partition.method = %s places vertices, and %s is trained on arcs: roots stand where it says, and "
        "arcs are placed from there as vertex-cut does\n",
        run.partition.method.c_str(), run.method.c_str());
}

Whole prepareWhole(const RunSettings& run, int parts, const Progress& progress) {
  Whole global;
  global.dataset = loadDataset(run.dataset, progress);
  const DatasetShape shape{
      global.dataset.features.cols(), global.dataset.classes, [&] { return global.dataset.split; },
      global.dataset.multiLabel(),    global.dataset.source,  {}};
  // looked at before, but files may have changed since
  requireFitting(run, shape);
  requireTraining(run, shape, global.dataset.split);
  const LayerEntry* layer = find<LayerEntry>(run.model.kind);
  HALO_CHECK(layer != nullptr);
  if (progress) progress("propagation matrix", 0);
  global.propagation = propagationMatrix(global.dataset.arcs, layer->propagation);
  const MethodEntry* method = find<MethodEntry>(run.method);
  HALO_CHECK(method != nullptr);
  if (run.model.order == "update-first" && cachesLayer0(*method, run.parameters))
    std::fprintf(stderr, "model.order = update-first: not layer 0, whose aggregate %s keeps\n",
                 run.method.c_str());
  Prepared& prepared = global.prepared;
  prepared.widths = layerWidths(run.model, global.dataset.features.cols(), global.dataset.classes);
  tellOfPartitioner(*method, run, parts);
  Placement placement = place(*method, run, global.dataset, parts, progress, prepared.partitionSeconds,
                              prepared.partitionFigures);
  prepared.owners = std::move(placement.owners);
  global.order = std::move(placement.order);
  if (method->placesArcs) {
    if (progress) progress("placing arcs", 0);
    global.arcs = arcsPlaced(global.propagation, prepared.owners, run.partition.method,
                             {parts, run.partition.imbalance, run.training.seed, run.partition.parameters});
  }
  if (progress && method->countRows != nullptr) progress("counting rows to send", 0);
  prepared.sentRows = rowsSent(*method, {global.propagation, prepared.owners, parts, run, prepared.widths,
                                         global.placedArcs(), global.order});
  if (!run.training.initialWeights.empty())
    prepared.initialWeights = readInitialWeights(run.training.initialWeights);
  prepared.marks = global.dataset.marks;
  prepared.remarks = global.dataset.remarks;
  prepared.dataset = global.dataset.name;
  prepared.dataDigest = global.dataset.fingerprint;
  return global;
}

void copyRows(const Matrix& from, const std::vector<Vertex>& rows, Matrix& to) {
  to.resize(static_cast<Index>(rows.size()), from.cols());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(from.row(rows[i]), to.row(static_cast<Index>(i)).begin());
}

/// All of a share but its rows of features.
Share cutAllButFeatures(const Dataset& dataset, const Csr& propagation, const Owners& owners, int rank,
                        int parts, const ArcPlacement* arcs) {
  Share share;
  if (arcs != nullptr) share.arcs = localArcs(propagation, *arcs, rank);
  share.graph = localGraph(propagation, owners, rank, parts);
  share.classes = dataset.classes;
  share.multiLabel = dataset.multiLabel();
  share.trainVertices = dataset.count(Split::train);
  const std::vector<Vertex>& owned = share.graph.owned;
  share.features.resize(0, dataset.mapped ? dataset.mapped->cols : dataset.features.cols());
  if (share.multiLabel) copyRows(dataset.multiLabels, owned, share.multiLabels);
  const auto mark = [&](Split part) {
    std::vector<std::uint8_t> chosen(owned.size());
    for (std::size_t i = 0; i < owned.size(); ++i) chosen[i] = dataset.split[at(owned[i])] == part ? 1 : 0;
    return chosen;
  };
  share.train = mark(Split::train);
  share.valid = mark(Split::valid);
  share.test = mark(Split::test);
  if (!share.multiLabel)
    for (const Vertex v : owned) share.labels.push_back(dataset.labels[at(v)]);
  return share;
}

Share shareOf(const Whole& global, int rank, int parts) {
  Share share = cutAllButFeatures(global.dataset, global.propagation, global.prepared.owners, rank, parts,
                                  global.placedArcs());
  share.order = global.order;
  return share;
}

// Features are most of a share. They travel in pieces, so that nobody has a message of all beside the rows.

enum Told : std::int64_t { kFailed, kRowsFollow, kRowsAreMapped };

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// use(first, count) of so many rows at a time as make a piece.
template <class Use>
void inPieces(Index rows, Index cols, const Use& use) {
  const std::size_t bytes = std::max<std::size_t>(1, at(cols) * sizeof(Scalar));
  const auto most = static_cast<Index>(std::max<std::size_t>(1, kPieceBytes / bytes));
  for (Index first = 0; first < rows; first += most) use(first, std::min(most, rows - first));
}

void sendRows(Communicator& comm, int rank, const Matrix& all, const std::vector<Vertex>& owned) {
  const std::size_t bytes = at(all.cols()) * sizeof(Scalar);
  std::string piece;
  inPieces(std::ssize(owned), all.cols(), [&](Index first, Index count) {
    piece.resize(at(count) * bytes);
    for (Index i = 0; i < count; ++i)
      std::memcpy(piece.data() + at(i) * bytes, all.row(owned[at(first + i)]).data(), bytes);
    comm.sendBytes(rank, piece);
  });
}

void receiveRows(Communicator& comm, Index rows, Matrix& features) {
  const Index cols = features.cols();
  features.resize(rows, cols);
  inPieces(rows, cols, [&](Index first, Index count) {
    const std::string piece = comm.receiveBytes(0);
    HALO_CHECK(piece.size() == at(count * cols) * sizeof(Scalar));
    std::memcpy(features.row(first).data(), piece.data(), piece.size());
  });
}

/// Whole pages of what nobody reads again until it is written; failure only costs memory.
void releasePages(std::span<Scalar> values) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(values.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(values.data() + values.size()) / page * page;
  if (end > begin) (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

/// Only these rows, ascending, of all; what they leave goes back to the machine before they are copied out.
Matrix keepRows(Matrix all, const std::vector<Vertex>& owned) {
  const Index rows = std::ssize(owned);
  if (rows == all.rows()) return all;
  for (Index i = 0; i < rows; ++i)
    if (owned[at(i)] != i) std::ranges::copy(all.row(owned[at(i)]), all.row(i).begin());
  releasePages(all.values().subspan(at(rows * all.cols())));
  Matrix own(rows, all.cols());
  std::ranges::copy(all.values().first(own.values().size()), own.values().begin());
  return own;
}

}  // namespace

Share cutShare(const Dataset& dataset, const Csr& propagation, const Owners& owners, int rank, int parts,
               const ArcPlacement* arcs) {
  Share share = cutAllButFeatures(dataset, propagation, owners, rank, parts, arcs);
  if (!dataset.mapped) copyRows(dataset.features, share.graph.owned, share.features);
  return share;
}

std::string encodeShare(const Share& share) {
  ByteWriter out;
  const LocalGraph& graph = share.graph;
  out.value(graph.rank);
  out.value(graph.parts);
  out.value(graph.globalVertices);
  out.array(graph.owned);
  out.array(graph.haloIds);
  out.csr(graph.own);
  out.csr(graph.halo);
  out.value(static_cast<std::int64_t>(graph.peers.size()));
  for (const HaloPeer& peer : graph.peers) {
    out.value(peer.rank);
    out.array(peer.sendRows);
    out.value(peer.receiveBegin);
    out.value(peer.receiveCount);
  }
  out.array(share.arcs.leaves);
  out.csr(share.arcs.arcs);
  out.matrix(share.features);
  out.array(share.labels);
  out.matrix(share.multiLabels);
  for (const auto* chosen : {&share.train, &share.valid, &share.test}) out.array(*chosen);
  out.value(share.trainVertices);
  out.value(share.classes);
  out.value(share.multiLabel);
  out.array(share.order);
  return out.take();
}

Share decodeShare(std::string_view bytes) {
  ByteReader in(bytes);
  Share share;
  LocalGraph& graph = share.graph;
  graph.rank = in.value<int>();
  graph.parts = in.value<int>();
  graph.globalVertices = in.value<Index>();
  in.array(graph.owned);
  in.array(graph.haloIds);
  in.csr(graph.own);
  in.csr(graph.halo);
  graph.peers.resize(at(in.value<std::int64_t>()));
  for (HaloPeer& peer : graph.peers) {
    peer.rank = in.value<int>();
    in.array(peer.sendRows);
    peer.receiveBegin = in.value<Index>();
    peer.receiveCount = in.value<Index>();
  }
  in.array(share.arcs.leaves);
  in.csr(share.arcs.arcs);
  in.matrix(share.features);
  in.array(share.labels);
  in.matrix(share.multiLabels);
  for (auto* chosen : {&share.train, &share.valid, &share.test}) in.array(*chosen);
  share.trainVertices = in.value<std::int64_t>();
  share.classes = in.value<std::int32_t>();
  share.multiLabel = in.value<bool>();
  in.array(share.order);
  return share;
}

Prepared prepare(Communicator& comm, const RunSettings& run, const Progress& progress) {
  if (comm.rank() != 0) {
    const std::int64_t told = comm.broadcast(std::int64_t{kFailed});
    if (told == kFailed) throw PreparationFailed();
    Prepared prepared;
    Share& share = prepared.share = decodeShare(comm.receiveBytes(0));
    if (told == kRowsFollow) receiveRows(comm, std::ssize(share.graph.owned), share.features);
    const std::string widths = comm.broadcast(std::string());
    ByteReader(widths).array(prepared.widths);
    prepared.initialWeights = comm.broadcast(std::string());
    prepared.share.mapped = mapFeatures(comm, {});
    return prepared;
  }
  Whole global;
  try {
    global = prepareWhole(run, comm.size(), progress);
  } catch (...) {
    comm.broadcast(std::int64_t{kFailed});
    throw;
  }
  Dataset& dataset = global.dataset;
  comm.broadcast(std::int64_t{dataset.mapped ? kRowsAreMapped : kRowsFollow});
  Prepared& prepared = global.prepared;
  for (int rank = 1; rank < comm.size(); ++rank) {
    if (progress) progress("sending shares", static_cast<double>(rank) / comm.size());
    const Share share = shareOf(global, rank, comm.size());
    comm.sendBytes(rank, encodeShare(share));
    if (!dataset.mapped) sendRows(comm, rank, dataset.features, share.graph.owned);
  }
  prepared.share = shareOf(global, 0, comm.size());
  if (!dataset.mapped)
    prepared.share.features = keepRows(std::move(dataset.features), prepared.share.graph.owned);
  ByteWriter widths;
  widths.array(prepared.widths);
  comm.broadcast(widths.take());
  comm.broadcast(prepared.initialWeights);
  prepared.share.mapped = mapFeatures(comm, dataset.mapped);
  return std::move(prepared);
}

}  // namespace halo
