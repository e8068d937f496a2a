#include "engine/run/launch/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "engine/base/index.h"
#include "engine/base/problem.h"

extern char** environ;

namespace halo {
namespace {

constexpr int kPipeBytes = 1 << 20;

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      throw EnvironmentError(std::string("cannot make a pipe: ") + std::strerror(errno));
  }
};

// What exec needs, laid out before fork: nothing may be allocated in the child.
struct ExecArguments {
  std::vector<std::string> environment;
  std::vector<char*> argv, envp;
  explicit ExecArguments(const Launch& launch) {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string text = *entry;
      const std::string name = text.substr(0, text.find('='));
      if (!launch.environment.contains(name) && !launch.withheld.contains(name)) environment.push_back(text);
    }
    for (const auto& [name, value] : launch.environment) environment.push_back(name + "=" + value);
    for (const std::string& argument : launch.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    for (std::string& entry : environment) envp.push_back(entry.data());
    argv.push_back(nullptr);
    envp.push_back(nullptr);
  }
};

[[noreturn]] void becomeChild(const ExecArguments& exec, int in, int out, int err, int report, pid_t parent) {
  ::setpgid(0, 0);
  // Not SIGTERM: an mpirun that is told to end while its pipes break may wait for itself forever. Its ranks
  // and daemons end by themselves once it is gone.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // the supervisor died before the line above
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  // what the launcher writes goes with the run: a limit for files that stay is not meant for it
  rlimit size{};
  if (::getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur != size.rlim_max) {
    size.rlim_cur = size.rlim_max;
    ::setrlimit(RLIMIT_FSIZE, &size);
  }
  ::execve(exec.argv[0], exec.argv.data(), exec.envp.data());
  const int code = errno;
  (void)!::write(report, &code, sizeof code);
  ::_exit(127);
}

/// What /proc says of a process.
struct Stat {
  pid_t pid = 0, parent = 0;
  bool ended = false;            // and its parent has not asked how
  std::int64_t childFaults = 0;  // page faults of its children that ended and were asked how: 0 without any
};

std::optional<Stat> statIn(const std::filesystem::path& folder) {
  Stat stat;
  const std::string name = folder.filename();
  if (std::from_chars(name.data(), name.data() + name.size(), stat.pid).ec != std::errc()) return {};
  std::ifstream file(folder / "stat");
  std::string text;
  std::getline(file, text);  // pid (name) state parent group session terminal foreground flags faults …
  const std::size_t close = text.rfind(')');
  if (close == std::string::npos) return {};
  std::istringstream fields(text.substr(close + 1));
  char state = 0;
  std::string group, session, terminal, foreground, flags, faults;
  fields >> state >> stat.parent >> group >> session >> terminal >> foreground >> flags >> faults >>
      stat.childFaults;
  stat.ended = state == 'Z';
  return fields ? std::optional(stat) : std::nullopt;
}

std::vector<Stat> processes() {
  std::vector<Stat> all;
  std::error_code error;  // processes end while they are read
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error))
    if (const auto stat = statIn(entry.path())) all.push_back(*stat);
  return all;
}

/// The processes that `root` started, and those that they did, as long as they live.
std::vector<pid_t> below(pid_t root) {
  std::multimap<pid_t, pid_t> children;
  for (const Stat& process : processes())
    if (!process.ended) children.emplace(process.parent, process.pid);
  std::vector<pid_t> processes = {root};
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto [first, last] = children.equal_range(processes[i]);
    for (auto child = first; child != last; ++child) processes.push_back(child->second);
  }
  processes.erase(processes.begin());
  return processes;
}

}  // namespace

ChildProcess::ChildProcess(const Launch& launch) {
  Pipe in, out, err, report;
  const ExecArguments exec(launch);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw EnvironmentError("cannot start " + launch.arguments[0] + ": " + std::strerror(errno));
  if (pid_ == 0) becomeChild(exec, in.ends[0], out.ends[1], err.ends[1], report.ends[1], parent);
  ::setpgid(pid_, pid_);
  for (const int fd : {in.ends[0], out.ends[1], err.ends[1], report.ends[1]}) ::close(fd);
  ::fcntl(out.ends[0], F_SETPIPE_SZ, kPipeBytes);  // a wish: a batch of spans fits without the sender waiting
  input_ = in.ends[1];
  output_ = out.ends[0];
  error_ = err.ends[0];
  int code = 0;
  const ssize_t length = ::read(report.ends[0], &code, sizeof code);
  ::close(report.ends[0]);
  if (length == static_cast<ssize_t>(sizeof code)) {
    wait();
    throw EnvironmentError("cannot start " + launch.arguments[0] + ": " + std::strerror(code));
  }
}

ChildProcess::~ChildProcess() {
  for (const int fd : {input_, output_, error_})
    if (fd >= 0) ::close(fd);
  if (pid_ > 0) {
    killAll();
    wait();
  }
}

bool ChildProcess::write(std::string_view bytes) {
  while (!bytes.empty() && input_ >= 0) {
    const ssize_t written = ::write(input_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(at(written));
  }
  return input_ >= 0;
}

bool ChildProcess::read(int milliseconds, const std::function<void(std::string_view)>& onOutput,
                        const std::function<void(std::string_view)>& onError) {
  if (output_ < 0 && error_ < 0) return false;
  std::array<pollfd, 2> streams = {{{output_, POLLIN, 0}, {error_, POLLIN, 0}}};
  if (::poll(streams.data(), streams.size(), milliseconds) <= 0)
    return true;  // nothing yet, or a signal: look again
  std::array<char, 1 << 16> bytes;
  const auto drain = [&](int index, int& fd, const std::function<void(std::string_view)>& use) {
    if (fd < 0 || streams[at(index)].revents == 0) return;
    const ssize_t length = ::read(fd, bytes.data(), bytes.size());
    if (length > 0) {
      use({bytes.data(), at(length)});
    } else if (length == 0 || (errno != EINTR && errno != EAGAIN)) {
      ::close(fd);
      fd = -1;
    }
  };
  drain(0, output_, onOutput);
  drain(1, error_, onError);
  return output_ >= 0 || error_ >= 0;
}

void ChildProcess::signalGroup(int signal) {
  if (pid_ > 0) ::kill(-pid_, signal);
}

void ChildProcess::killAll() {
  if (pid_ <= 0) return;
  for (const pid_t process : below(pid_)) ::kill(process, SIGKILL);
  signalGroup(SIGKILL);
}

bool ChildProcess::hasLivingChildren() const { return pid_ > 0 && !below(pid_).empty(); }

bool ChildProcess::hasEnded() const {
  return pid_ > 0 && std::ranges::any_of(processes(), [&](const Stat& process) {
           if (process.pid == pid_) return process.ended || process.childFaults > 0;
           return process.parent == pid_ && process.ended;
         });
}

ChildProcess::Exit ChildProcess::wait() {
  if (pid_ <= 0) return {};
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return {-1, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace halo
