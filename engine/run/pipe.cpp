#include "engine/run/pipe.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace halo {
namespace {

constexpr std::size_t kQueued =
    4;  // frames that may wait before training does: a stop must not wait for a backlog

}  // namespace

Pipe::Pipe() : out_(::dup(STDOUT_FILENO)), writer_([this] { writeQueued(); }) {
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
    changed_.wait(lock, [this] { return queue_.size() < kQueued || !failure_.empty(); });
    if (!failure_.empty()) throw std::runtime_error("the supervisor no longer reads: " + failure_);
    queue_.push_back(encode(type, payload));
  }
  changed_.notify_all();
}

std::string Pipe::awaitJob() {
  for (;;) {
    for (const Frame& frame : frames_) {
      if (frame.type != FrameType::job) continue;
      std::string job = frame.payload;
      frames_.clear();
      return job;
    }
    if (!receive()) throw std::runtime_error("no job on standard input; haloscope run starts the workers");
  }
}

bool Pipe::stopAsked() {
  pollfd in{STDIN_FILENO, POLLIN, 0};
  while (!stop_ && ::poll(&in, 1, 0) > 0) {
    if (!receive()) stop_ = true;
    for (const Frame& frame : frames_) stop_ = stop_ || frame.type == FrameType::stop;
    frames_.clear();
  }
  return stop_;
}

bool Pipe::receive() {
  std::array<char, 4096> bytes;
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  for (Frame& frame : reader_.feed({bytes.data(), static_cast<std::size_t>(got)}))
    frames_.push_back(std::move(frame));
  return true;
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
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return "";
}

}  // namespace halo
