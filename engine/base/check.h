#pragma once

#include <cstdio>
#include <cstdlib>

/// Our own promise: holds in every build type, or the program stops with file and line.
#define HALO_CHECK(condition)                                                              \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      std::fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                        \
    }                                                                                      \
  } while (false)
