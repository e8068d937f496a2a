#pragma once

#include <string_view>

#include "engine/base/declaration.h"

namespace halo {

// Keys of the node that both training and simulations have, each declared once.

/// `fallback`: where the experiment names no platform.
constexpr Parameter platformParameter(std::string_view fallback) {
  return {"platform", "processors and cards (`haloscope methods`), or a platform file", Text{fallback}};
}
inline constexpr Parameter kHostTrafficFactorParameter = {
    "host_traffic_factor",
    "of features in host memory: 1 read; 2 and written gathered; 3 and read by the cards' transfers",
    Integer{1, 1, 3}};
inline constexpr Parameter kSendsTopologyParameter = {
    "sends_topology", "8 bytes a sampled edge go to the cards too", Flag{false}};

}  // namespace halo
