#pragma once

#include <string>

namespace halo {

/// Whether the system's `error` (errno) says that a file finds no room. The disk may be full, or the user's
/// share of it, or the file at its limit of size.
bool isNoRoom(int error);

/// What makes room where it does; another place helps against all but the limit.
std::string roomRemedy(int error);

}  // namespace halo
