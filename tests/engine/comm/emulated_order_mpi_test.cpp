#include <catch2/catch.hpp>

#include "engine/base/clock.h"
#include "engine/comm/communicator.h"

using namespace halo;

TEST_CASE("an emulated link serves messages in the order of departure, not of the waits that copy them in",
          "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  const double stagingGbit = GENERATE(0.0, 0.1);
  comm.emulate({0.1, 500.0, stagingGbit});  // 12.5 bytes/µs, half a millisecond
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
    const std::span<Transfer> one = std::span(receives).subspan(i, 1);
    if (any)
      CHECK(comm.waitAny(one) == 0);
    else
      comm.waitAll(one);
  }
  comm.waitAll(sends);
  CHECK(in == out);
  std::vector<Span> arrivals;
  for (const Span& span : tracer.spans())
    if (span.lane == Lane::link) arrivals.push_back(span);
  REQUIRE(arrivals.size() == 2);
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
  comm.emulate({0.1, 500.0});  // 12.5 bytes/µs, half a millisecond
  constexpr Index kRows = 500;
  const auto bytes = kRows * static_cast<std::int64_t>(sizeof(Scalar));
  const std::int64_t begin = wallNs(), cpu = threadCpuNs();
  comm.barrier();
  std::vector<std::vector<Scalar>> rows(static_cast<std::size_t>(comm.size()),
                                        std::vector<Scalar>(kRows, static_cast<Scalar>(comm.rank())));
  std::vector<Transfer> transfers;
  for (int peer = 1; comm.rank() == 0 && peer < comm.size(); ++peer)
    transfers.push_back(comm.startReceive(peer, 6, rows[static_cast<std::size_t>(peer)], 1));
  if (comm.rank() > 0) transfers.push_back(comm.startSend(0, 6, std::span<const Scalar>(rows[0]), 1));
  if (comm.rank() > 0) {
    comm.waitAll(transfers);
    return;
  }
  int taken = 0;
  while (comm.waitAny(transfers) >= 0) {
    ++taken;
    // the receiving side passes one message after another
    CHECK(wallNs() - begin >= comm.link().latencyNs() + taken * comm.link().transferNs(bytes));
  }
  CHECK(taken == comm.size() - 1);
  CHECK(threadCpuNs() - cpu < wallNs() - begin);
  for (int peer = 1; peer < comm.size(); ++peer)
    CHECK(rows[static_cast<std::size_t>(peer)] == std::vector<Scalar>(kRows, static_cast<Scalar>(peer)));
}
