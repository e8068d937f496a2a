#include "simulator/accelerators/awb_gcn/awb_cycles.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "simulator/device/balls_in_bins.h"

namespace halo::sim::awb {
namespace {

constexpr std::int64_t kSampledPerPe = 256, kMostSampled = 524'288, kLeastSampled = 32'768;
constexpr std::int64_t kStretchCycles = 16, kFewestStretches = 16;  // of a sample
constexpr std::uint64_t kSeed = 1;

/// Which PE has which share of a row of a strip.
class Owners {
 public:
  Owners(const Strip& strip, const Assignment& assignment) : begin_(at(strip.rows) + 1, 0) {
    for (const auto& pieces : assignment.ofPe)
      for (const Piece& piece : pieces) begin_[at(piece.row) + 1] = piece.parts;
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    pe_.resize(at(begin_.back()), -1);
    for (std::size_t pe = 0; pe < assignment.ofPe.size(); ++pe)
      for (const Piece& piece : assignment.ofPe[pe])
        pe_[at(begin_[at(piece.row)] + piece.part)] = static_cast<std::int64_t>(pe);
  }
  /// Of the row's nonzero number i.
  std::int64_t ownerOf(std::int64_t row, std::int64_t i) const {
    const std::int64_t begin = begin_[at(row)], parts = begin_[at(row) + 1] - begin;
    return pe_[at(begin + i % parts)];
  }

 private:
  std::vector<std::int64_t> begin_, pe_;
};

/// When each PE will be through with what it has.
class Elements {
 public:
  Elements(const Awb& awb, std::int64_t columns)
      : hops_(awb.balance.hops),
        columns_(columns),
        room_(awb.queueDepth * columns),
        through_(at(awb.balance.pes), 0) {}

  bool take(std::int64_t owner, std::int64_t cycle) {
    std::int64_t chosen = owner;
    const auto waiting = [&](std::int64_t pe) { return std::max(cycle, through_[at(pe)]); };
    for (std::int64_t hop = 1; hop <= hops_; ++hop)
      for (const std::int64_t pe : {owner - hop, owner + hop})
        if (pe >= 0 && pe < std::ssize(through_) && waiting(pe) < waiting(chosen)) chosen = pe;
    if (waiting(chosen) - cycle >= room_) return false;
    through_[at(chosen)] = waiting(chosen) + columns_;
    return true;
  }
  std::int64_t last() const { return std::ranges::max(through_); }

 private:
  std::int64_t hops_, columns_, room_;
  std::vector<std::int64_t> through_;
};

/// While packets are under way one is offered every few cycles, each of which looks at every line.
std::int64_t distribute(const Awb& awb, std::span<const Packet> packets, const AskStop& askStop,
                        const TakePacket& take) {
  constexpr std::int64_t kLinesAsked = 1 << 20;
  StopAsks asks(askStop, kLinesAsked);
  const TakePacket takeOrStop = [&](const Packet& packet, std::int64_t cycle) {
    asks.step(awb.lines);
    return take(packet, cycle);
  };
  return awb.omega ? omegaCycles(packets, awb.lines, awb.inputs, awb.routerDepth, takeOrStop)
                   : directCycles(packets, awb.inputs, takeOrStop);
}

/// Random nonzeros that fall on PEs as their loads say.
std::vector<Packet> randomPackets(const Awb& awb, const Assignment& assignment, std::int64_t count) {
  std::vector<std::int64_t> ends = assignment.loads();
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  PhiloxStream random(kSeed, Purpose::generate, 32);
  std::vector<Packet> packets;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto nonzero = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(ends.back())));
    const std::int64_t pe = std::ranges::upper_bound(ends, nonzero) - ends.begin();
    packets.push_back({awb.outputOf(pe), pe});
  }
  return packets;
}

/// Sums over samples of what network and PEs take, apart and together.
struct Sums {
  double network = 0, networkTakes = 0, slower = 0, together = 0;

  void add(const Awb& awb, std::span<const Packet> packets, std::int64_t columns, const AskStop& askStop) {
    std::vector<std::int64_t> loads(at(awb.balance.pes), 0), outputs(at(awb.inputs), 0);
    for (const Packet& packet : packets) {
      ++loads[at(packet.tag)];
      ++outputs[at(packet.output)];
    }
    const auto count = std::ssize(packets);
    const std::int64_t ideal = std::max((count + awb.inputs - 1) / awb.inputs, std::ranges::max(outputs));
    const std::int64_t takes =
        distribute(awb, packets, askStop, [](const Packet&, std::int64_t) { return true; });
    const std::int64_t net = std::max(ideal, takes - awb.fill);
    network += static_cast<double>(ideal);
    networkTakes += static_cast<double>(net);
    slower += static_cast<double>(std::max(net, smoothedMost(loads, awb.balance.hops) * columns));
    together += static_cast<double>(computeCycles(awb, packets, columns, askStop) - awb.fill);
  }
  Shares shares() const {
    return {networkTakes > 0 ? network / networkTakes : 1, together > slower ? slower / together : 1};
  }
};

}  // namespace

std::vector<Packet> packetsOf(const Awb& awb, const Strip& strip, const Assignment& assignment,
                              std::span<const Nonzero> nonzeros) {
  const Owners owners(strip, assignment);
  std::vector<Packet> packets;
  packets.reserve(nonzeros.size());
  for (const Nonzero& nonzero : nonzeros) {
    const std::int64_t pe = owners.ownerOf(nonzero.row, nonzero.index);
    packets.push_back({awb.outputOf(pe), pe});
  }
  return packets;
}

std::int64_t computeCycles(const Awb& awb, std::span<const Packet> packets, std::int64_t columns,
                           const AskStop& askStop) {
  Elements elements(awb, columns);
  const std::int64_t networkCycles =
      distribute(awb, packets, askStop,
                 [&](const Packet& packet, std::int64_t cycle) { return elements.take(packet.tag, cycle); });
  return std::max(networkCycles, elements.last());
}

SampledShares sampleShares(const Awb& awb, const Graph& graph, const Balance& balance, std::int64_t columns) {
  SampledShares sampled;
  std::int64_t available = 0;
  for (const Strip& strip : balance.strips)
    if (!strip.assignments.empty() && strip.nonzeros > 0) ++available;
  if (available == 0) return sampled;
  const std::int64_t each =
      std::max(kLeastSampled, std::min(kSampledPerPe * awb.balance.pes, kMostSampled) / available);
  Sums first, kept;
  for (const Strip& strip : balance.strips) {
    if (strip.assignments.empty() || strip.nonzeros == 0) continue;
    std::vector<Nonzero> nonzeros;
    if (graph.matrix != nullptr)
      nonzeros =
          stretchesByColumn(*graph.matrix, strip.first, strip.first + strip.rows, each,
                            std::min(kStretchCycles * awb.inputs, each / kFewestStretches), graph.askStop);
    const auto packets = [&](const Assignment& assignment) {
      if (graph.matrix == nullptr) return randomPackets(awb, assignment, std::min(each, strip.nonzeros));
      return packetsOf(awb, strip, assignment, nonzeros);
    };
    const std::vector<Packet> last = packets(strip.assignments.back());
    if (last.empty()) continue;
    kept.add(awb, last, columns, graph.askStop);
    if (!awb.converged) first.add(awb, packets(strip.assignments.front()), columns, graph.askStop);
    sampled.nonzeros += std::ssize(last);
    ++sampled.strips;
  }
  sampled.kept = kept.shares();
  sampled.first = awb.converged ? sampled.kept : first.shares();
  return sampled;
}

SampledShares closedShares(const Awb& awb) {
  const Shares shares{awb.omega ? randomBankShare(awb.inputs, awb.inputs, awb.routerDepth) : 1, 1};
  return {shares, shares, 0, 0};
}

}  // namespace halo::sim::awb
