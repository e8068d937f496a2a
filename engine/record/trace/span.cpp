#include "engine/record/trace/span.h"

#include <array>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, kKinds> kKindTexts = {"compute",     "communication", "quantise",
                                                             "synchronise", "other",         "idle"};
constexpr std::array<std::string_view, at(Name::count)> kNameTexts = {"aggregate",
                                                                      "update",
                                                                      "activation",
                                                                      "loss",
                                                                      "optimizer",
                                                                      "sample",
                                                                      "gather",
                                                                      "send",
                                                                      "receive",
                                                                      "wait",
                                                                      "collective",
                                                                      "encode",
                                                                      "decode",
                                                                      "all-reduce",
                                                                      "barrier",
                                                                      "load",
                                                                      "evaluate",
                                                                      "probe",
                                                                      "epoch",
                                                                      "layer",
                                                                      "record",
                                                                      "stream",
                                                                      "decode index",
                                                                      "reduce",
                                                                      "write",
                                                                      "stall: index stream",
                                                                      "stall: rows",
                                                                      "stall: writes",
                                                                      "stall: decoder",
                                                                      "stall: banks",
                                                                      "stall: adders",
                                                                      "stall: filling",
                                                                      "stall: dependency",
                                                                      "stall: buffer",
                                                                      "stall: link",
                                                                      "queued",
                                                                      "copied",
                                                                      "wait: late sender",
                                                                      "wait: late receiver",
                                                                      "wait: wire",
                                                                      "wait: queue",
                                                                      "wait: peer computes",
                                                                      "wait: barrier or sum",
                                                                      "wait: quantiser",
                                                                      "wait: memory",
                                                                      "wait: unknown"};

}  // namespace

std::string_view text(Kind kind) {
  const auto index = at(kind);
  return index < kKindTexts.size() ? kKindTexts[index] : "unknown";
}

std::string_view text(Name name) {
  const auto index = at(name);
  return index < kNameTexts.size() ? kNameTexts[index] : "unknown";
}

std::string_view causeText(Name name) {
  if (name == Name::wait) return "another engine";  // a device's, which no name of its own is given
  const std::string_view word = text(name);
  for (const std::string_view before : {"stall: ", "wait: "})
    if (word.starts_with(before)) return word.substr(before.size());
  return word;
}

std::string_view text(Lane lane) {
  switch (lane) {
    case Lane::main:
      return "main";
    case Lane::link:
      return "link";
    case Lane::phase:
      return "phase";
    case Lane::wait:
      return "wait";
    case Lane::message:
      return "message";
  }
  return "unknown";
}

std::string_view text(Pass pass) {
  switch (pass) {
    case Pass::none:
      return "none";
    case Pass::forward:
      return "forward";
    case Pass::backward:
      return "backward";
  }
  return "unknown";
}

Lane laneOf(std::string_view word) {
  for (const Lane lane : {Lane::link, Lane::phase, Lane::wait, Lane::message})
    if (word == text(lane)) return lane;
  return Lane::main;
}

Pass passOf(std::string_view word) {
  return word == "forward" ? Pass::forward : word == "backward" ? Pass::backward : Pass::none;
}

}  // namespace halo
