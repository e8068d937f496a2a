#include "engine/base/no_room.h"

#include <cerrno>

namespace halo {

bool isNoRoom(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

std::string roomRemedy(int error) { return error == EFBIG ? "raise the limit with: ulimit -f" : "make room"; }

}  // namespace halo
