#pragma once

#include <string>

#include "engine/base/declaration.h"

namespace halo {

/// What parts hold equally much of by the partitioner's parameters, or always: "vertices", "nonzeros",
/// "nonzeros-self" or "arcs". It is "" of a partition that is given, or of an unknown method.
std::string balanceOf(const std::string& method, const Values& parameters);

}  // namespace halo
