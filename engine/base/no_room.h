#pragma once

#include <string>

namespace halo {

/// Whether the system's `error` (errno) says that a file finds no room: on the disk, in the user's share of
/// it, or by the limit on the size of a file.
bool isNoRoom(int error);

/// What makes room where it does; another place helps against all but the limit.
std::string roomRemedy(int error);

}  // namespace halo
