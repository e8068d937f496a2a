#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace halo {

/// Of rows, columns, elements: signed, so that differences are numbers too.
using Index = std::int64_t;

/// A position that is not negative, as standard containers count.
template <std::signed_integral Number>
constexpr std::size_t at(Number position) {
  return static_cast<std::size_t>(position);
}

/// The place of an enumerator in an array that has one for each.
template <class Enumeration>
requires std::is_enum_v<Enumeration>
constexpr std::size_t at(Enumeration enumerator) { return static_cast<std::size_t>(enumerator); }

}  // namespace halo
