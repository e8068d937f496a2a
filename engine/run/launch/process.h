#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "engine/run/launch/launcher.h"

namespace halo {

/// A child process with pipes on its three streams. It has a process group of its own, so that Ctrl-C at the
/// terminal does not reach it. The kernel ends it if this process dies.
class ChildProcess {
 public:
  /// Throws EnvironmentError with the system's words if it cannot be started.
  explicit ChildProcess(const Launch& launch);
  /// Kills it and all that it started if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Writes to its standard input; false once it no longer reads.
  bool write(std::string_view bytes);
  /// Waits up to `milliseconds` for output and passes it on. False once both streams have ended.
  bool read(int milliseconds, const std::function<void(std::string_view)>& onOutput,
            const std::function<void(std::string_view)>& onError);
  void signalGroup(int signal);
  /// SIGKILL for its group and all that it started: what a launcher starts may have groups of its own.
  void killAll();
  /// Whether something that it started still runs.
  bool hasLivingChildren() const;
  /// Whether something that it started has ended, or it has itself.
  bool hasEnded() const;
  /// Its exit: waits for it.
  struct Exit {
    int status = 0;  // exit status, or −1 when a signal ended it
    int signal = 0;
  };
  Exit wait();

 private:
  pid_t pid_ = -1;
  int input_ = -1, output_ = -1, error_ = -1;
};

}  // namespace halo
