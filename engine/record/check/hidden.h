#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "engine/record/analysis/hidden_time.h"
#include "engine/record/check/checks.h"
#include "engine/record/check/figures.h"
#include "engine/record/rows/rows.h"
#include "engine/record/trace/span.h"

namespace halo {

/// `hidden_share` and `hidden_transfer_share` of `latest` once more, from the spans of all epochs. Spans come
/// as they were recorded, a worker's some epochs at a time. Of each worker, lane phase comes after what it
/// encloses.
class HiddenShare {
 public:
  /// late: epochs that messages may be on their way. `epochs`: the run's.
  HiddenShare(const CheckedRun& run, std::int64_t late, std::span<const EpochRow> epochs);

  void add(std::int64_t rank, std::span<const Span> spans);
  /// None where not all epochs of the run have spans.
  Figures figures();

 private:
  struct Rank {
    explicit Rank(int depth) : hidden(depth) {}
    std::map<std::int64_t, std::vector<Span>> noted;  // by epoch, of those that have not come yet
    HiddenTime hidden;
    std::int64_t epochs = 0;
    bool complete = true;  // no epoch was left out
  };
  const CheckedRun& run_;
  std::int64_t late_, epochs_, timedNs_ = 0;
  std::set<std::int64_t> filling_;
  std::map<std::int64_t, Rank> ranks_;
};

}  // namespace halo
