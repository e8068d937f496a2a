#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/record/trace/span.h"

namespace halo {

class SpanBlock;

/// Puts all spans of a block behind `spans`.
void appendSpans(const SpanBlock& block, std::vector<Span>& spans);

/// The spans of one rank by lane.
using SpanLanes = std::array<std::vector<Span>, kLanes>;

/// Unpacks a block whose row claims so many spans and puts these behind those of their lane. Throws
/// RecordDamaged saying what is wrong with the block; `lanes` are then as before.
void appendSpans(std::string_view block, std::int64_t claimed, SpanLanes& lanes);

}  // namespace halo
