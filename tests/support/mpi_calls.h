// What a rank asks of MPI, for tests of what comes before what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/record/trace/tracer.h"

namespace halo::test {

struct MpiCall {
  enum class What : std::uint8_t {
    receive,
    send,
    wait,
    waitAny
  };  // posted, posted; for all, for one of some
  What what = What::wait;
  int peer = -1, tag = -1;  // of what is posted
  std::int16_t layer = -1;
  Pass pass = Pass::none;
  const std::byte* rows = nullptr;  // of what is posted: where they stand, and how many bytes they are
  std::int64_t bytes = 0;
  std::int64_t sparseFlop = 0;  // by this process when it was called
};

/// While it lives, notes the calls of this process that post rows or wait for them, in their order. They are
/// noted under the layer and pass of `tracer`. Only one object lives at a time.
class MpiCalls {
 public:
  explicit MpiCalls(const Tracer& tracer);
  ~MpiCalls();
  MpiCalls(const MpiCalls&) = delete;
  MpiCalls& operator=(const MpiCalls&) = delete;

  const std::vector<MpiCall>& all() const { return all_; }
  /// Those of one layer and pass.
  std::vector<MpiCall> of(int layer, Pass pass) const;
  void clear() { all_.clear(); }

  std::function<void(const MpiCall&)> before, after;  // each call, or nothing

  /// Notes the call around which it lives.
  class Noted;

 private:
  const Tracer& tracer_;
  std::vector<MpiCall> all_;
};

}  // namespace halo::test
