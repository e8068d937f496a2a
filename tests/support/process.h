#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace halo::test {

struct Ended {
  int status = -1;  // exit status; 128 + N when signal N ended it
  std::string out, error;
};

/// A program under test: an argument vector, no shell. Killed after two minutes, and with this object.
class Process {
 public:
  /// `environment` is added to ours; an empty value takes the variable away.
  explicit Process(const std::vector<std::string>& arguments,
                   const std::map<std::string, std::string>& environment = {},
                   const std::filesystem::path& folder = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t id() const { return pid_; }
  void signal(int number) const;
  /// Reads until `text` has appeared on either stream, or the streams end (false).
  bool waitFor(const std::string& text);
  /// Reads until that many lines are on the standard output, or the streams end (false).
  bool waitForLines(int lines);
  Ended wait();

 private:
  bool read();

  pid_t pid_ = -1;
  int streams_[2] = {-1, -1};
  Ended ended_;
};

/// Runs a program to its end.
Ended run(const std::vector<std::string>& arguments,
          const std::map<std::string, std::string>& environment = {},
          const std::filesystem::path& folder = {});

}  // namespace halo::test
