#include "simulator/cluster/engines/rank_clocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::cluster {
namespace {

constexpr std::int64_t kBetweenWords = 64;  // events; one of engine flows takes up to a few ms

}  // namespace

RankClocks::RankClocks(const Plan& plan, const Machine& machine, const SimulateOptions& options,
                       std::string engine)
    : plan_(plan),
      machine_(machine),
      options_(options),
      lanes_(plan, machine),
      window_(epochsToSettle(plan, machine, options)),
      ranks_(at(plan.ranks)),
      result_(resultFor(plan, machine, std::move(engine))) {
  if (machine.looks.needed()) host_.emplace(plan, machine.looks);
  if (!machine.sharesCores()) return;
  nodes_.assign(at(machine.nodeOf(plan.ranks - 1)) + 1, Node{SharedCores(machine.coresPerNode)});
}

ClusterResult RankClocks::run() {
  for (int rank = 0; rank < plan_.ranks; ++rank) push(0, rank, Kind::resume);
  while (!queue_.empty()) {
    const Event event = queue_.top();
    queue_.pop();
    if (result_.operations++ % kBetweenWords == 0) tell();
    handle(event);
  }
  summarise();
  return std::move(result_);
}

/// Ranks are never far apart, so one of them says how far all are.
void RankClocks::tell() const {
  if (!options_.progress || plan_.steps.empty()) return;
  const Rank& rank = ranks_.front();
  const double epoch = rank.epoch + static_cast<double>(rank.step) / static_cast<double>(plan_.steps.size());
  options_.progress("simulating", std::min(1.0, epoch / window_.total));
}

void RankClocks::handle(const Event& event) {
  if (event.kind == Kind::moved) return moved(event);    // of no rank
  if (event.kind == Kind::worked) return worked(event);  // of a node
  Rank& rank = ranks_[at(event.rank)];
  switch (event.kind) {
    case Kind::resume:
      return resume(event);
    case Kind::depart:
    case Kind::arrive:
      if (!advances(rank)) return hold(event, rank);
      return event.kind == Kind::depart ? depart(event, event.timeNs) : arrive(event, event.timeNs);
    case Kind::landed:
      return landed(event);
    case Kind::look:
      return look(event.rank, rank, event.timeNs, machine_.looks.lookUs * 1e3);
    case Kind::moved:
    case Kind::worked:
      return;
    case Kind::poll:
      rank.polled = false;
      return release(rank, event.timeNs);
  }
}

bool RankClocks::advances(const Rank& rank) const {
  return machine_.progress == Progress::hardware || rank.waiting || rank.finished;
}
void RankClocks::hold(const Event& event, Rank& rank) {
  rank.held.push_back(event);
  if (machine_.progress != Progress::poll || rank.polled) return;
  rank.polled = true;
  const double periodNs = machine_.pollUs * 1e3;
  push((std::floor(event.timeNs / periodNs) + 1) * periodNs, event.rank, Kind::poll);
}
/// What was held goes on now.
void RankClocks::release(Rank& rank, double nowNs) {
  std::vector<Event> events = std::move(rank.held);
  rank.held.clear();
  for (const Event& event : events) event.kind == Kind::depart ? depart(event, nowNs) : arrive(event, nowNs);
}

void RankClocks::resume(const Event& event) {
  Rank& rank = ranks_[at(event.rank)];
  if (rank.looking) return looked(event, rank);
  if (rank.copying) {
    rank.copying = false;
    rank.copied = true;
    rank.waiting = true;  // all the while
  } else if (rank.computeNs >= 0 && !computed(event, rank)) {
    return;
  }
  if (rank.waiting) {
    rank.waiting = false;
    const Step& step = plan_.steps[at(rank.waitsIn)];
    const bool sums = step.op == Op::wait && trafficAt(step.exchange).offLink;
    (sums ? rank.shares.reduceNs : rank.shares.waitNs) += event.timeNs - rank.sinceNs;
    note(event.rank, rank.epoch, Lane::main, step, halo::Kind::communication, Name::wait, rank.sinceNs,
         event.timeNs);
  }
  rank.nowNs = event.timeNs;
  while (step(event.rank, rank)) {
  }
}

/// Does the rank's next step; false where it must wait for an event.
bool RankClocks::step(int number, Rank& rank) {
  if (at(rank.step) == plan_.steps.size() && !nextEpoch(rank)) return false;
  const Step& step = plan_.steps[at(rank.step)];
  if (computes(step.op)) return compute(number, rank, step);
  switch (step.op) {
    case Op::exchange:
      return exchange(number, rank, step);
    case Op::wait:
      return wait(number, rank, step);
    default:
      return meet(rank, step);
  }
}

bool RankClocks::nextEpoch(Rank& rank) {
  rank.step = 0;
  ++rank.epoch;
  if (rank.epoch == window_.from) {
    rank.shares = {};
    rank.measuredSinceNs = rank.nowNs;
  }
  rank.finished = rank.epoch == window_.total;
  if (rank.finished) release(rank, rank.nowNs);  // whoever still waits for it gets it
  return !rank.finished && !plan_.steps.empty();
}

bool RankClocks::compute(int number, Rank& rank, const Step& step) {
  const double ns = computeNs(step, rank.step, number, rank.epoch, machine_, options_);
  if (ns == 0) {
    ++rank.step;
    return true;
  }
  rank.startedNs = rank.nowNs;
  if (nodes_.empty()) {
    continueWork(number, rank, rank.nowNs, ns);
    return false;
  }
  rank.computeNs = ns;
  work(number, rank.nowNs, ns);
  return false;
}

/// On a core of its own, or one that the node's ranks share.
void RankClocks::work(int number, double nowNs, double ns) {
  if (nodes_.empty()) return push(nowNs + ns, number, Kind::resume);
  const std::size_t node = at(machine_.nodeOf(number));
  nodes_[node].cores.begin(number, nowNs, ns);
  expectWork(node);
}

/// The node's next end; earlier expectations no longer hold.
void RankClocks::expectWork(std::size_t node) {
  Node& host = nodes_[node];
  host.generation = host.generation % (1 << 30) + 1;
  const double end = host.cores.nextEndNs();
  if (std::isfinite(end)) push(end, static_cast<int>(node), Kind::worked, 0, 0, host.generation);
}

void RankClocks::worked(const Event& event) {
  Node& node = nodes_[at(event.rank)];
  if (event.flow != node.generation) return;
  for (const int rank : node.cores.takeFinished(event.timeNs)) push(event.timeNs, rank, Kind::resume);
  expectWork(at(event.rank));
}

/// Work of `ns` from `now` on, slowed while the rank's own transfers are known to be under way.
void RankClocks::continueWork(int number, Rank& rank, double nowNs, double ns) {
  const double slowdown = machine_.compute.overlapSlowdown;
  rank.slowUntilNs = std::max(nowNs, slowdown > 1 ? busyUntilNs(number) : 0);
  const double slowed = std::min(ns * slowdown, rank.slowUntilNs - nowNs);
  const double end = nowNs + slowed + (ns - slowed / slowdown);
  rank.computeNs = ns;
  push(end, number, Kind::resume);
}

/// False: transfers that began meanwhile slowed the work, and it goes on.
bool RankClocks::computed(const Event& event, Rank& rank) {
  const double slowdown = machine_.compute.overlapSlowdown;
  if (slowdown > 1) {
    const double until = std::min(busyUntilNs(event.rank), event.timeNs);
    const double lost = std::max(0.0, until - rank.slowUntilNs) * (1 - 1 / slowdown);
    if (lost > 1e-3) {
      continueWork(event.rank, rank, event.timeNs, lost);
      return false;
    }
  }
  const Step& step = plan_.steps[at(rank.step)];
  rank.shares.of(step.op) += event.timeNs - rank.startedNs;
  note(event.rank, rank.epoch, Lane::main, step, kindOf(step.op), nameOf(step.op), rank.startedNs,
       event.timeNs);
  rank.computeNs = -1;
  ++rank.step;
  return true;
}

bool RankClocks::exchange(int number, Rank& rank, const Step& step) {
  if (lanes_.together(step)) return meet(rank, step);
  const Traffic& traffic = plan_.traffics[at(step.traffic)];
  double overhead = lanes_.sendOverheadNs(step.traffic, number);
  if (host_) {
    if (traffic.offLink && rank.enteredNs < 0) rank.enteredNs = rank.nowNs;
    overhead += copyNs(host_->post(number, rank.step, rank.epoch));
  }
  rank.shares.waitNs += overhead;
  rank.nowNs += overhead;
  if (traffic.outMessages[number] > 0 && !traffic.offLink) {
    const double out = lanes_.copyOut(number, rank.nowNs, traffic.outBytes[number]);
    push(out, number, Kind::depart, rank.step, rank.epoch);
  }
  ++rank.step;
  return true;
}

void RankClocks::delivered(int rank, int step, std::int32_t epoch, double timeNs) {
  Inbox& inbox = inboxOf(rank, step, epoch);
  inbox.arrivedNs = std::max(inbox.arrivedNs, timeNs);
  if (--inbox.missing == 0) push(inbox.arrivedNs, rank, Kind::landed, step, epoch);
}

void RankClocks::landed(const Event& event) {
  Rank& rank = ranks_[at(event.rank)];
  Inbox& inbox = inboxOf(event.rank, event.step, event.epoch);
  const std::int64_t bytes = plan_.traffics[at(plan_.steps[at(event.step)].traffic)].inBytes[event.rank];
  inbox.doneNs = lanes_.copyIn(event.rank, event.timeNs, bytes);
  if (!rank.waiting || rank.awaited != std::pair(static_cast<int>(event.step), event.epoch)) return;
  if (!host_) return push(inbox.doneNs, event.rank, Kind::resume);
  if (rank.asleep) push(inbox.doneNs, event.rank, Kind::look);
  rank.asleep = false;
}

RankClocks::Inbox& RankClocks::inboxOf(int rank, int step, std::int32_t epoch) {
  const auto [entry, isNew] = ranks_[at(rank)].inboxes.try_emplace({step, epoch});
  if (isNew) entry->second.missing = lanes_.incoming(plan_.steps[at(step)].traffic, rank);
  return entry->second;
}

bool RankClocks::wait(int number, Rank& rank, const Step& step) {
  const Step& exchange = plan_.steps[at(step.exchange)];
  const std::int32_t epoch = rank.epoch - step.depth;
  const bool apart = epoch >= 0 && !lanes_.together(exchange);
  if (apart && !rank.copied &&
      !(host_ ? lookForMessages(number, rank, step) : copyMessages(number, rank, exchange)))
    return false;
  const bool something =
      apart && !trafficAt(step.exchange).offLink && lanes_.incoming(exchange.traffic, number) > 0;
  if (something) {
    const Inbox inbox = inboxOf(number, step.exchange, epoch);
    if (inbox.doneNs < 0 || inbox.doneNs > rank.nowNs) {
      rank.waiting = true;
      rank.waitsIn = rank.step;
      rank.sinceNs = rank.nowNs;
      rank.awaited = {step.exchange, epoch};
      if (inbox.doneNs >= 0) push(inbox.doneNs, number, Kind::resume);
      release(rank, rank.nowNs);
      return false;
    }
    rank.inboxes.erase({step.exchange, epoch});
    const double overhead = lanes_.receiveOverheadNs(exchange.traffic, number);
    rank.shares.waitNs += overhead;
    rank.nowNs += overhead;
  }
  release(rank, rank.nowNs);
  rank.copied = false;
  ++rank.step;
  return true;
}

/// All ranks begin together and take the same time.
bool RankClocks::meet(Rank& rank, const Step& step) {
  Meeting& meeting = meetings_.try_emplace({rank.step, rank.epoch}, Meeting{plan_.ranks, 0}).first->second;
  // the link's time for a sum begins when the last rank is in it, whatever processors move meanwhile
  meeting.enteredNs = std::max(meeting.enteredNs, rank.enteredNs >= 0 ? rank.enteredNs : rank.nowNs);
  meeting.lastNs = std::max(meeting.lastNs, rank.nowNs);
  rank.enteredNs = -1;
  rank.waiting = true;
  rank.waitsIn = rank.step;
  rank.sinceNs = rank.nowNs;
  release(rank, rank.nowNs);
  if (--meeting.missing > 0) return false;
  if (step.op == Op::allReduce) sum(step, meeting.enteredNs);
  const double last = meeting.lastNs;
  const double ns = std::max(0.0, meeting.enteredNs + lanes_.togetherNs(step) - last);
  for (int i = 0; i < plan_.ranks; ++i) {
    Rank& member = ranks_[at(i)];
    member.shares.idleNs += last - member.sinceNs;
    member.shares.of(step.op) += ns;
    note(i, member.epoch, Lane::main, step, halo::Kind::idle, Name::barrier, member.sinceNs, last);
    note(i, member.epoch, Lane::main, step, kindOf(step.op), nameOf(step.op), last, last + ns);
    member.sinceNs = last + ns;  // all of it is accounted for
    ++member.step;
    push(last + ns, i, Kind::resume);
  }
  meetings_.erase({rank.step - 1, rank.epoch});
  return false;
}

void RankClocks::note(int number, std::int32_t epoch, Lane lane, const Step& step, halo::Kind kind, Name name,
                      double beginNs, double endNs, std::int64_t bytes, int peer) {
  // what travels for later epochs was sent in earlier ones; what is not of the epoch's time is cut off later
  const std::int32_t first = lane == Lane::link ? window_.from - plan_.depth() : window_.from;
  if (number >= options_.lanes || epoch < first || epoch > window_.from || endNs <= beginNs) return;
  Span span;
  span.beginNs = std::llround(beginNs);
  span.durationNs = std::llround(endNs) - span.beginNs;
  span.bytes = bytes;
  span.epoch = 0;
  span.peer = peer;
  span.layer = static_cast<std::int16_t>(step.layer);
  span.name = name;
  span.kind = kind;
  span.lane = lane;
  span.pass = step.pass;
  ranks_[at(number)].spans.push_back(span);
}

void RankClocks::startLanesAtZero() {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
  for (const Rank& rank : ranks_)
    for (const Span& span : rank.spans) {
      if (span.lane == Lane::link) continue;
      first = std::min(first, span.beginNs);
      last = std::max(last, span.endNs());
    }
  for (int i = 0; i < std::min(options_.lanes, plan_.ranks); ++i) {
    std::vector<Span>& spans = ranks_[at(i)].spans;
    std::erase_if(spans, [&](const Span& s) { return s.endNs() <= first || s.beginNs >= last; });
    for (Span& span : spans) {
      const std::int64_t end = std::min(span.endNs(), last);
      span.beginNs = std::max(span.beginNs, first) - first;
      span.durationNs = end - first - span.beginNs;
    }
    std::ranges::stable_sort(spans, {}, [](const Span& s) { return std::tuple(s.lane, s.beginNs); });
    result_.lanes.push_back(std::move(spans));
  }
}

void RankClocks::summarise() {
  double end = 0, begin = 0;
  for (const Rank& rank : ranks_) {
    HALO_CHECK(rank.finished || plan_.steps.empty());
    end = std::max(end, rank.nowNs);
    begin = std::max(begin, rank.measuredSinceNs);
  }
  const double epochs = window_.total - window_.from;
  result_.epochNs = (end - begin) / epochs;
  result_.epochs = window_.total - window_.from;
  TimeShares& mean = result_.shares;
  const double scale = 1 / (epochs * plan_.ranks);
  for (const Rank& rank : ranks_) {
    mean.sparseNs += rank.shares.sparseNs * scale;
    mean.denseNs += rank.shares.denseNs * scale;
    mean.packNs += rank.shares.packNs * scale;
    mean.quantiseNs += rank.shares.quantiseNs * scale;
    mean.waitNs += rank.shares.waitNs * scale;
    mean.reduceNs += rank.shares.reduceNs * scale;
  }
  mean.idleNs = std::max(0.0, result_.epochNs - mean.totalNs());
  startLanesAtZero();
}

EpochWindow epochsToSettle(const Plan& plan, const Machine& machine, const SimulateOptions& options) {
  if (options.epochs > 0) return {options.epochs, options.epochs / 2};
  const int depth = plan.depth();
  const int noisy = machine.compute.noiseSigma > 0 ? 8 : 1;
  if (depth == 0) return {noisy, 0};
  const int from = 2 * (depth + 1);
  return {from + (depth + 1) * std::clamp(depth, noisy, 8), from};
}

std::vector<Problem> clockRefusals(const Plan& plan, const Machine& machine) {
  std::vector<Problem> problems = refusals(plan, machine);
  for (const Traffic& traffic : plan.traffics)
    if (!traffic.pairwise) {
      problems.push_back({.key = "engine",
                          .message = "needs the messages between ranks, and this plan of " +
                                     std::to_string(plan.ranks) +
                                     " workers has sums only; use bulk, or at most " +
                                     std::to_string(kPairwiseRanks) + " workers on a graph that is at hand"});
      break;
    }
  return problems;
}

}  // namespace halo::cluster
