#pragma once

#include <QString>

#include "engine/record/trace/span.h"

namespace halo {

/// What stands on a span: its name, and its layer where it has one.
QString spanLabel(Name name, int layer);

}  // namespace halo
