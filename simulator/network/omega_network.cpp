#include "simulator/network/omega_network.h"

#include <bit>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::sim {
namespace {

/// Queues of a stage's lines, of equal depth.
class Queues {
 public:
  Queues(std::int64_t lines, std::int64_t depth)
      : depth_(depth), places_(at(lines * depth)), first_(at(lines), 0), count_(at(lines), 0) {}
  bool empty(std::int64_t line) const { return count_[at(line)] == 0; }
  bool full(std::int64_t line) const { return count_[at(line)] == depth_; }
  const Packet& front(std::int64_t line) const { return places_[at(line * depth_ + first_[at(line)])]; }
  void pop(std::int64_t line) {
    first_[at(line)] = (first_[at(line)] + 1) % depth_;
    --count_[at(line)];
  }
  void push(std::int64_t line, const Packet& packet) {
    places_[at(line * depth_ + (first_[at(line)] + count_[at(line)]++) % depth_)] = packet;
  }

 private:
  std::int64_t depth_;
  std::vector<Packet> places_;
  std::vector<std::int64_t> first_, count_;
};

/// Packets that have not entered yet: every `inputs`-th belongs to a line.
class Entrances {
 public:
  Entrances(std::span<const Packet> packets, std::int64_t inputs)
      : packets_(packets), inputs_(inputs), next_(at(inputs)) {
    for (std::int64_t line = 0; line < inputs; ++line) next_[at(line)] = line;
  }
  bool empty(std::int64_t line) const { return next_[at(line)] >= std::ssize(packets_); }
  const Packet& front(std::int64_t line) const { return packets_[at(next_[at(line)])]; }
  void pop(std::int64_t line) { next_[at(line)] += inputs_; }

 private:
  std::span<const Packet> packets_;
  std::int64_t inputs_;
  std::vector<std::int64_t> next_;
};

class Omega {
 public:
  Omega(std::int64_t lines, std::int64_t depth)
      : lines_(lines), stages_(std::countr_zero(static_cast<std::uint64_t>(lines))) {
    for (int stage = 0; stage <= stages_; ++stage) queues_.emplace_back(lines, depth);
  }

  /// Packets taken in this cycle. Later stages move first, so that a place that becomes free is used at once.
  std::int64_t step(Entrances& entrances, std::int64_t inputs, std::int64_t cycle, const TakePacket& take) {
    std::int64_t packetCount = 0;
    Queues& last = queues_.back();
    for (std::int64_t line = 0; line < lines_; ++line) {
      if (last.empty(line) || !take(last.front(line), cycle)) continue;
      last.pop(line);
      ++packetCount;
    }
    for (int stage = stages_ - 1; stage >= 0; --stage)
      for (std::int64_t box = 0; box < lines_ / 2; ++box) move(stage, box, cycle);
    for (std::int64_t line = 0; line < inputs; ++line) {
      if (entrances.empty(line) || queues_[0].full(line)) continue;
      queues_[0].push(line, entrances.front(line));
      entrances.pop(line);
    }
    return packetCount;
  }

 private:
  /// The line that the shuffle before a stage's switches brings to their input `wire`.
  std::int64_t before(std::int64_t wire) const {
    return stages_ == 0 ? wire : (wire >> 1) | ((wire & 1) << (stages_ - 1));
  }

  void move(int stage, std::int64_t box, std::int64_t cycle) {
    Queues& from = queues_[at(stage)];
    Queues& to = queues_[at(stage) + 1];
    bool used[2] = {false, false};
    for (std::int64_t turn = 0; turn < 2; ++turn) {
      const std::int64_t line = before(2 * box + ((cycle + turn) & 1));
      if (from.empty(line)) continue;
      const std::int64_t bit = (from.front(line).output >> (stages_ - 1 - stage)) & 1;
      const std::int64_t wire = 2 * box + bit;
      if (used[bit] || to.full(wire)) continue;
      used[bit] = true;
      to.push(wire, from.front(line));
      from.pop(line);
    }
  }

  std::int64_t lines_;
  int stages_;
  std::vector<Queues> queues_;  // before each stage, and at the outputs
};

}  // namespace

std::int64_t omegaCycles(std::span<const Packet> packets, std::int64_t lines, std::int64_t inputs,
                         std::int64_t depth, const TakePacket& take) {
  HALO_CHECK(lines >= 1 && std::has_single_bit(static_cast<std::uint64_t>(lines)));
  HALO_CHECK(inputs >= 1 && inputs <= lines && depth >= 1);
  Omega network(lines, depth);
  Entrances entrances(packets, inputs);
  std::int64_t left = std::ssize(packets), cycle = 0;
  for (; left > 0; ++cycle) left -= network.step(entrances, inputs, cycle, take);
  return cycle;
}

std::int64_t directCycles(std::span<const Packet> packets, std::int64_t inputs, const TakePacket& take) {
  HALO_CHECK(inputs >= 1);
  Entrances entrances(packets, inputs);
  std::int64_t left = std::ssize(packets), cycle = 0;
  for (; left > 0; ++cycle)
    for (std::int64_t line = 0; line < inputs; ++line) {
      if (entrances.empty(line) || !take(entrances.front(line), cycle)) continue;
      entrances.pop(line);
      --left;
    }
  return cycle;
}

}  // namespace halo::sim
