#pragma once

#include <functional>
#include <vector>

#include "engine/methods/contract/method_entry.h"
#include "engine/partition/contract/partitioner.h"

namespace halo {

/// rows[i][j]: rows of part i that part j needs. They are counted from the owners alone and not from the halo
/// plan, so that the two can be held against each other.
RowTable haloRows(const Csr& propagation, const Owners& owners, int parts);

/// The same where every row of i goes to every j.
RowTable wholeBlockRows(const Owners& owners, int parts);

/// Rows of the messages that go forward with this method: halo rows, or what it counts itself.
std::vector<RowTable> rowsSent(const MethodEntry& method, const CountRequest& request);

/// The halo exchange of a row partition, every epoch in full: one message a peer, layer and direction.
/// Nothing goes backward where the layer does not propagate backward. With a cached layer 0 ("layer0_cache")
/// its forward exchange happens once, in the first epoch.
std::vector<PredictedVolume> predictHaloExchange(const VolumeRequest& request);
/// The same where what is not a cached layer 0 exchanges `rows` of the halo rows only.
std::vector<PredictedVolume> predictHaloRows(const VolumeRequest& request, bool layer0Cached,
                                             const RowTable& rows);

/// Messages and bytes of `rows` rows of `width` elements; none for no rows.
struct MessageCost {
  std::int64_t messages = 0, bytes = 0;
};
/// The same with messages that cost something else. A cached layer 0 is sent plainly.
std::vector<PredictedVolume> predictMessages(
    const VolumeRequest& request, bool layer0Cached, const RowTable& rows,
    const std::function<MessageCost(std::int64_t rows, std::int64_t width)>& cost);

/// Everything the method sends in one epoch: its own flows and the gradient all-reduce, as often as the
/// method reduces. The all-reduce is a ring (layer −1, target −1; 2(P−1) · weights elements in total).
std::vector<PredictedVolume> predictVolume(const MethodEntry& method, const VolumeRequest& request);

}  // namespace halo
