#pragma once

#include "engine/record/trace/span.h"

namespace halo {

/// Whether all ranks meet in it, a barrier or a sum: no message of one rank is waited for.
inline bool isMeeting(const Span& span) {
  return span.kind == Kind::synchronise || span.name == Name::collective;
}

}  // namespace halo
