#pragma once

#include <optional>

#include "engine/hybrid/mapping.h"

namespace halo {

/// The least number of cards with which loading is the longest stage by the performance model, sampling left
/// out. Each card has as many seeds, and the model maps them. None: not with up to `most` cards. HyScale
/// VI-D: host memory saturates.
std::optional<int> saturatingCards(const MappingRequest& request, std::int64_t seedsEach, int most);

/// Seeds a second on the request's cards over those on one card, by the same model; sampling left out.
double scalingOverOneCard(const MappingRequest& request, std::int64_t seedsEach);

}  // namespace halo
