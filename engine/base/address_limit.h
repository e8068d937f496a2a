#pragma once

#include <string>

namespace halo {

/// How much memory `ulimit -v` lets this program have, and what raises it, for messages; "": it sets none.
std::string addressLimitText();

/// The same behind "; ", to end the message of a failed allocation; "" where no limit is set.
std::string addressLimitRemark();

}  // namespace halo
