#include "engine/comm/link/host_card.h"
#include "engine/base/index.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "engine/comm/link/link.h"

using namespace halo;

namespace {

constexpr std::int64_t kLatencyNs = 7;

struct Sent {
  std::int64_t postedNs = 0, takesNs = 0, departsNs = 0, place = 0, arrivesNs = 0;
  std::size_t source = 0, target = 0, sumsBefore = 0;
};
struct Sum {
  std::int64_t enteredNs = 0, onWireNs = 0;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::int64_t below(std::int64_t many) {
    return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(many));
  }

 private:
  std::mt19937_64 engine_;
};

/// Some ranks of some hosts that send, take and sum at drawn times.
class Scene {
 public:
  Scene(std::uint64_t seed, std::size_t hosts, std::size_t ranksPerHost, bool withSums)
      : draw_(seed), ranksPerHost_(ranksPerHost), ranks_(hosts * ranksPerHost) {
    for (std::size_t host = 0; host < hosts; ++host) cards_.push_back(std::make_unique<HostCard>());
    for (std::int64_t now = 0; now < 900; now += draw_.below(6)) {
      takeSome(now);
      const auto action = draw_.below(12);
      if (action < 8)
        post(now);
      else if (action == 8 && withSums)
        now = sum(now);
    }
    for (Sent& message : sent) take(message);
  }

  std::size_t hostOf(std::size_t rank) const { return rank / ranksPerHost_; }
  std::size_t hosts() const { return cards_.size(); }

  std::vector<Sent> sent;
  std::vector<Sum> sums;

 private:
  void post(std::int64_t now) {
    const auto rank = [&] { return at(draw_.below(static_cast<std::int64_t>(ranks_))); };
    Sent message{.postedNs = now,
                 .takesNs = 1 + draw_.below(20),
                 .source = rank(),
                 .target = rank(),
                 .sumsBefore = sums.size()};
    if (hostOf(message.source) == hostOf(message.target)) return;
    message.departsNs = cards_[hostOf(message.source)]->send(now, message.takesNs);
    message.place = cards_[hostOf(message.target)]->enter(message.departsNs, kLatencyNs, message.takesNs,
                                                          static_cast<int>(message.source));
    sent.push_back(message);
  }

  void take(Sent& message) {
    if (message.arrivesNs == 0) message.arrivesNs = cards_[hostOf(message.target)]->take(message.place);
    arrivedNs_ = std::max(arrivedNs_, message.arrivesNs);
  }

  /// Whoever waits may take what has reached the card, in any order.
  void takeSome(std::int64_t now) {
    std::vector<std::size_t> arrivals;
    for (std::size_t i = 0; i < sent.size(); ++i)
      if (sent[i].arrivesNs == 0 && sent[i].departsNs + kLatencyNs < now) arrivals.push_back(i);
    while (!arrivals.empty() && draw_.below(3) > 0) {
      const auto i = at(draw_.below(static_cast<std::int64_t>(arrivals.size())));
      take(sent[arrivals[i]]);
      arrivals.erase(arrivals.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  /// Ranks enter a sum when what they took has arrived.
  std::int64_t sum(std::int64_t now) {
    sums.push_back({std::max(now, arrivedNs_), 2 + 2 * draw_.below(8)});
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      cards_[hostOf(rank)]->sum(static_cast<std::int64_t>(sums.size()), sums.back().enteredNs,
                                sums.back().onWireNs);
    return sums.back().enteredNs;
  }

  Draw draw_;
  std::size_t ranksPerHost_, ranks_;
  std::vector<std::unique_ptr<HostCard>> cards_;
  std::int64_t arrivedNs_ = 0;
};

/// The definition, one nanosecond at a time: a side carries sums that are entered, and otherwise the first of
/// the messages that are there, as they departed.
std::vector<std::int64_t> arrivals(const Scene& scene, std::size_t host) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < scene.sent.size(); ++i)
    if (scene.hostOf(scene.sent[i].target) == host) order.push_back(i);
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return std::tuple(scene.sent[i].departsNs, scene.sent[i].source); });
  std::vector<std::int64_t> at(scene.sent.size(), 0);
  std::size_t sums = 0, served = 0;
  std::int64_t owedNs = 0, carriedNs = 0;
  for (std::int64_t now = 0; served < order.size(); ++now) {
    for (; sums < scene.sums.size() && scene.sums[sums].enteredNs <= now; ++sums)
      owedNs += scene.sums[sums].onWireNs;
    const Sent& message = scene.sent[order[served]];
    if (owedNs > 0) {
      --owedNs;
    } else if (message.departsNs + kLatencyNs <= now && ++carriedNs == message.takesNs) {
      at[order[served++]] = now + 1;
      carriedNs = 0;
    }
  }
  return at;
}

/// The outgoing side, by which what was posted before a sum goes before it.
std::vector<std::int64_t> departures(const Scene& scene, std::size_t host) {
  std::vector<std::int64_t> at(scene.sent.size(), 0);
  std::int64_t freeNs = 0;
  std::size_t sums = 0;
  for (std::size_t i = 0; i < scene.sent.size(); ++i) {
    if (scene.hostOf(scene.sent[i].source) != host) continue;
    for (; sums < scene.sent[i].sumsBefore; ++sums)
      freeNs = std::max(freeNs, scene.sums[sums].enteredNs) + scene.sums[sums].onWireNs;
    at[i] = std::max(freeNs, scene.sent[i].postedNs);
    freeNs = at[i] + scene.sent[i].takesNs;
  }
  return at;
}

}  // namespace

TEST_CASE("a card that ranks share serves messages as they departed, whoever takes them when",
          "[host card]") {
  const std::size_t hosts = GENERATE(2U, 3U), ranksPerHost = GENERATE(1U, 2U, 3U);
  const bool sums = GENERATE(false, true);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Scene scene(seed, hosts, ranksPerHost, sums);
    CAPTURE(hosts, ranksPerHost, sums, seed, scene.sent.size());
    REQUIRE(scene.sent.size() > 20);
    for (std::size_t host = 0; host < hosts; ++host) {
      const std::vector<std::int64_t> in = arrivals(scene, host), out = departures(scene, host);
      for (std::size_t i = 0; i < scene.sent.size(); ++i) {
        CAPTURE(i, host);
        if (scene.hostOf(scene.sent[i].target) == host) CHECK(scene.sent[i].arrivesNs == in[i]);
        if (scene.hostOf(scene.sent[i].source) == host) CHECK(scene.sent[i].departsNs == out[i]);
      }
    }
  }
}

TEST_CASE("a host of one rank has the card that the rank had", "[host card]") {
  const LinkModel model{8.0, kLatencyNs * 1e-3};  // 1 byte/ns
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Scene scene(seed, 3, 1, seed % 2 == 1);
    std::vector<Link> links(3, Link(model));
    std::vector<std::size_t> order;
    std::size_t sums = 0;
    const auto pass = [&](std::size_t upTo) {
      for (; sums < upTo; ++sums)
        for (Link& link : links) link.allReduce(scene.sums[sums].enteredNs, scene.sums[sums].onWireNs, 2);
    };
    for (std::size_t i = 0; i < scene.sent.size(); ++i) {
      const Sent& message = scene.sent[i];
      pass(message.sumsBefore);
      CHECK(links[message.source].send(message.postedNs, message.takesNs) == message.departsNs);
      order.push_back(i);
    }
    pass(scene.sums.size());
    std::ranges::stable_sort(
        order, {}, [&](std::size_t i) { return std::tuple(scene.sent[i].departsNs, scene.sent[i].source); });
    for (const std::size_t i : order)
      CHECK(links[scene.sent[i].target].receive(scene.sent[i].departsNs, scene.sent[i].takesNs) ==
            scene.sent[i].arrivesNs);
  }
}

TEST_CASE("places of a shared card are given back, and told when all are taken", "[host card]") {
  const auto card = std::make_unique<HostCard>();
  for (std::int64_t i = 0; i < HostCard::kPlaces; ++i) CHECK(card->enter(10 * i, 5, 10, 0) == i);
  CHECK(card->enter(1'000'000, 5, 10, 0) == HostCard::kNoPlace);
  CHECK(card->take(3) == 45);
  CHECK(card->take(1) == 25);  // served before it
  CHECK(card->enter(1'000'000, 5, 10, 0) == 1);
  CHECK(card->take(1) == 1'000'015);
}
