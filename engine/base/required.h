#pragma once

#include <cstddef>

#include "engine/base/check.h"

namespace halo {

/// A function that an entry of a registry must have: an entry without it does not compile.
template <class Function>
class Required {
 public:
  Required() = delete;
  Required(std::nullptr_t) = delete;
  Required(Function* function) : given_(function) {
    HALO_CHECK(function != nullptr && "an entry lacks a function");
  }
  operator Function*() const { return given_; }

 private:
  Function* given_;
};

}  // namespace halo
