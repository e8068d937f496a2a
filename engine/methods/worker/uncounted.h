#pragma once

#include "engine/methods/worker/worker_parts.h"

namespace halo {

/// A stretch that is no training, set-up, a probe or an evaluation: neither timed nor counted.
class Uncounted {
 public:
  explicit Uncounted(WorkerParts& parts) : parts_(parts), wasEnabled_(parts.tracer.enabled()) {
    parts_.tracer.setEnabled(false);
    parts_.comm.setCounting(false);
  }
  ~Uncounted() {
    parts_.comm.setCounting(true);
    parts_.tracer.setEnabled(wasEnabled_);
  }
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;

 private:
  WorkerParts& parts_;
  bool wasEnabled_;
};

}  // namespace halo
