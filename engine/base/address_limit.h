#pragma once

#include <string>

namespace halo {

/// How much memory `ulimit -v` lets this program have, and what raises it, for messages; "": it sets none.
std::string addressLimitText();

}  // namespace halo
