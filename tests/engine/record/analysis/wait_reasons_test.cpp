#include "engine/record/analysis/wait_reasons.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "engine/base/philox.h"
#include "engine/record/tables/waiting.h"
#include "engine/record/trace/message_numbers.h"

using namespace halo;

namespace {

constexpr std::int64_t kSent = 1, kReceived = 0;  // the lowest bit of a message's number

Span spanOf(Lane lane, Name name, Kind kind, std::int64_t begin, std::int64_t end) {
  Span span;
  span.beginNs = begin;
  span.durationNs = end - begin;
  span.lane = lane;
  span.name = name;
  span.kind = kind;
  span.epoch = 0;
  return span;
}

Span ofMessage(Span span, std::int32_t peer, std::int64_t message) {
  span.peer = peer;
  span.message = message;
  return span;
}

Span epochOf(std::int64_t begin, std::int64_t end) {
  return spanOf(Lane::phase, Name::epoch, Kind::other, begin, end);
}

std::vector<WorkerRow> workersOf(int count, std::int64_t uncertaintyNs = 0) {
  std::vector<WorkerRow> workers(static_cast<std::size_t>(count));
  for (int rank = 0; rank < count; ++rank) {
    workers[static_cast<std::size_t>(rank)].rank = rank;
    workers[static_cast<std::size_t>(rank)].clockUncertaintyNs = uncertaintyNs;
  }
  return workers;
}

/// Two ranks; rank 0 sends one message of number 0, rank 1 waits for it.
struct Scene {
  std::vector<Span> sender, receiver;
  bool emulated = false;
  std::int64_t uncertaintyNs = 0;

  std::map<Name, std::int64_t> reasons(std::int64_t rank = 1) const {
    WaitReasons reasons(0, emulated, workersOf(2, uncertaintyNs));
    reasons.add(0, sender);
    reasons.add(1, receiver);
    std::map<Name, std::int64_t> sums;
    for (const WaitReasons::Judged& judged : reasons.takeRest())
      if (judged.rank == rank)
        for (const Span& piece : judged.pieces) sums[piece.name] += piece.durationNs;
    return sums;
  }
};

/// The definition, nanosecond by nanosecond, of what a receiver waits for. `at` is before blurring.
class SlowReasons {
 public:
  explicit SlowReasons(const Scene& scene) : scene_(scene) {}

  std::map<Name, std::int64_t> sums(std::int64_t begin, std::int64_t end) const {
    std::map<Name, std::int64_t> sums;
    for (std::int64_t t = begin; t < end; ++t) ++sums[blurred(t)];
    return sums;
  }

 private:
  std::optional<Span> find(const std::vector<Span>& spans, Lane lane, Name name) const {
    for (const Span& span : spans)
      if (span.lane == lane && span.name == name) return span;
    return std::nullopt;
  }
  static bool on(const std::optional<Span>& span, std::int64_t t) {
    return span && span->beginNs <= t && t < span->endNs();
  }
  std::optional<Name> working(std::int64_t t) const {
    for (const Span& span : scene_.sender)
      if (span.lane == Lane::main && on(span, t)) {
        if (span.kind == Kind::compute) return Name::waitsPeerComputes;
        if (span.kind == Kind::quantise) return Name::waitsQuantiser;
      }
    return std::nullopt;
  }
  Name at(std::int64_t t) const {
    const auto sent = find(scene_.sender, Lane::message, Name::send);
    const auto came = find(scene_.receiver, Lane::link, Name::receive);
    if (!sent || !came) return Name::waitsUnknown;
    if (t >= came->endNs()) return scene_.emulated && working(t) ? *working(t) : Name::waitsUnknown;
    if (t < sent->beginNs) return working(t).value_or(Name::waitsLateSender);
    for (const auto* side : {&scene_.sender, &scene_.receiver})
      if (on(find(*side, Lane::message, Name::copied), t)) return Name::waitsMemory;
    for (const auto* side : {&scene_.sender, &scene_.receiver})
      if (on(find(*side, Lane::message, Name::queued), t)) return Name::waitsQueue;
    return scene_.emulated && t < came->beginNs ? Name::waitsQueue : Name::waitsWire;
  }
  /// Told by the receiver's own clock.
  bool own(std::int64_t t) const {
    const auto came = find(scene_.receiver, Lane::link, Name::receive);
    if (came && t == came->endNs()) return true;
    for (const Name name : {Name::queued, Name::copied})
      if (const auto span = find(scene_.receiver, Lane::message, name))
        if (span->durationNs > 0 && (t == span->beginNs || t == span->endNs())) return true;
    return false;
  }
  Name blurred(std::int64_t t) const {
    const std::int64_t off = 2 * scene_.uncertaintyNs;
    for (std::int64_t x = t - off + 1; x <= t + off; ++x)
      if (off > 0 && at(x - 1) != at(x) && !own(x)) return Name::waitsUnknown;
    return at(t);
  }
  const Scene& scene_;
};

Scene randomScene(PhiloxStream& random) {
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n)));
  };
  Scene scene;
  scene.emulated = below(2) == 1;
  scene.uncertaintyNs = below(3);
  for (std::int64_t at = below(10); at < 90;) {  // a rank does one thing at a time
    const std::int64_t end = at + 1 + below(20);
    constexpr Kind kKindsOfWork[] = {Kind::compute, Kind::quantise, Kind::other};
    scene.sender.push_back(spanOf(Lane::main, Name::update, kKindsOfWork[below(3)], at, end));
    at = end + below(6);
  }
  const auto message = [&](std::vector<Span>& side, Lane lane, Name name, std::int64_t parity) {
    if (below(8) == 0) return;
    const std::int64_t begin = below(80);
    side.push_back(ofMessage(spanOf(lane, name, Kind::communication, begin, begin + below(30)),
                             &side == &scene.sender ? 1 : 0, parity));
  };
  message(scene.sender, Lane::message, Name::send, kSent);
  message(scene.sender, Lane::message, Name::queued, kSent);
  message(scene.sender, Lane::message, Name::copied, kSent);
  message(scene.receiver, Lane::message, Name::queued, kReceived);
  message(scene.receiver, Lane::message, Name::copied, kReceived);
  message(scene.receiver, Lane::link, Name::receive, kReceived);
  scene.receiver.push_back(ofMessage(
      spanOf(Lane::main, Name::wait, Kind::communication, below(40), 40 + below(70)), 0, kReceived));
  return scene;
}

}  // namespace

TEST_CASE("the reasons of a wait agree with their definition and tile it", "[record]") {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    PhiloxStream random(seed, Purpose::generate, 0);
    const Scene scene = randomScene(random);
    const Span& wait = scene.receiver.back();
    std::map<Name, std::int64_t> expected = SlowReasons(scene).sums(wait.beginNs, wait.endNs());
    CAPTURE(seed, scene.emulated, scene.uncertaintyNs);
    REQUIRE(scene.reasons() == expected);
  }
}

TEST_CASE("a message that is waited for is late, queued, on the wire and awaited no longer, in this order",
          "[record]") {
  Scene scene;
  scene.sender = {spanOf(Lane::main, Name::update, Kind::compute, 0, 100),
                  spanOf(Lane::main, Name::encode, Kind::quantise, 100, 130),
                  ofMessage(spanOf(Lane::message, Name::send, Kind::communication, 150, 152), 1, kSent),
                  ofMessage(spanOf(Lane::message, Name::queued, Kind::communication, 150, 200), 1, kSent)};
  scene.receiver = {ofMessage(spanOf(Lane::link, Name::receive, Kind::communication, 20, 300), 0, kReceived),
                    ofMessage(spanOf(Lane::main, Name::wait, Kind::communication, 50, 310), 0, kReceived)};
  CHECK(scene.reasons() == std::map<Name, std::int64_t>{{Name::waitsPeerComputes, 50},
                                                        {Name::waitsQuantiser, 30},
                                                        {Name::waitsLateSender, 20},
                                                        {Name::waitsQueue, 50},
                                                        {Name::waitsWire, 100},
                                                        {Name::waitsUnknown, 10}});
}

TEST_CASE("a change of the other host is not sure to be outside a wait that begins just after it",
          "[record]") {
  Scene scene;
  scene.uncertaintyNs = 5;
  scene.sender = {spanOf(Lane::main, Name::update, Kind::compute, 0, 96),
                  ofMessage(spanOf(Lane::message, Name::send, Kind::communication, 96, 97), 1, kSent)};
  scene.receiver = {ofMessage(spanOf(Lane::link, Name::receive, Kind::communication, 20, 200), 0, kReceived),
                    ofMessage(spanOf(Lane::main, Name::wait, Kind::communication, 100, 200), 0, kReceived)};
  CHECK(scene.reasons() == std::map<Name, std::int64_t>{{Name::waitsUnknown, 6}, {Name::waitsWire, 94}});
}

TEST_CASE("a sender waits for a late receiver, and where all meet they wait for the meeting", "[record]") {
  Scene scene;
  scene.sender = {ofMessage(spanOf(Lane::message, Name::send, Kind::communication, 0, 1), 1, kSent),
                  ofMessage(spanOf(Lane::main, Name::wait, Kind::communication, 1, 90), 1, kSent),
                  spanOf(Lane::main, Name::allReduce, Kind::synchronise, 100, 107),
                  spanOf(Lane::main, Name::collective, Kind::communication, 110, 111)};
  scene.receiver = {ofMessage(spanOf(Lane::link, Name::receive, Kind::communication, 60, 90), 0, kReceived)};
  CHECK(scene.reasons(0) == std::map<Name, std::int64_t>{{Name::waitsLateReceiver, 59},
                                                         {Name::waitsWire, 30},
                                                         {Name::waitsBarrierOrSum, 8}});
}

TEST_CASE("what MPI does beneath an emulated link waits for the rank that computes", "[record]") {
  Scene scene;
  scene.emulated = true;
  scene.sender = {ofMessage(spanOf(Lane::message, Name::send, Kind::communication, 0, 1), 1, kSent),
                  spanOf(Lane::main, Name::update, Kind::compute, 10, 60),
                  ofMessage(spanOf(Lane::main, Name::wait, Kind::communication, 60, 95), 1, kSent)};
  scene.receiver = {ofMessage(spanOf(Lane::link, Name::receive, Kind::communication, 2, 20), 0, kReceived),
                    ofMessage(spanOf(Lane::main, Name::wait, Kind::communication, 5, 70), 0, kReceived),
                    spanOf(Lane::main, Name::update, Kind::compute, 70, 90)};
  CHECK(scene.reasons(1) == std::map<Name, std::int64_t>{{Name::waitsWire, 15},
                                                         {Name::waitsPeerComputes, 40},
                                                         {Name::waitsUnknown, 10}});
  CHECK(scene.reasons(0) ==
        std::map<Name, std::int64_t>{{Name::waitsLateReceiver, 20}, {Name::waitsUnknown, 15}});
}

TEST_CASE("messages of one tag are told apart by their count, of several by their tags", "[record]") {
  MessageNumbers numbers;
  const std::int64_t first = numbers.next(1, 5, true), second = numbers.next(1, 5, true);
  MessageNumbers others;
  CHECK(numberOfBoth(others.next(0, 5, false)) == numberOfBoth(first));
  CHECK(numberOfBoth(others.next(0, 5, false)) == numberOfBoth(second));
  CHECK(first != second);
  CHECK(numberOfBoth(numbers.next(1, 6, true)) != numberOfBoth(first));
  CHECK(isSent(first));
  CHECK_FALSE(isSent(others.next(0, 5, false)));
}

TEST_CASE("an epoch is judged once its late messages have come, once, and what is left at the end",
          "[record]") {
  constexpr std::int64_t kLate = 1;
  WaitReasons reasons(kLate, false, workersOf(2));
  const auto add = [&](std::int32_t epoch) {
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      const std::int64_t begin = epoch * 100;
      std::vector<Span> spans = {spanOf(Lane::main, Name::allReduce, Kind::synchronise, begin, begin + 5),
                                 epochOf(begin, begin + 90)};
      for (Span& span : spans) span.epoch = epoch;
      reasons.add(rank, spans);
    }
    return reasons.take();
  };
  CHECK(add(0).empty());
  for (std::int32_t epoch = 1; epoch < 4; ++epoch) {
    const auto judged = add(epoch);
    REQUIRE(judged.size() == 2);
    CHECK(judged[0].epoch == epoch - 1);
    CHECK(judged[1].rank == 1);
    CHECK(judged[1].pieces.at(0).lane == Lane::wait);
  }
  CHECK(reasons.takeRest().size() == 2);
  CHECK(reasons.takeRest().empty());
}

TEST_CASE("shares of waiting are of the epochs that are timed, and the exposed one is wire and queue",
          "[record]") {
  WaitShares shares(2);
  EpochRow first, second, filling;
  first.wallNs = 1000, second.epoch = 1, second.wallNs = 3000;
  filling.epoch = 2, filling.wallNs = 9000, filling.filling = true;
  for (const EpochRow& epoch : {first, second, filling}) shares.add(epoch);
  CHECK(shares.metrics().empty());
  for (std::int64_t epoch = 0; epoch < 3; ++epoch)
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      WaitRow row;
      row.epoch = epoch, row.rank = rank;
      row.reasonNs[reasonIndex(Name::waitsWire)] = 100;
      row.reasonNs[reasonIndex(Name::waitsQueue)] = 50;
      row.reasonNs[reasonIndex(Name::waitsUnknown)] = 10;
      shares.add(std::span(&row, 1));
    }
  const auto metrics = shares.metrics();
  CHECK(metrics.at("wait_share") == Approx(4 * 160 / 8000.0));
  CHECK(metrics.at("exposed_share") == Approx(4 * 150 / 8000.0));
  CHECK(metrics.at("wait_late_sender_share") == 0);
  CHECK(metrics.size() == kReasons + 2);
}

TEST_CASE("waits that are judged while their epoch goes on are judged as at its end", "[record]") {
  constexpr std::int64_t kMessages = 200, kEvery = 10, kEachNs = 1000;
  const auto sent = [](std::int64_t i) {
    const std::int64_t at = i * kEachNs;
    return std::vector{spanOf(Lane::main, Name::aggregate, Kind::compute, at, at + 300),
                       ofMessage(spanOf(Lane::message, Name::send, Kind::communication, at + 310, at + 310),
                                 1, i << 16 | kSent)};
  };
  const auto received = [](std::int64_t i) {
    const std::int64_t at = i * kEachNs;
    return std::vector{ofMessage(spanOf(Lane::link, Name::receive, Kind::communication, at + 310, at + 600),
                                 0, i << 16 | kReceived),
                       ofMessage(spanOf(Lane::main, Name::wait, Kind::communication, at + 100, at + 600), 0,
                                 i << 16 | kReceived)};
  };
  WaitReasons atEnd(0, false, workersOf(2)), onTheWay(0, false, workersOf(2));
  std::vector<Span> expected, actual;
  std::size_t beforeEnd = 0;
  const auto keep = [](const std::vector<WaitReasons::Judged>& all, std::vector<Span>& pieces) {
    for (const WaitReasons::Judged& judged : all)
      pieces.insert(pieces.end(), judged.pieces.begin(), judged.pieces.end());
  };
  for (std::int64_t i = 0; i < kMessages; ++i) {
    for (WaitReasons* reasons : {&atEnd, &onTheWay}) {
      reasons->add(0, sent(i));
      // the receiver tells of every fifth one after the others have met
      if (i % 5 != 4) reasons->add(1, received(i));
    }
    if (i % kEvery == kEvery - 1) keep(onTheWay.takeMet(), actual);
    for (WaitReasons* reasons : {&atEnd, &onTheWay})
      if (i % 5 == 4) reasons->add(1, received(i));
  }
  beforeEnd = actual.size();
  const std::vector<Span> epoch = {epochOf(0, kMessages * kEachNs)};
  for (WaitReasons* reasons : {&atEnd, &onTheWay})
    for (const std::int64_t rank : {0, 1}) reasons->add(rank, epoch);
  keep(atEnd.take(), expected);
  keep(onTheWay.take(), actual);
  std::ranges::stable_sort(actual, {}, &Span::beginNs);
  CHECK(actual == expected);
  CHECK(actual.size() == 3 * kMessages);  // peer computes, late sender, wire
  CHECK(beforeEnd > 2 * kMessages);
}
