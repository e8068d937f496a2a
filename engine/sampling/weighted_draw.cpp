#include "engine/sampling/weighted_draw.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {
namespace {

constexpr std::uint64_t kAll = std::uint64_t{1} << 63;
constexpr std::int64_t kNumbersOfPiece = 8;

}  // namespace

void WeightedDraw::assign(std::span<const double> weights) {
  HALO_CHECK(weights.size() < std::size_t{1} << 32);
  long double total = 0;
  for (const double weight : weights) {
    HALO_CHECK(weight >= 0 && std::isfinite(weight));
    total += weight;
  }
  resizeUndefined(begin_, weights.size() + 1);
  begin_[0] = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const long double share = total > 0 ? weights[i] / total : 0;
    begin_[i + 1] = begin_[i] + static_cast<std::uint64_t>(std::llroundl(share * kAll));
  }
  if (!possible()) return;
  // what rounding left over or took too much, a few in 2^63 a number, belongs to the most likely one
  const auto largest = at(std::ranges::max_element(weights) - weights.begin());
  const std::uint64_t rest = kAll - begin_.back();
  for (std::size_t i = largest + 1; i < begin_.size(); ++i) begin_[i] += rest;
  findFirst();
}

void WeightedDraw::findFirst() {
  const auto leastPieces = std::max<std::int64_t>(1, size() / kNumbersOfPiece);
  const std::uint64_t pieces = std::bit_ceil(static_cast<std::uint64_t>(leastPieces));
  shift_ = 63 - std::countr_zero(pieces);
  first_.clear();
  first_.reserve(pieces + 1);
  std::uint32_t number = 0;
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    while (begin_[number + 1] <= piece << shift_) ++number;
    first_.push_back(number);
  }
  first_.push_back(static_cast<std::uint32_t>(size() - 1));
}

std::int64_t WeightedDraw::draw(std::uint64_t word) const {
  const std::uint64_t integer = word >> 1;
  const std::size_t piece = integer >> shift_;
  const auto from = begin_.begin() + first_[piece] + 1, to = begin_.begin() + first_[piece + 1] + 1;
  return std::upper_bound(from, to, integer) - begin_.begin() - 1;
}

}  // namespace halo
