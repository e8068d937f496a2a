#pragma once

#include <stdexcept>

namespace halo {

/// What every rank meets at the same point of the training: it ends like any other, without MPI_Abort, which
/// would take rank 0 away before its frames are out.
class EndsTogether : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace halo
