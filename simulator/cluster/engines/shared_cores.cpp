#include "simulator/cluster/engines/shared_cores.h"

#include <algorithm>

namespace halo::cluster {
namespace {

constexpr double kDoneNs = 1e-3;  // what rounding may leave of work

}  // namespace

double SharedCores::rate() const {
  return std::min(
      1.0, static_cast<double>(cores_) / static_cast<double>(std::max<std::size_t>(working_.size(), 1)));
}

void SharedCores::advance(double nowNs) {
  if (nowNs <= sinceNs_) return;
  const double progressNs = (nowNs - sinceNs_) * rate();
  for (Work& work : working_) work.leftNs -= progressNs;
  sinceNs_ = nowNs;
}

void SharedCores::begin(int rank, double nowNs, double ns) {
  advance(nowNs);
  working_.push_back({rank, ns});
}

double SharedCores::nextEndNs() const {
  if (working_.empty()) return std::numeric_limits<double>::infinity();
  const double left = std::ranges::min_element(working_, {}, &Work::leftNs)->leftNs;
  return sinceNs_ + std::max(left, 0.0) / rate();
}

std::vector<int> SharedCores::takeFinished(double nowNs) {
  advance(nowNs);
  std::vector<int> finished;
  std::erase_if(working_, [&](const Work& work) {
    if (work.leftNs > kDoneNs) return false;
    finished.push_back(work.rank);
    return true;
  });
  std::ranges::sort(finished);
  return finished;
}

}  // namespace halo::cluster
