#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "engine/base/index.h"
#include "engine/record/trace/span.h"

namespace halo {

/// Of one rank, over a run's epochs: the time in which a transfer was under way while the rank computed
/// (hidden communication). It is never more than the rank computed. A transfer is noted when it is waited
/// for, `depth` epochs after it was posted at most. So an epoch is judged once as many came after it. Inline:
/// ranks, which do not link the recording, sum up with it, and what they say is checked with it.
class HiddenTime {
 public:
  explicit HiddenTime(int depth) : depth_(at(depth)) {}

  /// One epoch, and the spans noted since the epoch before ended. An epoch that is not timed adds nothing.
  void add(std::span<const Span> spans, std::int64_t beginNs, std::int64_t endNs, bool timed) {
    for (const Span& span : spans)
      if (timed && span.kind == Kind::other && span.lane == Lane::main)
        otherNs_ +=
            std::max<std::int64_t>(0, std::min(span.endNs(), endNs) - std::max(span.beginNs, beginNs));
    for (const Span& span : spans)
      if (isTransfer(span) || isComputing(span))
        spans_.push_back({span.beginNs, span.endNs(), isTransfer(span)});
    epochs_.push_back({beginNs, endNs, timed});
    while (epochs_.size() > depth_) judgeFirst();
  }
  /// Transfers that came once the last epoch had ended, and left before.
  void addLate(std::span<const Span> spans) {
    for (const Span& span : spans)
      if (isTransfer(span)) spans_.push_back({span.beginNs, span.endNs(), true});
  }
  /// Of all epochs; those that were not judged yet by what is known of them.
  std::int64_t totalNs() {
    while (!epochs_.empty()) judgeFirst();
    return totalNs_;
  }
  /// What the rank did besides computing, waiting and quantising, as recording between iterations; of the
  /// same epochs.
  std::int64_t otherNs() const { return otherNs_; }
  /// In which a transfer was under way, whatever the rank did; of the same epochs.
  std::int64_t transferNs() {
    while (!epochs_.empty()) judgeFirst();
    return transferNs_;
  }

  /// Of all epochs: total, transfers, other. What was not judged yet is, by what is known of it.
  std::array<std::int64_t, 3> totals() { return {totalNs(), transferNs(), otherNs()}; }
  /// Goes on from those of a run that goes on.
  void goOnFrom(const std::array<std::int64_t, 3>& totals) {
    totalNs_ = totals[0];
    transferNs_ = totals[1];
    otherNs_ = totals[2];
  }

 private:
  struct Window {
    std::int64_t beginNs = 0, endNs = 0;
    bool timed = true;
  };
  struct Noted {
    std::int64_t beginNs = 0, endNs = 0;
    bool transfer = false;  // else the rank computes
  };
  struct Edge {
    std::int64_t atNs = 0, step = 0;
    bool transfer = false;
  };
  static bool isTransfer(const Span& span) {
    return span.kind == Kind::communication && span.lane == Lane::link;
  }
  static bool isComputing(const Span& span) { return span.kind == Kind::compute && span.lane == Lane::main; }

  void judgeFirst() {
    const Window epoch = epochs_.front();
    epochs_.pop_front();
    if (epoch.timed) judge(epoch);
    std::erase_if(spans_, [&](const Noted& noted) { return noted.endNs <= epoch.endNs; });
  }
  void judge(const Window& epoch) {
    edges_.clear();
    for (const Noted& noted : spans_) {
      const std::int64_t begin = std::max(noted.beginNs, epoch.beginNs),
                         end = std::min(noted.endNs, epoch.endNs);
      if (begin >= end) continue;
      edges_.push_back({begin, 1, noted.transfer});
      edges_.push_back({end, -1, noted.transfer});
    }
    std::ranges::sort(edges_, {}, &Edge::atNs);
    std::int64_t at = epoch.beginNs, transfers = 0, computing = 0;
    for (const Edge& edge : edges_) {
      if (transfers > 0) transferNs_ += edge.atNs - at;
      if (transfers > 0 && computing > 0) totalNs_ += edge.atNs - at;
      at = edge.atNs;
      (edge.transfer ? transfers : computing) += edge.step;
    }
  }

  std::size_t depth_;
  std::vector<Noted> spans_;  // those that epochs not judged yet may contain
  std::vector<Edge> edges_;
  std::deque<Window> epochs_;
  std::int64_t totalNs_ = 0, transferNs_ = 0, otherNs_ = 0;
};

}  // namespace halo
