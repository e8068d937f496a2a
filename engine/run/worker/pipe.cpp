#include "engine/run/worker/pipe.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "engine/base/index.h"

namespace halo {
namespace {

// What may wait before training does. A stop must not wait for a long backlog, and not much may be lost with
// this process. But a supervisor that is busy for a moment must not be felt.
constexpr std::size_t kQueuedBytes = std::size_t{1} << 20;

}  // namespace

Pipe::Pipe() : out_(::dup(STDOUT_FILENO)), orders_(STDIN_FILENO), writer_([this] { writeQueued(); }) {
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

Pipe::~Pipe() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  writer_.join();
  ::close(out_);
}

void Pipe::send(FrameType type, std::string_view payload) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return queuedBytes_ < kQueuedBytes || !failure_.empty(); });
    if (!failure_.empty()) throw std::runtime_error("the supervisor no longer reads: " + failure_);
    queue_.push_back(encode(type, payload));
    queuedBytes_ += queue_.back().size();
  }
  changed_.notify_all();
}

void Pipe::writeQueued() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (queue_.empty()) return;
    const std::string frame = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    const std::string failure = write(frame);
    lock.lock();
    queuedBytes_ -= frame.size();
    failure_ = failure;
    changed_.notify_all();
    if (!failure.empty()) return;
  }
}

// What went wrong, or "".
std::string Pipe::write(std::string_view rest) const {
  while (!rest.empty()) {
    const ssize_t written = ::write(out_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return std::strerror(errno);
    rest.remove_prefix(at(written));
  }
  return "";
}

}  // namespace halo
