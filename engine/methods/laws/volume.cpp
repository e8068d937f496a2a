#include "engine/methods/laws/volume.h"

#include "engine/base/index.h"

namespace halo {

RowTable haloRows(const Csr& propagation, const Owners& owners, int parts) {
  const auto size = at(parts);
  RowTable rows(size, std::vector<std::int64_t>(size, 0));
  const Csr consumers = transpose(propagation);  // row v: who aggregates v
  std::vector<Index> seenFor(size, -1);
  for (Index v = 0; v < consumers.rows(); ++v) {
    const auto home = at(owners[at(v)]);
    for (const Vertex u : consumers.row(v)) {
      const auto part = at(owners[at(u)]);
      if (part == home || seenFor[part] == v) continue;
      seenFor[part] = v;
      ++rows[home][part];
    }
  }
  return rows;
}

RowTable wholeBlockRows(const Owners& owners, int parts) {
  const auto size = at(parts);
  RowTable rows(size, std::vector<std::int64_t>(size, 0));
  for (const std::int32_t owner : owners)
    for (std::size_t to = 0; to < size; ++to)
      if (to != at(owner)) ++rows[at(owner)][to];
  return rows;
}

std::vector<RowTable> rowsSent(const MethodEntry& method, const CountRequest& request) {
  if (method.countRows != nullptr) return method.countRows(request);
  return {haloRows(request.propagation, request.owners, request.parts)};
}

std::vector<PredictedVolume> predictHaloExchange(const VolumeRequest& request) {
  return predictHaloRows(request, request.parameters.flag("layer0_cache"), request.rows);
}

std::vector<PredictedVolume> predictHaloRows(const VolumeRequest& request, bool layer0Cached,
                                             const RowTable& rows) {
  return predictMessages(request, layer0Cached, rows, [&](std::int64_t count, std::int64_t width) {
    return MessageCost{1, count * width * request.elementBytes};
  });
}

std::vector<PredictedVolume> predictMessages(
    const VolumeRequest& request, bool layer0Cached, const RowTable& rows,
    const std::function<MessageCost(std::int64_t rows, std::int64_t width)>& cost) {
  std::vector<PredictedVolume> flows;
  for (std::size_t l = 0; l < request.propagated.size(); ++l) {
    const bool once = l == 0 && layer0Cached;
    const auto& travelling = once ? request.rows : rows;
    const std::int64_t forward = request.propagated[l], backward = request.returned[l];
    for (int i = 0; i < request.parts; ++i) {
      for (int j = 0; j < request.parts; ++j) {
        const std::int64_t count = travelling[at(i)][at(j)];
        const auto add = [&](Pass pass, std::int64_t width, int source, int target) {
          if (count * width == 0) return;
          const MessageCost plain{1, count * width * request.elementBytes};
          const auto [messages, bytes] = once ? plain : cost(count, width);
          flows.push_back({static_cast<int>(l), pass, source, target, messages, bytes});
        };
        if (!once || request.firstEpoch) add(Pass::forward, forward, i, j);
        if (request.backward[l]) add(Pass::backward, backward, j, i);
      }
    }
  }
  return flows;
}

std::vector<PredictedVolume> predictVolume(const MethodEntry& method, const VolumeRequest& request) {
  std::vector<PredictedVolume> flows = method.predict(request);
  const std::int64_t parts = request.parts,
                     weights = request.weights - (method.slicesInput ? request.inputWeights : 0);
  if (parts < 2) return flows;
  const std::int64_t reductions = method.reductions == nullptr ? 1 : method.reductions(request);
  if (reductions == 0) return flows;
  const auto chunk = [&](std::int64_t i) { return weights * (i + 1) / parts - weights * i / parts; };
  for (int rank = 0; rank < request.parts; ++rank) {
    // a ring rank passes on every chunk but one in the reduce-scatter, and every chunk but one in the
    // all-gather
    const std::int64_t sent = 2 * weights - chunk((rank + 1) % parts) - chunk((rank + 2) % parts);
    flows.push_back(
        {-1, Pass::none, rank, -1, (parts - 1) * reductions, sent * request.elementBytes * reductions});
  }
  return flows;
}

}  // namespace halo
