#include "engine/run/protocol/orders.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>

#include "engine/base/index.h"

namespace halo {

std::string Orders::awaitJob() {
  while (jobs_.empty())
    if (!receive()) throw std::runtime_error("no job on standard input; haloscope run starts the workers");
  return jobs_.front();
}

bool Orders::stopAsked() {
  pollfd in{in_, POLLIN, 0};
  while (!stop_ && ::poll(&in, 1, 0) > 0) stop_ = !receive() || stop_;
  return stop_;
}

bool Orders::receive() {
  std::array<char, 4096> bytes;
  const ssize_t length = ::read(in_, bytes.data(), bytes.size());
  if (length < 0 && errno == EINTR) return true;
  if (length <= 0) return false;
  for (Frame& frame : reader_.feed({bytes.data(), at(length)})) {
    if (frame.type == FrameType::goOn) goOn_ = std::move(frame.payload);
    if (frame.type == FrameType::job) jobs_.push_back(std::move(frame.payload));
    stop_ = stop_ || frame.type == FrameType::stop;
  }
  return true;
}

}  // namespace halo
