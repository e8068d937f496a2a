#include "simulator/cluster/plans/stand_ins.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"

namespace halo::cluster {
namespace {

/// Training vertices by owner, each in an order by chance.
std::vector<std::vector<Vertex>> trainedBy(std::span<const Split> split, const Owners& owners, int parts,
                                           std::uint64_t seed) {
  std::vector<std::vector<Vertex>> own(at(parts));
  for (std::size_t v = 0; v < split.size(); ++v)
    if (split[v] == Split::train) own[at(owners[v])].push_back(static_cast<Vertex>(v));
  PhiloxStream random(seed, Purpose::partition, 2);
  for (std::vector<Vertex>& vertices : own)
    for (std::size_t left = vertices.size(); left > 1; --left)
      std::swap(vertices[left - 1], vertices[random.below(left)]);
  return own;
}

}  // namespace

StandIns StandIns::forKinds(int drawn, int ranks, std::span<const int> ends) {
  HALO_CHECK(drawn >= 1 && drawn <= ranks);
  std::vector<int> kinds{0};
  for (const int end : ends)
    if (end > kinds.back() && end < ranks) kinds.push_back(end);
  kinds.push_back(ranks);
  const int count = static_cast<int>(kinds.size()) - 1;
  HALO_CHECK(count <= drawn);
  StandIns standIns;
  for (int k = 0, from = 0; k < count; ++k) {
    const int begin = kinds[at(k)], end = kinds[at(k + 1)];
    const auto share = static_cast<int>(std::llround(static_cast<double>(end) * drawn / ranks));
    const int to = std::clamp(share, from + 1, drawn - (count - 1 - k));
    for (int i = from; i < to; ++i) standIns.rankOf.push_back(begin + (i - from));
    for (int rank = begin; rank < end; ++rank) standIns.ofRank.push_back(from + (rank - begin) % (to - from));
    from = to;
  }
  return standIns;
}

std::int64_t dealt(std::int64_t all, int ranks, int rank) { return all / ranks + (rank < all % ranks); }

std::vector<Split> dealtSplit(std::span<const Split> split, const StandIns& standIns, std::uint64_t seed,
                              Owners& owners) {
  const int drawn = static_cast<int>(standIns.rankOf.size()),
            ranks = static_cast<int>(standIns.ofRank.size());
  const std::int64_t all = std::ranges::count(split, Split::train);
  std::vector<std::vector<Vertex>> own = trainedBy(split, owners, drawn, seed);
  std::vector<Split> dealtTo(split.begin(), split.end());
  std::ranges::replace(dealtTo, Split::train, Split::none);
  std::vector<Vertex> left;
  const auto keep = [&](std::vector<Vertex>& from, std::int64_t count, int part) {
    for (; count > 0 && !from.empty(); --count, from.pop_back()) {
      dealtTo[at(from.back())] = Split::train;
      owners[at(from.back())] = part;
    }
    return count;
  };
  std::vector<std::int64_t> lacking;
  for (int part = 0; part < drawn; ++part) {
    std::vector<Vertex>& vertices = own[at(part)];
    lacking.push_back(keep(vertices, dealt(all, ranks, standIns.rankOf[at(part)]), part));
    left.insert(left.end(), vertices.begin(), vertices.end());
  }
  for (int part = 0; part < drawn; ++part) {
    const std::int64_t count = keep(left, lacking[at(part)], part);
    HALO_CHECK(count == 0);
  }
  return dealtTo;
}

}  // namespace halo::cluster
