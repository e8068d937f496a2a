#pragma once

#include <cstdint>
#include <functional>

namespace halo {

/// Throws where somebody wants to stop; may be empty.
using AskStop = std::function<void()>;

/// Asks after so many steps of a loop: few enough that a person does not wait, many enough to cost nothing.
class StopAsks {
 public:
  StopAsks(const AskStop& ask, std::int64_t interval) : ask_(ask), every_(interval) {}
  void step(std::int64_t steps = 1) {
    done_ += steps;
    if (done_ < every_ || !ask_) return;
    done_ = 0;
    ask_();
  }

 private:
  const AskStop& ask_;
  std::int64_t every_, done_ = 0;
};

}  // namespace halo
