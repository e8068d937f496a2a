#include "tests/support/places.h"

// The only file that is compiled with these paths, so that a compiler's cache serves every checkout.
namespace halo {

const char* const kSourceDir = HALO_SOURCE_DIR;
const char* const kBinDir = HALO_BIN_DIR;

}  // namespace halo
