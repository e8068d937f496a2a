#pragma once

#include <cstdint>

#include "engine/comm/communicator/bytes.h"

namespace halo {

/// A method that can go on with an interrupted run: between two epochs its state is the weights of the model,
/// the optimizer's, and what it says here. All else is made anew, or drawn by keys.
class Resumable {
 public:
  virtual ~Resumable() = default;
  /// Whether it can as it was set up; the same on every rank.
  virtual bool resumes() const { return true; }
  /// What this rank summed up over epochs. Between two of them.
  virtual void keep(ByteWriter& out) const = 0;
  /// Goes on from there with `epoch`, in place of the first.
  virtual void resume(ByteReader& in, std::int32_t epoch) = 0;
  /// Decisions that were recorded and will not be told again.
  virtual std::int64_t toldDecisions() const { return 0; }
};

}  // namespace halo
