#pragma once

#include <mpi.h>

#include <cstdint>

namespace halo {

/// So many elements in the form that one MPI call takes, whose counts are int. They stay as they are where an
/// int can count them. Otherwise they become one element of a type made of them. MPI keeps the type alive for
/// transfers under way.
class CountedType {
 public:
  /// `most`: that may be counted one by one.
  CountedType(std::int64_t elements, MPI_Datatype element, std::int64_t most = kMost);
  ~CountedType();
  CountedType(const CountedType&) = delete;
  CountedType& operator=(const CountedType&) = delete;

  int count() const { return count_; }
  MPI_Datatype get() const { return type_; }

 private:
  static constexpr std::int64_t kMost = INT32_MAX;

  int count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool made_ = false;
};

}  // namespace halo
