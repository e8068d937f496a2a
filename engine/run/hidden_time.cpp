#include "engine/run/hidden_time.h"

#include <algorithm>

namespace halo {

void HiddenTime::add(std::span<const Span> spans, std::int64_t beginNs, std::int64_t endNs) {
  for (const Span& span : spans)
    if (span.kind == Kind::communication && span.lane != Lane::phase)
      spans_.push_back({span.beginNs, span.endNs(), span.lane == Lane::link});
  epochs_.push_back({beginNs, endNs});
  while (epochs_.size() > depth_) judgeFirst();
}

std::int64_t HiddenTime::totalNs() {
  while (!epochs_.empty()) judgeFirst();
  return totalNs_;
}

void HiddenTime::judgeFirst() {
  const Window epoch = epochs_.front();
  epochs_.pop_front();
  edges_.clear();
  for (const Noted& noted : spans_) {
    const std::int64_t begin = std::max(noted.beginNs, epoch.beginNs),
                       end = std::min(noted.endNs, epoch.endNs);
    if (begin >= end) continue;
    edges_.push_back({begin, 1, noted.transfer});
    edges_.push_back({end, -1, noted.transfer});
  }
  std::ranges::sort(edges_, {}, &Edge::atNs);
  std::int64_t at = epoch.beginNs, transfers = 0, waits = 0;
  for (const Edge& edge : edges_) {
    if (transfers > 0 && waits == 0) totalNs_ += edge.atNs - at;
    at = edge.atNs;
    (edge.transfer ? transfers : waits) += edge.step;
  }
  std::erase_if(spans_, [&](const Noted& noted) { return noted.endNs <= epoch.endNs; });
}

}  // namespace halo
