#pragma once

#include "datasets/graph/dataset.h"

namespace halo {

/// Zachary's karate club: 34 members, 78 friendships, the faction each joined when the club split. Features
/// are the identity (a member is known by its number only), the split is a fixed 60/20/20. Source: Zachary
/// 1977, "An Information Flow Model for Conflict and Fission in Small Groups".
Dataset karateClub();

}  // namespace halo
