#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulator/memory/memory.h"

namespace halo::sim {

/// One burst that is asked of DRAM.
struct BurstRequest {
  std::uint64_t address = 0;  // bytes
  double arrivalNs = 0;
  bool write = false;
};

enum class PagePolicy { open, closed };  // closed: a row is shut after each burst (auto-precharge)

struct BankTotals {
  std::int64_t bursts = 0, activates = 0, rowHits = 0, refreshes = 0;
};

/// DRAM with the state of every bank (D2): rows opened and shut, the timings of the table, refreshes of all
/// banks. Each channel has a queue of 32 from which the first request that is ready goes. Row hits go before
/// others, older requests before younger (FR-FCFS). Time only moves forward; calls go on where the last one
/// ended. Models neither the command bus, nor power-down, nor write recovery beyond tWTR.
/// Source: timings of JEDEC tables as in dram.toml; scheduling Rixner et al., ISCA 2000.
class BankDram {
 public:
  /// map  from the highest bits to the lowest above a burst, each once: r row, b bank, g bank group, c
  /// column,
  ///      h channel.
  BankDram(const DramTable& table, int channels, PagePolicy policy, std::string_view map = "rbcgh");

  /// When the last of the requests has been served, ns. They stand in order of arrival.
  double serve(std::span<const BurstRequest> requests);

  const BankTotals& totals() const { return totals_; }
  /// Energy so far of bursts and of opening rows, pJ; and of standing by over `ns`.
  double arrayPj() const;
  double backgroundPj(double ns) const;

 private:
  struct Place {
    int channel = 0, group = 0, bank = 0;  // bank: of the channel
    std::int64_t row = 0;
  };
  struct Bank {
    std::int64_t openRow = -1;
    double activateAt = 0, columnAt = 0, prechargeAt = 0;  // earliest
  };
  struct Waiting {
    Place place;
    double arrivalNs = 0;
    bool write = false, opened = false;
  };
  struct Channel {
    std::vector<Bank> banks;
    std::array<double, 4> activates{};  // the last four, in turn
    int nextActivate = 0;
    double lastActivate = -1e9, lastColumn = -1e9, busFree = 0, readAfterWrite = 0, refreshAt = 0;
    int lastActivateGroup = -1, lastColumnGroup = -1;
    std::vector<Waiting> queue;
  };
  enum class Command { precharge, activate, column };
  struct Choice {
    std::size_t index = 0;
    Command command = Command::column;
    double atNs = 0;
  };

  Place placeOf(std::uint64_t address) const;
  double serveChannel(Channel& channel, std::span<const Waiting> requests);
  Choice choose(const Channel& channel) const;
  double earliest(const Channel& channel, const Waiting& waiting, Command command) const;
  void refresh(Channel& channel, double nowNs);
  /// When the burst has passed, or 0 where the command was none of data.
  double issue(Channel& channel, const Choice& choice);

  const DramTable& table_;
  PagePolicy policy_;
  std::string map_;
  std::vector<Channel> channels_;
  BankTotals totals_;
};

}  // namespace halo::sim
