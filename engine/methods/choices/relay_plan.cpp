#include "engine/methods/choices/relay_plan.h"

#include <algorithm>
#include <set>

#include "engine/base/index.h"

namespace halo {
namespace {

/// Times of links, by ordered pair: of groups and of ranks.
using LinkTimes = std::map<std::pair<int, int>, double>;

class Planner {
 public:
  Planner(const RelayClasses& classes, const RelayTopology& topology)
      : classes_(classes), topology_(topology) {}

  RelayPlan plan() {
    std::vector<const RelayClasses::value_type*> order;
    for (const auto& relayClass : classes_) order.push_back(&relayClass);
    std::ranges::stable_sort(order, std::greater<>(),
                             [](const auto* relayClass) { return relayClass->second; });
    for (const auto* relayClass : order)
      place(relayClass->first.first, relayClass->first.second, relayClass->second);
    plan_.longest = std::max(longestOf(slow_), longestOf(fast_));
    plan_.longestDirect = std::max(longestOf(slowDirect_), longestOf(fastDirect_));
    return std::move(plan_);
  }

 private:
  static double longestOf(const LinkTimes& times) {
    double longest = 0;
    for (const auto& [ends, time] : times) longest = std::max(longest, time);
    return longest;
  }
  static double timeOf(const LinkTimes& times, int from, int to) {
    const auto time = times.find({from, to});
    return time == times.end() ? 0 : time->second;
  }

  void place(int owner, const std::vector<std::int32_t>& consumers, std::int64_t rows) {
    const int home = topology_.groupOf(owner);
    std::vector<std::int32_t> senders;
    for (std::size_t begin = 0, end = 0; begin < consumers.size(); begin = end) {
      const int group = topology_.groupOf(consumers[begin]);
      while (end < consumers.size() && topology_.groupOf(consumers[end]) == group) ++end;
      const std::vector<std::int32_t> members(consumers.begin() + static_cast<std::ptrdiff_t>(begin),
                                              consumers.begin() + static_cast<std::ptrdiff_t>(end));
      const int sender = group == home ? owner : cheapest(owner, members, rows);
      for (const std::int32_t to : members) {
        const int from = to == sender ? owner : sender;
        senders.push_back(from);
        load(from, to, rows, slow_, fast_, plan_.slowRows);
        load(owner, to, rows, slowDirect_, fastDirect_, plan_.slowRowsDirect);
      }
    }
    plan_.sender.emplace(std::pair(owner, consumers), std::move(senders));
  }

  void load(int from, int to, std::int64_t rows, LinkTimes& slow, LinkTimes& fast,
            std::int64_t& slowRows) const {
    const int a = topology_.groupOf(from), b = topology_.groupOf(to);
    if (a == b) {
      fast[{from, to}] += static_cast<double>(rows);
      return;
    }
    slow[{a, b}] += static_cast<double>(rows) * topology_.slowness;
    slowRows += rows;
  }

  /// Who sends to the members of a group that the owner is not of: the owner, or one of the members. Of
  /// equals, it is who has least to pass on.
  int cheapest(int owner, const std::vector<std::int32_t>& members, std::int64_t rows) const {
    const auto count = static_cast<double>(rows);
    const double over = timeOf(slow_, topology_.groupOf(owner), topology_.groupOf(members.front()));
    int best = owner;
    std::pair least(over + count * topology_.slowness * static_cast<double>(members.size()), 0.0);
    for (const std::int32_t relay : members) {
      double within = 0;
      for (const std::int32_t to : members)
        if (to != relay) within = std::max(within, timeOf(fast_, relay, to) + count);
      const std::pair takes(std::max(over + count * topology_.slowness, within), within);
      if (members.size() < 2 || takes >= least) continue;
      least = takes;
      best = relay;
    }
    return best;
  }

  const RelayClasses& classes_;
  const RelayTopology& topology_;
  RelayPlan plan_;
  LinkTimes slow_, fast_, slowDirect_, fastDirect_;
};

}  // namespace

RelayPlan planRelays(const RelayClasses& classes, const RelayTopology& topology) {
  return Planner(classes, topology).plan();
}

std::vector<RowTable> relayedRows(const RelayClasses& classes, const RelayPlan& plan, int ranks) {
  const auto size = at(ranks);
  std::vector<RowTable> tables(3, RowTable(size, std::vector<std::int64_t>(size, 0)));
  std::set<std::pair<std::int32_t, std::int32_t>> passing;  // owner, and who passes rows of it on
  for (const auto& [name, senders] : plan.sender)
    for (const std::int32_t sender : senders)
      if (sender != name.first) passing.insert({name.first, sender});
  for (const auto& [name, rows] : classes) {
    const auto& senders = plan.sender.at(name);
    for (std::size_t k = 0; k < senders.size(); ++k) {
      const bool direct = senders[k] == name.first;
      const std::size_t table = !direct ? 2 : passing.contains({name.first, name.second[k]}) ? 1 : 0;
      tables[table][at(senders[k])][at(name.second[k])] += rows;
    }
  }
  return tables;
}

}  // namespace halo
