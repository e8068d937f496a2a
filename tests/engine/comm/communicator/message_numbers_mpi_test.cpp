#include "engine/record/trace/message_numbers.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/comm/communicator/awaited.h"
#include "engine/comm/communicator/communicator.h"
#include "tests/engine/comm/communicator/pass_around.h"

using namespace halo;

TEST_CASE("both ends of a message call it alike, and a wait names the one that ended it", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  const bool moved = GENERATE(false, true);
  if (moved)
    comm.keepMoving(Communicator::Moves::always);
  else
    comm.emulate(GENERATE(LinkModel{}, LinkModel{0.1, 300.0}, LinkModel{0.1, 300.0, 0.2},
                          LinkModel{0.1, 300.0, 0.2, 2}));
  for (int i = 0; i < 3; ++i) passAround(comm, 40, 2);
  const int left = (comm.rank() + comm.size() - 1) % comm.size(), right = (comm.rank() + 1) % comm.size();
  std::vector<std::int64_t> sent, received, awaited;
  std::int64_t copied = 0;
  for (const Span& span : tracer.spans()) {
    if (span.lane == Lane::message && span.name == Name::copied) ++copied;
    if (span.lane == Lane::message && span.name == Name::send) {
      sent.push_back(span.message);
      CHECK(span.peer == right);
      CHECK(isSent(span.message));
    }
    if (span.lane == Lane::link) {
      received.push_back(numberOfBoth(span.message));
      CHECK(span.peer == left);
      CHECK_FALSE(isSent(span.message));
    }
    if (span.lane == Lane::main && span.name == Name::wait) awaited.push_back(numberOfBoth(span.message));
  }
  std::vector<std::int64_t> both;
  for (const std::int64_t message : sent) both.push_back(numberOfBoth(message));
  // what one rank receives is what another sent, and all did alike
  CHECK(received == both);
  CHECK(awaited == both);
  CHECK(std::ranges::adjacent_find(both, std::ranges::greater_equal()) == both.end());
  CHECK((copied > 0) == comm.link().staged());
}

TEST_CASE("on an emulated link a wait names what it got, however long its own messages take to leave",
          "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  comm.emulate(GENERATE(LinkModel{0.01, 300.0}, LinkModel{0.01, 300.0, 0.2}, LinkModel{0.01, 300.0, 0, 1}));
  const int right = (comm.rank() + 1) % comm.size(), left = (comm.rank() + comm.size() - 1) % comm.size();
  constexpr std::size_t kShort = 10, kLong = 400;
  // what rank 0 sends leaves long after the short message has come that it waits for
  const auto lengthOf = [](int sender) { return sender == 0 ? kLong : kShort; };
  std::vector<Scalar> in(lengthOf(left)), out(lengthOf(comm.rank()));
  std::vector<Transfer> both;
  both.push_back(comm.startReceive(left, 5, in, 1));
  both.push_back(comm.startSend(right, 5, std::span<const Scalar>(out), 1));
  comm.waitAll(both);
  int waits = 0;
  for (const Span& span : tracer.spans()) {
    if (span.lane != Lane::main || span.name != Name::wait) continue;
    ++waits;
    CHECK(span.peer == left);
    CHECK_FALSE(isSent(span.message));
  }
  CHECK(waits == 1);
}

TEST_CASE("what ended a wait is what came last, and of what ended at once a message that came",
          "[communicator]") {
  std::vector<Transfer> all(4);
  for (const std::size_t i : {0U, 1U}) all[i].receives = true;
  const auto ended = [&](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    all[0].arrivedNs = a, all[1].arrivedNs = b, all[2].arrivedNs = c, all[3].arrivedNs = d;
    return &endOf(all) - all.data();
  };
  CHECK(ended(5, 9, 9, 9) == 1);
  CHECK(ended(9, 5, 9, 8) == 0);
  CHECK(ended(5, 6, 9, 7) == 2);
}
