#include "engine/methods/minibatch/training_parts.h"

#include <algorithm>
#include <string>

#include "engine/base/index.h"
#include "engine/base/philox.h"

namespace halo {
namespace {

constexpr std::int32_t kNobody = -1;
constexpr std::uint64_t kSeed = 1;  // of owners that only evaluations have: one for all runs

/// The in-neighbours of a vertex within some hops, each once, without itself.
class Surroundings {
 public:
  Surroundings(const Csr& arcs, int hops) : arcs_(arcs), hops_(hops), metBy_(at(arcs.rows()), -1) {}

  std::span<const Vertex> around(Vertex v) {
    met_.clear();
    metBy_[at(v)] = v;
    meetRow(v, v);
    std::size_t begin = 0;
    for (int hop = 1; hop < hops_; ++hop) {
      const std::size_t end = met_.size();
      for (; begin < end; ++begin) meetRow(met_[begin], v);
    }
    return met_;
  }

 private:
  void meetRow(Vertex row, Vertex v) {
    for (const Vertex u : arcs_.row(row)) {
      if (metBy_[at(u)] == v) continue;
      metBy_[at(u)] = v;
      met_.push_back(u);
    }
  }

  const Csr& arcs_;
  int hops_;
  std::vector<Vertex> metBy_;
  std::vector<Vertex> met_;
};

class Parts {
 public:
  explicit Parts(const PlacementRequest& request)
      : parts_(request.parts),
        owners_(at(request.arcs.rows()), kNobody),
        holds_(at(request.parts), std::vector<bool>(at(request.arcs.rows()))),
        trained_(at(request.parts), 0),
        held_(at(request.parts), 0),
        near_(at(request.parts), 0) {
    const double share = request.parameters.real("score_share");
    wanted_ = share > 0 ? share * static_cast<double>(request.arcs.rows())
                        : static_cast<double>(std::ranges::count(request.split, Split::train));
  }

  void add(Vertex v, std::span<const Vertex> around) {
    std::ranges::fill(near_, 0);
    for (const Vertex u : around)
      if (const std::int32_t owner = owners_[at(u)]; owner != kNobody) ++near_[at(owner)];
    const std::size_t part = best();
    owners_[at(v)] = static_cast<std::int32_t>(part);
    ++trained_[part];
    hold(part, v);
    for (const Vertex u : around) hold(part, u);
  }

  Owners withOthers() {
    for (std::size_t v = 0; v < owners_.size(); ++v) {
      if (owners_[v] != kNobody) continue;
      const auto first = std::ranges::find_if(holds_, [&](const std::vector<bool>& part) { return part[v]; });
      owners_[v] = static_cast<std::int32_t>(first != holds_.end()
                                                 ? at(first - holds_.begin())
                                                 : philox(kSeed, Purpose::partition, v)[0] % holds_.size());
    }
    return std::move(owners_);
  }

 private:
  std::size_t best() const {
    std::size_t most = 0;
    for (std::size_t part = 1; part < trained_.size(); ++part) {
      const double partScore = score(part), bestScore = score(most);
      if (partScore > bestScore || (partScore == bestScore && trained_[part] < trained_[most])) most = part;
    }
    return most;
  }
  /// Times the parts, so that what is equal compares equal: whole numbers unless score_share is given.
  double score(std::size_t part) const {
    const double missing = wanted_ - static_cast<double>(trained_[part]) * parts_;
    return static_cast<double>(1 + near_[part]) * missing / static_cast<double>(held_[part] + 1);
  }
  void hold(std::size_t part, Vertex v) {
    if (holds_[part][at(v)]) return;
    holds_[part][at(v)] = true;
    ++held_[part];
  }

  int parts_;
  Owners owners_;
  std::vector<std::vector<bool>> holds_;  // by part and vertex
  std::vector<Index> trained_, held_;
  std::vector<Index> near_;  // c_p of the vertex at hand
  double wanted_ = 0;        // t times the parts
};

}  // namespace

Owners placeByTraining(const PlacementRequest& request) {
  const std::string& fanouts = request.parameters.text("fanouts");
  Surroundings surroundings(request.arcs, static_cast<int>(std::ranges::count(fanouts, ',')) + 1);
  Parts parts(request);
  for (std::size_t v = 0; v < request.split.size(); ++v)
    if (request.split[v] == Split::train)
      parts.add(static_cast<Vertex>(v), surroundings.around(static_cast<Vertex>(v)));
  return parts.withOthers();
}

}  // namespace halo
