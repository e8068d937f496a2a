#pragma once

#include <stdexcept>

namespace halo {

/// What every rank meets at the same point of the training. The ranks then end as after any run. MPI_Abort
/// would take rank 0 away before its frames are out.
class EndsTogether : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace halo
