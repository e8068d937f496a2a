#pragma once

#include <string>
#include <vector>

#include "engine/run/protocol/frame.h"

namespace halo {

/// What the supervisor asks of the worker, read from a descriptor: the job, later perhaps to stop. Both may
/// arrive together; nothing that was read is forgotten.
class Orders {
 public:
  explicit Orders(int descriptor) : in_(descriptor) {}

  /// Waits for the job. Throws if the stream ends first.
  std::string awaitJob();
  /// Whether the supervisor asked to stop, or is gone. Does not wait.
  bool stopAsked();

 private:
  bool receive();

  int in_;
  bool stop_ = false;
  std::vector<std::string> jobs_;
  FrameReader reader_;
};

}  // namespace halo
