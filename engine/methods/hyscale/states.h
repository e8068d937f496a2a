#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/index.h"

namespace halo::hyscale {

/// Who acts. Of links there is one a card; of trainers one a card and one for the processors.
enum class Role : std::uint8_t { runtime, sampler, loader, link, trainer, synchroniser };

/// One actor: what it is, and of trainers and links which. Trainer 0 is the processors', trainer 1 + c that
/// of card c; links count like the trainers they feed.
struct Actor {
  Role role = Role::runtime;
  int trainer = 0;
  bool operator==(const Actor&) const = default;
};
/// "sampler", "link card 2", "trainer processors".
std::string nameOf(const Actor& actor);

/// Where a trainer's part of a batch is.
enum class State : std::uint8_t {
  absent,  // not opened yet, or all over
  idle,
  sampled,
  loaded,
  transferred,
  propagating,
  done,
  reduced,
  acknowledged,
};
std::string_view nameOf(State state);

enum class MessageKind : std::uint8_t { open, sampled, loaded, transferred, start, done, reduced, ack };
std::string_view nameOf(MessageKind kind);

/// What trainers a row of the table is for: cards' parts cross a link, those of processors do not.
enum class Trainers : std::uint8_t { all, cards, processors };

/// A message takes a part from one state to the next.
struct Transition {
  State from;
  MessageKind message;
  Role sender, receiver;
  State to;
  Trainers trainers = Trainers::all;
};

/// The state machine, all of it. What waits for what besides: machine.h.
inline constexpr std::array<Transition, 10> kTransitions = {{
    {State::absent, MessageKind::open, Role::runtime, Role::sampler, State::idle},
    {State::idle, MessageKind::sampled, Role::sampler, Role::loader, State::sampled},
    {State::sampled, MessageKind::loaded, Role::loader, Role::link, State::loaded, Trainers::cards},
    {State::sampled, MessageKind::loaded, Role::loader, Role::trainer, State::loaded, Trainers::processors},
    {State::loaded, MessageKind::transferred, Role::link, Role::trainer, State::transferred, Trainers::cards},
    {State::transferred, MessageKind::start, Role::runtime, Role::trainer, State::propagating,
     Trainers::cards},
    {State::loaded, MessageKind::start, Role::runtime, Role::trainer, State::propagating,
     Trainers::processors},
    {State::propagating, MessageKind::done, Role::trainer, Role::synchroniser, State::done},
    {State::done, MessageKind::reduced, Role::synchroniser, Role::trainer, State::reduced},
    {State::reduced, MessageKind::ack, Role::trainer, Role::runtime, State::acknowledged},
}};

/// The row of a message to a part in this state from an actor of this role, or nullptr.
const Transition* transitionOf(State from, MessageKind message, Role sender, int trainer);

}  // namespace halo::hyscale
