#pragma once

namespace halo {

/// Names of a rank's communicators, as debuggers and what listens to MPI's calls see them. Messages of the
/// second carry no rows.
inline constexpr const char* kMessages = "haloscope: messages";
inline constexpr const char* kAcknowledgements = "haloscope: acknowledgements";

}  // namespace halo
