#include "engine/run/worker/layer_sums.h"

#include "engine/record/analysis/layer_times.h"

namespace halo {

void LayerSums::add(std::span<const Span> spans) {
  for (const Span& span : spans) addTime(rows_[{span.layer, span.pass}], span);
}

std::vector<LayerRow> LayerSums::take(std::int64_t epoch, std::int64_t rank, const std::vector<Flow>& flows,
                                      const std::vector<WorkRow>& work) {
  for (const Flow& flow : flows) {
    LayerRow& r = rows_[{flow.layer, flow.pass}];
    r.bytesSent += flow.bytes;
    r.quantiseBytes += flow.quantiseBytes;
    r.messages += flow.messages;
    r.communicationNs += flow.transferNs;
  }
  for (const WorkRow& w : work) {
    LayerRow& r = rows_[{w.layer, w.pass}];
    r.flop += w.flop;
    r.cpuNs += w.cpuNs;
  }
  std::vector<LayerRow> all;
  for (auto& [place, row] : rows_) {
    row.epoch = epoch;
    row.rank = rank;
    row.layer = place.first;
    row.pass = place.second;
    all.push_back(row);
  }
  rows_.clear();
  return all;
}

void LayerSums::keep(ByteWriter& out) const {
  out.value(std::ssize(rows_));
  for (const auto& [place, row] : rows_) {
    out.value(place.first);
    out.value(place.second);
    out.value(row);
  }
}

void LayerSums::resume(ByteReader& in) {
  for (auto rows = in.value<std::ptrdiff_t>(); rows > 0; --rows) {
    const auto layer = in.value<std::int64_t>();
    const Pass pass = in.value<Pass>();
    rows_[{layer, pass}] = in.value<LayerRow>();
  }
}

}  // namespace halo
