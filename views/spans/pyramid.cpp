#include "views/spans/pyramid.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {
namespace {

constexpr double kLeastPerBucket = 6;
constexpr int kSmallestShift = 3;  // nothing is measured to less than 8 ns

std::uint16_t share(std::int64_t ns, int shift) {
  const auto scaled =
      ((static_cast<unsigned __int128>(ns) * 65535) + (std::uint64_t{1} << (shift - 1))) >> shift;
  return static_cast<std::uint16_t>(std::min<unsigned __int128>(scaled, 65535));
}

/// Rounds up, so that what shows below shows above; at most half a 65535th too much a level.
Shares parent(const Shares& left, const Shares& right) {
  Shares shares;
  for (std::size_t k = 0; k < shares.size(); ++k)
    shares[k] = static_cast<std::uint16_t>((std::uint32_t{left[k]} + right[k] + 1) / 2);
  return shares;
}

Shares alone(std::size_t kind) {
  Shares shares{};
  shares[kind] = 65535;
  return shares;
}

}  // namespace

int finestShift(std::int64_t lengthNs, std::size_t count) {
  const double bucketNs =
      static_cast<double>(lengthNs) / static_cast<double>(std::max<std::size_t>(1, count)) * kLeastPerBucket;
  return std::clamp(static_cast<int>(std::ceil(std::log2(std::max(1.0, bucketNs)))), kSmallestShift, 60);
}

const Pyramid::Level& Pyramid::level(int shift) const {
  HALO_CHECK(!levels_.empty() && shift >= finest());
  return levels_[std::min<std::size_t>(at(shift - finest()), levels_.size() - 1)];
}

std::size_t Pyramid::bytes() const {
  std::size_t bytes = levels_.capacity() * sizeof(Level);
  for (const Level& level : levels_) bytes += level.buckets.capacity() * sizeof(Shares);
  return bytes;
}

void Pyramid::releaseSpare() {
  for (Level& level : levels_) level.buckets.shrink_to_fit();
}

std::int64_t Pyramid::append(const SpanRow& row, std::size_t from) {
  if (from == row.size()) return INT64_MAX;
  const int suited = finestShift(row.endNs() - row.beginNs(), row.size());
  // too coarse or too fine by more than one step, or twice as many spans as when the width was chosen: choose
  // again
  const bool grown = row.size() >= 2 * builtOf_ && suited != finest();
  if (levels_.empty() || grown || suited > finest() + 1) {
    rebuild(row);
    return INT64_MIN;
  }
  const std::int64_t firstChanged = std::min(openBucket_ << finest(), row.beginNs(from));
  add(row, from, row.size());
  refresh(firstChanged >> finest());
  return firstChanged;
}

void Pyramid::rebuild(const SpanRow& row) {
  levels_.clear();
  builtOf_ = row.size();
  Level finest;
  finest.shift = finestShift(row.endNs() - row.beginNs(), row.size());
  finest.first = row.beginNs() >> finest.shift;
  finest.buckets.reserve(at((row.endNs() >> finest.shift) - finest.first + 1));
  openBucket_ = finest.first;
  open_ = {};
  instants_ = 0;
  levels_.push_back(std::move(finest));
  add(row, 0, row.size());
  refresh(levels_.front().first);
}

void Pyramid::flush() {
  Level& level = levels_.front();
  const auto place = at(openBucket_ - level.first);
  if (place >= level.buckets.size()) level.buckets.resize(place + 1);
  Shares& shares = level.buckets[place];
  for (std::size_t k = 0; k < shares.size(); ++k) {
    shares[k] = share(open_[k], level.shift);
    if (shares[k] == 0 && (open_[k] > 0 || (instants_ >> k & 1) != 0)) shares[k] = 1;
  }
}

void Pyramid::add(const SpanRow& row, std::size_t from, std::size_t to) {
  Level& level = levels_.front();
  const int shift = level.shift;
  const auto moveTo = [&](std::int64_t bucket) {
    if (bucket == openBucket_) return;
    flush();
    openBucket_ = bucket;
    open_ = {};
    instants_ = 0;
  };
  for (std::size_t i = from; i < to; ++i) {
    const std::int64_t begin = row.beginNs(i);
    const std::int64_t end = row.endNs(i);
    const auto kind = at(row.kind(i));
    const std::int64_t firstBucket = begin >> shift;
    const std::int64_t lastBucket = std::max(begin, end - 1) >> shift;
    moveTo(firstBucket);
    if (firstBucket == lastBucket) {
      open_[kind] += end - begin;
      if (begin == end) instants_ |= 1U << kind;
      continue;
    }
    open_[kind] += ((firstBucket + 1) << shift) - begin;
    flush();
    level.buckets.resize(at(firstBucket + 1 - level.first));
    level.buckets.resize(at(lastBucket - level.first), alone(kind));
    openBucket_ = lastBucket;
    open_ = {};
    instants_ = 0;
    open_[kind] = end - (lastBucket << shift);
  }
  flush();
}

/// Recomputes what stands above the finest buckets from number `from` on, and adds levels while the topmost
/// is long.
void Pyramid::refresh(std::int64_t from) {
  for (std::size_t l = 0; levels_[l].buckets.size() > 2; ++l) {
    if (l + 1 == levels_.size()) {
      levels_.push_back({levels_[l].shift + 1, levels_[l].first >> 1, {}});
      from = levels_[l].first;
    }
    const Level& below = levels_[l];
    Level& above = levels_[l + 1];
    from >>= 1;
    const auto size = at(((below.end() - 1) >> 1) - above.first + 1);
    if (above.buckets.empty()) above.buckets.reserve(size);
    above.buckets.resize(size);
    const auto bucket = [&](std::int64_t number) {
      return number < below.first || number >= below.end() ? Shares{}
                                                           : below.buckets[at(number - below.first)];
    };
    for (std::int64_t number = std::max(from, above.first); number < above.end(); ++number)
      above.buckets[at(number - above.first)] = parent(bucket(2 * number), bucket(2 * number + 1));
  }
}

}  // namespace halo
