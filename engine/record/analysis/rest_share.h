#pragma once

#include <map>
#include <string>

namespace halo {

/// Time that is none of computing, waiting and quantising. Some of it is spent on something else, as on
/// recording between iterations, and the rest is idle.
inline constexpr const char *kRestShare = "rest_share", *kOtherShare = "other_share",
                            *kIdleShare = "idle_share";
/// Adds idle_share where both others are known.
void addIdle(std::map<std::string, double>& metrics);
/// Of metrics as they were recorded: older versions called the rest idle.
void nameRest(std::map<std::string, double>& metrics);

}  // namespace halo
