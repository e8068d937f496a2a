#pragma once

#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/index.h"
#include "simulator/cluster/engines/costs.h"
#include "simulator/cluster/engines/host_messages.h"
#include "simulator/cluster/engines/lanes.h"
#include "simulator/cluster/engines/result.h"
#include "simulator/cluster/engines/shared_cores.h"

namespace halo::cluster {

/// Of how many epochs, and from which on, the mean is given. With messages k epochs on their way ranks go in
/// bursts of k or k + 1 epochs: whole numbers of both where that is not many.
struct EpochWindow {
  int total = 1, from = 0;
};
EpochWindow epochsToSettle(const Plan& plan, const Machine& machine, const SimulateOptions& options);

/// Why an engine with clocks cannot run the plan; empty if it can.
std::vector<Problem> clockRefusals(const Plan& plan, const Machine& machine);

/// What engines with a clock a rank share. Ranks go through their steps, each at its own time, by events in
/// the order of (time, rank, making). How messages travel is the engine's: it gets `depart`, and says
/// `delivered` once for each flow.
class RankClocks {
 public:
  RankClocks(const Plan& plan, const Machine& machine, const SimulateOptions& options, std::string engine);
  virtual ~RankClocks() = default;
  RankClocks(const RankClocks&) = delete;
  RankClocks& operator=(const RankClocks&) = delete;

  ClusterResult run();

 protected:
  enum class Kind : std::uint8_t { resume, depart, arrive, landed, poll, moved, worked, look };
  struct Event {
    double timeNs = 0;
    std::int32_t rank = 0;
    Kind kind = Kind::resume;
    std::int64_t sequence = 0;
    std::int32_t step = 0, epoch = 0, flow = 0;
    bool operator>(const Event& other) const {
      return std::tie(timeNs, rank, sequence) > std::tie(other.timeNs, other.rank, other.sequence);
    }
  };

  /// The messages of event.rank in an exchange may leave from now on.
  virtual void depart(const Event& event, double nowNs) = 0;
  /// A message that the engine announced by an event of this kind has come to the rank.
  virtual void arrive(const Event& event, double nowNs) = 0;
  /// A moment that the engine asked for.
  virtual void moved(const Event& event) = 0;
  /// All ranks are in a sum from `enteredNs` on, which goes before the messages under way: what these then
  /// lose to it is the engine's.
  virtual void sum(const Step& step, double enteredNs) = 0;
  /// Until when transfers of the rank that have begun go on.
  virtual double busyUntilNs(int rank) const = 0;

  void push(double timeNs, int rank, Kind kind, int step = 0, std::int32_t epoch = 0, std::int32_t flow = 0) {
    queue_.push({timeNs, rank, kind, sequence_++, step, epoch, flow});
  }
  void delivered(int rank, int step, std::int32_t epoch, double timeNs);
  /// Keeps what a lane did, if it is one that is kept.
  void note(int rank, std::int32_t epoch, Lane lane, const Step& step, halo::Kind kind, Name name,
            double beginNs, double endNs, std::int64_t bytes = 0, int peer = -1);
  int trafficOf(int step) const { return plan_.steps[at(step)].traffic; }

  const Plan& plan_;
  const Machine& machine_;
  const SimulateOptions& options_;
  Lanes lanes_;

 private:
  /// What a rank gets in one exchange of one epoch.
  struct Inbox {
    std::int64_t missing = 0;
    double arrivedNs = 0, doneNs = -1;
  };
  struct Rank {
    double nowNs = 0;
    int step = 0;
    std::int32_t epoch = 0;
    bool waiting = false, finished = false;
    double sinceNs = 0;                                     // waiting
    bool copying = false, copied = false;                   // messages, in the wait that the rank is in
    bool looking = false, asleep = false;                   // in that wait, where ranks look
    double enteredNs = -1;                                  // the sum that the rank is in; −1: none
    int waitsIn = 0;                                        // which step
    std::pair<int, std::int32_t> awaited{};                 // step, epoch
    double computeNs = -1, slowUntilNs = 0, startedNs = 0;  // of the work under way; −1: none
    bool polled = false;
    std::vector<Event> held;  // until transfers may advance
    std::map<std::pair<int, std::int32_t>, Inbox> inboxes;
    TimeShares shares;
    double measuredSinceNs = 0;
    std::vector<Span> spans;
  };
  struct Meeting {
    int missing = 0;
    double enteredNs = 0, lastNs = 0;
  };

  void tell() const;
  void handle(const Event& event);
  bool advances(const Rank& rank) const;
  void hold(const Event& event, Rank& rank);
  void release(Rank& rank, double nowNs);
  void resume(const Event& event);
  bool step(int number, Rank& rank);
  bool nextEpoch(Rank& rank);
  bool compute(int number, Rank& rank, const Step& step);
  void continueWork(int number, Rank& rank, double nowNs, double ns);
  bool computed(const Event& event, Rank& rank);
  void expectWork(std::size_t node);
  void worked(const Event& event);
  bool exchange(int number, Rank& rank, const Step& step);
  bool wait(int number, Rank& rank, const Step& step);
  bool copyMessages(int number, Rank& rank, const Step& exchange);
  bool lookForMessages(int number, Rank& rank, const Step& wait);
  void look(int number, Rank& rank, double nowNs, double ownNs);
  void looked(const Event& event, Rank& rank);
  double copyNs(std::int64_t bytes) const;
  void work(int number, double nowNs, double ns);
  const Traffic& trafficAt(int step) const { return plan_.traffics[at(plan_.steps[at(step)].traffic)]; }
  bool meet(Rank& rank, const Step& step);
  void landed(const Event& event);
  Inbox& inboxOf(int rank, int step, std::int32_t epoch);
  void summarise();
  void startLanesAtZero();

  EpochWindow window_;
  std::vector<Rank> ranks_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
  std::int64_t sequence_ = 0;
  /// One a node where its ranks share them; which of the expected ends still holds.
  struct Node {
    SharedCores cores;
    std::int32_t generation = 0;
  };
  std::vector<Node> nodes_;
  std::map<std::pair<int, std::int32_t>, Meeting> meetings_;
  std::optional<HostMessages> host_;  // where ranks look
  ClusterResult result_;
};

}  // namespace halo::cluster
