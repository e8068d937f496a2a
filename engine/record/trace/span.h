#pragma once

#include <cstdint>
#include <string_view>

namespace halo {

/// The six kinds of time, the same in lanes, bars, ledger and report. Written to disk: append, never
/// renumber.
enum class Kind : std::uint8_t {
  compute = 0,
  communication = 1,
  quantise = 2,
  synchronise = 3,
  other = 4,
  idle = 5
};
constexpr int kKinds = 6;

/// What was done. Written to disk as its number: append, never renumber.
enum class Name : std::uint16_t {
  aggregate = 0,
  update,
  activation,
  loss,
  optimizer,
  sample,
  gather,  // compute
  send,
  receive,
  wait,
  collective,  // communication
  encode,
  decode,  // quantise
  allReduce,
  barrier,  // synchronise
  load,
  evaluate,
  probe,
  epoch,
  layer,
  record,  // other
  stream,
  decodeIndex,
  reduce,
  write,  // engines of a simulated device at work
  awaitIndex,
  awaitRows,
  awaitWrites,
  awaitDecoder,
  awaitBanks,
  awaitAdders,
  awaitFill,  // and what they wait for
  awaitDependency,
  awaitBuffer,
  awaitLink,  // what a unit of a simulated pipeline waits for
  queued,     // a message waits until the bytes before it have left or arrived
  copied,     // a message is copied out of or into a device
  waitsLateSender,
  waitsLateReceiver,
  waitsWire,
  waitsQueue,
  waitsPeerComputes,
  waitsBarrierOrSum,
  waitsQuantiser,
  waitsMemory,
  waitsUnknown,  // why a rank waits: lane wait
  count          // no name: how many there are
};
std::string_view text(Kind kind);
std::string_view text(Name name);
/// Of what is waited for, "rows" of "stall: rows" and "wire" of "wait: wire"; else the name itself.
std::string_view causeText(Name name);
/// Whether it says why a rank waits.
constexpr bool isReason(Name name) { return name >= Name::waitsLateSender && name <= Name::waitsUnknown; }
constexpr int kReasons = static_cast<int>(Name::waitsUnknown) - static_cast<int>(Name::waitsLateSender) + 1;

/// Which row of a rank's timeline. Written to disk: append, never renumber.
/// main     what the worker itself does, one thing at a time; a communication span there is waiting
/// link     transfers that arrived, which may overlap anything
/// phase    epochs
/// wait     why the worker waits: cuts the waiting of `main` into pieces, each with its reason
/// message  what is known of single messages besides: when they were sent, queued and copied
enum class Lane : std::uint8_t { main = 0, link = 1, phase = 2, wait = 3, message = 4 };
constexpr int kLanes = 5;

enum class Pass : std::uint8_t { none = 0, forward = 1, backward = 2 };

std::string_view text(Lane lane);
std::string_view text(Pass pass);
/// Back from text(); what the tables' CHECK constraints do not admit cannot come here.
Lane laneOf(std::string_view word);
Pass passOf(std::string_view word);

/// Of a span that belongs to no message; else see engine/record/trace/message_numbers.h.
constexpr std::int64_t kNoMessage = -1;

struct Span {
  std::int64_t beginNs = 0;  // on the run's clock
  std::int64_t durationNs = 0;
  std::int64_t bytes = 0;  // payload of a transfer, else 0
  std::int32_t epoch = -1;
  std::int32_t peer = -1;  // other rank, −1: none or all
  std::int16_t layer = -1;
  Name name = Name::aggregate;
  Kind kind = Kind::compute;
  Lane lane = Lane::main;
  Pass pass = Pass::none;
  std::int64_t message = kNoMessage;
  std::int64_t endNs() const { return beginNs + durationNs; }
  bool operator==(const Span&) const = default;
};

}  // namespace halo
