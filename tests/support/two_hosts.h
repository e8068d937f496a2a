// Two hosts on one machine, for tests of what happens between hosts.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/scratch.h"

namespace halo::test {

/// halo-a and halo-b, in namespaces of their own (two_hosts.sh). Their cables lead to where `haloscope` runs.
/// Takes a second to make; gone with this process, even if it is killed.
class TwoHosts {
 public:
  /// Made at the first call. Null where this machine cannot, which the test's output then says.
  static TwoHosts* orSkipped();

  /// The command, to be run between the hosts in `folder`.
  std::vector<std::string> between(const std::filesystem::path& folder,
                                   const std::vector<std::string>& command) const;
  /// To be added to the environment, so that `ssh` reaches the hosts.
  std::map<std::string, std::string> environment() const;
  /// Whether halo-b's monotonic clock is two seconds ahead.
  bool shifted() const;
  const std::filesystem::path& folder() const { return scratch_.path(); }

  /// Shell commands between the hosts, or on halo-b. Throws where they fail.
  void doBetween(const std::string& commands) const;
  void doOnB(const std::string& commands) const;

 private:
  TwoHosts();

  Scratch scratch_;
  std::unique_ptr<Process> process_;
  std::string inner_;  // the first process of the namespaces, as seen from here
  std::string wrong_;  // why there are no hosts
};

/// Does something between the hosts, and undoes it with its end, even of a test that failed.
class Meanwhile {
 public:
  Meanwhile(const TwoHosts& hosts, const std::string& commands, std::string undo)
      : hosts_(hosts), undo_(std::move(undo)) {
    hosts_.doBetween(commands);
  }
  ~Meanwhile() { end(); }
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;
  void end() {
    if (!undo_.empty()) hosts_.doBetween(std::exchange(undo_, {}));
  }

 private:
  const TwoHosts& hosts_;
  std::string undo_;
};

}  // namespace halo::test
