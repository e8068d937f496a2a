#include "engine/run/worker/distribute.h"

#include <algorithm>
#include <cstdio>
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

Share shareOf(const Whole& global, int rank, int parts) {
  Share share =
      cutShare(global.dataset, global.propagation, global.prepared.owners, rank, parts, global.placedArcs());
  share.order = global.order;
  return share;
}

}  // namespace

Share cutShare(const Dataset& dataset, const Csr& propagation, const Owners& owners, int rank, int parts,
               const ArcPlacement* arcs) {
  Share share;
  if (arcs != nullptr) share.arcs = localArcs(propagation, *arcs, rank);
  share.graph = localGraph(propagation, owners, rank, parts);
  share.classes = dataset.classes;
  share.multiLabel = dataset.multiLabel();
  share.trainVertices = dataset.count(Split::train);
  const std::vector<Vertex>& owned = share.graph.owned;
  const auto copyRows = [&](const Matrix& from, Matrix& to) {
    to.resize(static_cast<Index>(owned.size()), from.cols());
    for (std::size_t i = 0; i < owned.size(); ++i)
      std::ranges::copy(from.row(owned[i]), to.row(static_cast<Index>(i)).begin());
  };
  if (dataset.mapped)
    share.features.resize(0, dataset.mapped->cols);
  else
    copyRows(dataset.features, share.features);
  if (share.multiLabel) copyRows(dataset.multiLabels, share.multiLabels);
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
    if (comm.broadcast(std::int64_t{0}) == 0) throw PreparationFailed();
    Prepared prepared;
    const std::string bytes = comm.receiveBytes(0);
    prepared.share = decodeShare(bytes);
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
    comm.broadcast(std::int64_t{0});
    throw;
  }
  comm.broadcast(std::int64_t{1});
  Prepared& prepared = global.prepared;
  for (int rank = 1; rank < comm.size(); ++rank) {
    if (progress) progress("sending shares", static_cast<double>(rank) / comm.size());
    comm.sendBytes(rank, encodeShare(shareOf(global, rank, comm.size())));
  }
  prepared.share = shareOf(global, 0, comm.size());
  ByteWriter widths;
  widths.array(prepared.widths);
  comm.broadcast(widths.take());
  comm.broadcast(prepared.initialWeights);
  prepared.share.mapped = mapFeatures(comm, global.dataset.mapped);
  return std::move(prepared);
}

}  // namespace halo
