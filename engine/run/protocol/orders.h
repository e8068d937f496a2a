#pragma once

#include <string>
#include <utility>
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
  /// What came before the job to go on from (GoOn); empty: the run begins.
  std::string takeGoOn() { return std::exchange(goOn_, {}); }
  /// Whether the supervisor asked to stop, or is gone. Does not wait.
  bool stopAsked();

 private:
  bool receive();

  int in_;
  bool stop_ = false;
  std::vector<std::string> jobs_;
  std::string goOn_;
  FrameReader reader_;
};

}  // namespace halo
