#include "engine/methods/hyscale/states.h"

#include <algorithm>

namespace halo::hyscale {

std::string nameOf(const Actor& actor) {
  constexpr std::array<std::string_view, 6> kRoles = {"runtime", "sampler", "loader",
                                                      "link",    "trainer", "synchroniser"};
  std::string name(kRoles[at(actor.role)]);
  if (actor.role != Role::link && actor.role != Role::trainer) return name;
  return name + (actor.trainer == 0 ? " processors" : " card " + std::to_string(actor.trainer - 1));
}

std::string_view nameOf(State state) {
  constexpr std::array<std::string_view, 9> kNames = {
      "absent", "idle", "sampled", "loaded", "transferred", "propagating", "done", "reduced", "acknowledged"};
  return kNames[at(state)];
}

std::string_view nameOf(MessageKind kind) {
  constexpr std::array<std::string_view, 8> kNames = {"OPEN",  "SAMPLED", "LOADED",  "TRANSFERRED",
                                                      "START", "DONE",    "REDUCED", "ACK"};
  return kNames[at(kind)];
}

const Transition* transitionOf(State from, MessageKind message, Role sender, int trainer) {
  const auto row = std::ranges::find_if(kTransitions, [&](const Transition& t) {
    return t.from == from && t.message == message && t.sender == sender &&
           (t.trainers == Trainers::all || (t.trainers == Trainers::processors) == (trainer == 0));
  });
  return row == kTransitions.end() ? nullptr : &*row;
}

}  // namespace halo::hyscale
