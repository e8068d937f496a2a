// What an accelerator leaves out is found when it is compiled, not when a simulation first needs it.
#include <catch2/catch.hpp>
#include <type_traits>

#include "simulator/device/component.h"

using halo::sim::AcceleratorEntry;

namespace {

template <class Member>
constexpr bool kMayBeLeftOut =
    std::is_default_constructible_v<Member> || std::is_constructible_v<Member, std::nullptr_t>;

}  // namespace

TEST_CASE("an accelerator that leaves a function out does not compile", "[simulator]") {
  CHECK_FALSE(kMayBeLeftOut<decltype(AcceleratorEntry::refuse)>);
  CHECK_FALSE(kMayBeLeftOut<decltype(AcceleratorEntry::refuseTask)>);
  CHECK_FALSE(kMayBeLeftOut<decltype(AcceleratorEntry::scaled)>);
  CHECK_FALSE(kMayBeLeftOut<decltype(AcceleratorEntry::execute)>);
  CHECK_FALSE(kMayBeLeftOut<decltype(AcceleratorEntry::simulate)>);
  CHECK_FALSE(kMayBeLeftOut<decltype(AcceleratorEntry::roof)>);
  CHECK(kMayBeLeftOut<decltype(AcceleratorEntry::updatePs)>);  // of a device that only aggregates
}
