#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/comm/communicator/communicator.h"

using namespace halo;

TEST_CASE("an emulated link serves messages in the order of departure, not of the waits that copy them in",
          "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  const double stagingGbit = GENERATE(0.0, 0.1);
  comm.emulate({0.1, 500.0, stagingGbit, GENERATE(0, 1)});  // 12.5 bytes/µs, half a millisecond
  const bool any = GENERATE(false, true);
  CAPTURE(any);
  const int right = (comm.rank() + 1) % comm.size(), left = (comm.rank() + comm.size() - 1) % comm.size();
  constexpr std::size_t kRows[] = {300, 100};
  std::vector<std::vector<Scalar>> in, out;
  std::vector<Transfer> receives, sends;
  for (const std::size_t rows : kRows) {
    in.emplace_back(rows, Scalar{0});
    out.emplace_back(rows, static_cast<Scalar>(rows));
  }
  for (const std::size_t i : {0U, 1U})
    receives.push_back(comm.startReceive(left, static_cast<int>(7 + i), std::span(in[i]), 1));
  for (const std::size_t i : {0U, 1U})
    sends.push_back(comm.startSend(right, static_cast<int>(7 + i), std::span<const Scalar>(out[i]), 1));
  comm.barrier();
  for (const std::size_t i : {1U, 0U}) {
    const std::span<Transfer> receive = std::span(receives).subspan(i, 1);
    if (any)
      CHECK(comm.waitAny(receive) == 0);
    else
      comm.waitAll(receive);
  }
  comm.waitAll(sends);
  CHECK(in == out);
  std::vector<Span> arrivals;
  for (const Span& span : tracer.spans())
    if (span.lane == Lane::link) arrivals.push_back(span);
  CHECK(arrivals.size() == 2);
  if (arrivals.size() != 2) return;  // to the next round, where the other ranks will be
  const auto bytesOf = [](std::size_t rows) { return static_cast<std::int64_t>(rows * sizeof(Scalar)); };
  if (stagingGbit > 0) {  // the second, waited for first, is copied in first, and then the first
    CHECK(arrivals[0].bytes == bytesOf(kRows[1]));
    const std::int64_t copied = arrivals[1].beginNs + arrivals[1].durationNs;
    CHECK(copied >= arrivals[0].beginNs + arrivals[0].durationNs + comm.link().transferNs(bytesOf(kRows[0])));
    return;
  }
  // the sender's side is free for the second when the first has left it, and then so is the receiver's
  for (const Span& span : arrivals)
    CHECK(span.durationNs == comm.link().latencyNs() + comm.link().transferNs(span.bytes));
}

TEST_CASE("what several send at once over an emulated link is handed over as one after another",
          "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  comm.emulate({0.1, 20'000.0, 0, GENERATE(0, 1)});  // 12.5 bytes/µs, 20 ms
  constexpr Index kRows = 500;
  const auto bytes = kRows * static_cast<std::int64_t>(sizeof(Scalar));
  const std::int64_t begin = wallNs();
  comm.barrier();
  const std::int64_t met = wallNs(), cpu = threadCpuNs();
  std::vector<std::vector<Scalar>> rows(at(comm.size()),
                                        std::vector<Scalar>(kRows, static_cast<Scalar>(comm.rank())));
  std::vector<Transfer> transfers;
  for (int peer = 1; comm.rank() == 0 && peer < comm.size(); ++peer)
    transfers.push_back(comm.startReceive(peer, 6, rows[at(peer)], 1));
  if (comm.rank() > 0) transfers.push_back(comm.startSend(0, 6, std::span<const Scalar>(rows[0]), 1));
  if (comm.rank() > 0) {
    comm.waitAll(transfers);
    return;
  }
  int received = 0;
  while (comm.waitAny(transfers) >= 0) {
    ++received;
    // the receiving side passes one message after another
    CHECK(wallNs() - begin >= comm.link().latencyNs() + received * comm.link().transferNs(bytes));
  }
  CHECK(received == comm.size() - 1);
  CHECK(2 * (threadCpuNs() - cpu) < wallNs() - met);  // the core was free
  for (int peer = 1; peer < comm.size(); ++peer)
    CHECK(rows[at(peer)] == std::vector<Scalar>(kRows, static_cast<Scalar>(peer)));
}

TEST_CASE("a message that departs before the one that is waited for is served first, though it is sent later",
          "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() < 3) return;
  comm.emulate({0.1, 20'000.0, 0, GENERATE(0, 1)});  // 12.5 bytes/µs, 20 ms
  constexpr std::size_t kLong = 1'000'000 / sizeof(Scalar), kShort = 12'500 / sizeof(Scalar);  // 80 ms, 1 ms
  std::vector<Scalar> rows(kLong, static_cast<Scalar>(comm.rank())), in(kLong), first(kShort), second(kShort);
  const auto brief = std::span<const Scalar>(rows).first(kShort);
  std::vector<Transfer> transfers, other;
  if (comm.rank() == 0) {
    transfers.push_back(comm.startReceive(1, 3, std::span(first), 1));
    other.push_back(comm.startReceive(2, 4, std::span(second), 1));
  } else if (comm.rank() == 2) {
    transfers.push_back(comm.startReceive(1, 5, std::span(in).first(kShort), 1));
    other.push_back(comm.startReceive(1, 6, std::span(in), 1));
  }
  comm.barrier();
  if (comm.rank() == 1) {  // what is for rank 0 departs behind what is for rank 2
    transfers.push_back(comm.startSend(2, 5, brief, 1));
    transfers.push_back(comm.startSend(2, 6, std::span<const Scalar>(rows), 1));
    transfers.push_back(comm.startSend(0, 3, brief, 1));
  }
  comm.waitAll(transfers);
  // by now rank 0 waits for what has not departed from rank 1
  if (comm.rank() == 2) other.push_back(comm.startSend(0, 4, brief, 1));
  comm.waitAll(other);
  if (comm.rank() != 0) return;
  CHECK(first == std::vector<Scalar>(kShort, Scalar{1}));
  CHECK(second == std::vector<Scalar>(kShort, Scalar{2}));
  std::vector<Span> arrivals;
  for (const Span& span : tracer.spans())
    if (span.lane == Lane::link) arrivals.push_back(span);
  std::ranges::sort(arrivals, {}, &Span::beginNs);
  CHECK(arrivals.size() == 2);
  std::int64_t free = 0;
  for (const Span& span : arrivals) {
    free = std::max(span.beginNs + comm.link().latencyNs(), free) + comm.link().transferNs(span.bytes);
    CHECK(span.beginNs + span.durationNs == free);
  }
}
