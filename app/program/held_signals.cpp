#include "app/program/held_signals.h"

#include <array>
#include <csignal>
#include <memory>

namespace halo {
namespace {

constexpr std::array kHeld = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

volatile std::sig_atomic_t came = 0;
void note(int signal) { came = signal; }

class HeldSignals {
 public:
  HeldSignals() {
    for (std::size_t i = 0; i < kHeld.size(); ++i) {
      ::sigaction(kHeld[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_DFL) continue;  // somebody wants it otherwise, such as nohup
      struct sigaction action {};
      action.sa_handler = note;
      // what is printed into a closed pipe brings one at every try
      action.sa_flags = kHeld[i] == SIGPIPE ? 0 : static_cast<int>(SA_RESETHAND);
      ::sigaction(kHeld[i], &action, nullptr);
    }
  }
  ~HeldSignals() {
    for (std::size_t i = 0; i < kHeld.size(); ++i) ::sigaction(kHeld[i], &before_[i], nullptr);
    if (came != 0) ::raise(came);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  std::array<struct sigaction, kHeld.size()> before_{};
};

std::weak_ptr<HeldSignals> sharedSignals;  // one, for all recordings that are open

}  // namespace

void stopOnSignals(Database& database) {
  std::shared_ptr<HeldSignals> shared = sharedSignals.lock();
  if (!shared) sharedSignals = shared = std::make_shared<HeldSignals>();
  database.stopWhen([shared] { return came != 0; });
}

}  // namespace halo
