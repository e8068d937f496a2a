#include "tests/support/process.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

#include "engine/base/clock.h"
#include "engine/base/index.h"

namespace halo::test {
namespace {

constexpr std::int64_t kPatienceNs = 240'000'000'000;

/// What the child does between fork and exec.
[[noreturn]] void become(std::vector<char*>& arguments, const std::map<std::string, std::string>& environment,
                         const std::string& folder, const int out[2], const int error[2]) {
  for (const auto& [name, value] : environment)
    value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
  if (!folder.empty() && ::chdir(folder.c_str()) != 0) ::_exit(126);
  ::dup2(out[1], STDOUT_FILENO);
  ::dup2(error[1], STDERR_FILENO);
  for (const int end : {out[0], out[1], error[0], error[1]}) ::close(end);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments,
                 const std::map<std::string, std::string>& environment, const std::filesystem::path& folder) {
  int out[2], error[2];
  if (::pipe(out) != 0 || ::pipe(error) != 0) throw std::runtime_error("no pipe");
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers;
  for (std::string& argument : copies) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) become(pointers, environment, folder.string(), out, error);
  ::close(out[1]);
  ::close(error[1]);
  streams_[0] = out[0];
  streams_[1] = error[0];
  if (pid_ < 0) throw std::runtime_error("no fork");
}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (const int stream : streams_)
    if (stream >= 0) ::close(stream);
}

void Process::signal(int number) const { ::kill(pid_, number); }

bool Process::read() {
  std::array<pollfd, 2> polled{};
  for (int i = 0; i < 2; ++i) polled[at(i)] = {streams_[i], POLLIN, 0};
  if (streams_[0] < 0 && streams_[1] < 0) return false;
  ::poll(polled.data(), polled.size(), 200);
  for (int i = 0; i < 2; ++i) {
    if ((polled[at(i)].revents & (POLLIN | POLLHUP)) == 0) continue;
    std::array<char, 4096> buffer{};
    const ssize_t count = ::read(streams_[i], buffer.data(), buffer.size());
    if (count > 0) {
      (i == 0 ? ended_.out : ended_.error).append(buffer.data(), at(count));
    } else if (count == 0) {
      ::close(streams_[i]);
      streams_[i] = -1;
    }
  }
  return true;
}

bool Process::waitFor(const std::string& text) {
  const std::int64_t begin = wallNs();
  while (ended_.out.find(text) == std::string::npos && ended_.error.find(text) == std::string::npos)
    if (!read() || wallNs() - begin > kPatienceNs) return false;
  return true;
}

bool Process::waitForLines(int lines) {
  const std::int64_t begin = wallNs();
  while (std::ranges::count(ended_.out, '\n') < lines)
    if (!read() || wallNs() - begin > kPatienceNs) return false;
  return true;
}

Ended Process::wait() {
  const std::int64_t begin = wallNs();
  while (read())
    if (wallNs() - begin > kPatienceNs) signal(SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  ended_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended_;
}

Ended run(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment,
          const std::filesystem::path& folder) {
  return Process(arguments, environment, folder).wait();
}

}  // namespace halo::test
