#include "engine/sampling/seed_order.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"

namespace halo {
namespace {

constexpr Index kPiece = 4096;        // vertices of a piece, about
constexpr Index kAskEvery = 1 << 18;  // keys made or sorted; some 20 ms

/// How far the keys' leading bits are shifted to number the pieces.
int pieceShift(std::size_t vertices) {
  const int bits = std::max(1, static_cast<int>(std::bit_width(vertices / kPiece)));
  return 64 - bits;
}

}  // namespace

// Keys are uniform, so that their leading bits cut the vertices into pieces of nearly one size: counting
// passes first, then each piece is sorted.
void KeyedShuffle::operator()(std::uint64_t seed, std::uint32_t epoch, std::span<Vertex> vertices,
                              const AskStop& askStop) {
  const int shift = pieceShift(vertices.size());
  const auto keyOf = [&](Vertex v) {
    const auto words = philox(seed, Purpose::seedOrder, static_cast<std::uint64_t>(v), epoch);
    return std::uint64_t{words[0]} << 32 | words[1];
  };
  begin_.assign((std::size_t{1} << (64 - shift)) + 1, 0);
  resizeUndefined(keyed_, 2 * vertices.size());  // as given, then by pieces
  const std::span<Keyed> keyed(keyed_.data(), vertices.size());
  const std::span<Keyed> ordered(keyed_.data() + vertices.size(), vertices.size());
  StopAsks asks(askStop, kAskEvery);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    asks.step();
    keyed[i] = {keyOf(vertices[i]), vertices[i]};
    ++begin_[(keyed[i].key >> shift) + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  for (const Keyed& entry : keyed) ordered[at(begin_[entry.key >> shift]++)] = entry;
  Index from = 0;
  for (std::size_t piece = 0; piece + 1 < begin_.size(); ++piece) {
    const Index to = begin_[piece];  // moved to its end by the pass above
    asks.step(to - from);
    std::sort(ordered.begin() + from, ordered.begin() + to, [](const Keyed& a, const Keyed& b) {
      return a.key != b.key ? a.key < b.key : a.vertex < b.vertex;
    });
    from = to;
  }
  for (std::size_t i = 0; i < vertices.size(); ++i) vertices[i] = ordered[i].vertex;
}

std::size_t KeyedShuffle::heldBytes() const { return halo::heldBytes(keyed_) + halo::heldBytes(begin_); }

SeedOrder::SeedOrder(const SeedSettings& settings, int trainer, std::vector<std::int64_t> trained)
    : settings_(settings),
      trainer_(trainer),
      trained_(std::move(trained)),
      iterations_(iterationsOf(settings, trained_)) {
  HALO_CHECK(trainer >= 0 && at(trainer) < trained_.size());
}

SeedOrder SeedOrder::own(const SeedSettings& settings, int trainer, std::vector<Vertex> vertices,
                         std::vector<std::int64_t> trained) {
  HALO_CHECK(settings.seeds == SeedChoice::own);
  SeedOrder order(settings, trainer, std::move(trained));
  HALO_CHECK(std::ssize(vertices) == order.trained_[at(trainer)]);
  order.vertices_ = std::move(vertices);
  return order;
}

SeedOrder SeedOrder::global(const SeedSettings& settings, int trainer, int trainers,
                            std::vector<Vertex> vertices, std::span<const std::int32_t> owners) {
  HALO_CHECK(settings.seeds == SeedChoice::global && owners.size() == vertices.size());
  std::vector<std::int64_t> trained(at(trainers), 0);
  for (const std::int32_t owner : owners) ++trained[at(owner)];
  SeedOrder order(settings, trainer, std::move(trained));
  order.owners_.assign(owners.begin(), owners.end());
  order.vertices_ = std::move(vertices);
  return order;
}

void SeedOrder::begin(std::uint32_t epoch, const AskStop& askStop) {
  resizeUndefined(order_, vertices_.size());
  std::ranges::copy(vertices_, order_.begin());
  if (settings_.shuffle) shuffle_(settings_.seed, epoch, order_, askStop);
  if (settings_.seeds == SeedChoice::global) takeOwned();
}

void SeedOrder::takeOwned() {
  begin_.clear();
  withSeeds_.assign(at(iterations_), 0);
  lastBatch_.assign(trained_.size(), -1);
  owned_.clear();
  owned_.reserve(at(trained_[at(trainer_)]));
  for (Index t = 0, next = 0; t < iterations_; ++t) {
    begin_.push_back(std::ssize(owned_));
    for (const Index end = next + globalSeeds(t); next < end; ++next) {
      const Vertex v = order_[at(next)];
      const std::int32_t owner = owners_[at(std::ranges::lower_bound(vertices_, v) - vertices_.begin())];
      if (owner == trainer_) owned_.push_back(v);
      if (std::exchange(lastBatch_[at(owner)], t) != t) ++withSeeds_[at(t)];
    }
  }
  begin_.push_back(std::ssize(owned_));
}

std::span<const Vertex> SeedOrder::seeds(Index iteration) const {
  HALO_CHECK(iteration >= 0 && iteration < iterations_ && order_.size() == vertices_.size());
  if (settings_.seeds == SeedChoice::global)
    return std::span(owned_).subspan(at(begin_[at(iteration)]),
                                     at(begin_[at(iteration) + 1] - begin_[at(iteration)]));
  const auto trainers = static_cast<int>(trained_.size());
  const Index batch = ownBatch(settings_, trainers, trainer_), all = std::ssize(order_);
  const Index begin = std::min(iteration * batch, all), end = std::min(begin + batch, all);
  if (settings_.dropLast && end - begin < batch) return {};
  return std::span(order_).subspan(at(begin), at(end - begin));
}

Index SeedOrder::taken(Index all, Index batch, Index iteration) const {
  const Index left = std::clamp<Index>(all - iteration * batch, 0, batch);
  return settings_.dropLast && left < batch ? 0 : left;
}

Index SeedOrder::globalSeeds(Index iteration) const {
  const auto trainers = static_cast<int>(trained_.size());
  if (settings_.seeds == SeedChoice::global)
    return taken(std::ssize(vertices_), globalBatch(settings_, trainers), iteration);
  Index sum = 0;
  for (int i = 0; i < trainers; ++i)
    sum += taken(trained_[at(i)], ownBatch(settings_, trainers, i), iteration);
  return sum;
}

Index SeedOrder::trainersWithSeeds(Index iteration) const {
  if (settings_.seeds == SeedChoice::global) return withSeeds_[at(iteration)];
  const auto trainers = static_cast<int>(trained_.size());
  Index count = 0;
  for (int i = 0; i < trainers; ++i)
    count += taken(trained_[at(i)], ownBatch(settings_, trainers, i), iteration) > 0;
  return count;
}

std::size_t SeedOrder::heldBytes() const {
  return halo::heldBytes(vertices_) + halo::heldBytes(owners_) + halo::heldBytes(order_) +
         halo::heldBytes(owned_) + halo::heldBytes(begin_) + halo::heldBytes(withSeeds_) +
         halo::heldBytes(lastBatch_) + shuffle_.heldBytes();
}

}  // namespace halo
