#pragma once

namespace halo {

/// Where the sources lie, and the programs that were built beside the tests; absolute.
extern const char* const kSourceDir;
extern const char* const kBinDir;

}  // namespace halo
