#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace halo::sim {

/// What travels: to which output, and what it is there.
struct Packet {
  std::int64_t output = 0, tag = 0;
};

/// Takes a packet at its output in this cycle, or not (false): then it waits and what is behind it does too.
using TakePacket = std::function<bool(const Packet& packet, std::int64_t cycle)>;

/// Cycles in which an Omega network hands out all packets, counted one by one. It has log2(lines) stages of
/// 2 × 2 switches behind perfect shuffles. A queue of `depth` stands at each input of a switch and at each
/// output. A wire carries one packet a cycle, and the two inputs of a switch are preferred in turn. Packet i
/// enters at line i mod `inputs`, one a cycle and line, in order. lines: a power of two, inputs ≤ lines,
/// outputs < lines.
/// Cost: O(cycles · lines · log lines).   Source: Lawrie, IEEE ToC 1975
std::int64_t omegaCycles(std::span<const Packet> packets, std::int64_t lines, std::int64_t inputs,
                         std::int64_t depth, const TakePacket& take);

/// The same without a network: what stands first at a line goes straight to its output, the outputs taking
/// any number of packets a cycle.
std::int64_t directCycles(std::span<const Packet> packets, std::int64_t inputs, const TakePacket& take);

}  // namespace halo::sim
