#include "engine/base/index.h"
#include "engine/comm/communicator/progress_engine.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <thread>

#include "engine/base/clock.h"
#include "engine/comm/communicator/communicator.h"

using namespace halo;

namespace {

struct Around {
  int rank = 0, size = 1, threads = MPI_THREAD_SINGLE;
  Around() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Query_thread(&threads);
  }
  /// Of the program's ctest entries one starts MPI for threads.
  bool alone() const { return size == 1 || threads < MPI_THREAD_SERIALIZED; }
  int right() const { return (rank + 1) % size; }
  int left() const { return (rank + size - 1) % size; }
};

std::vector<std::uint8_t> bytesOf(int rank, int tag, std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), static_cast<std::uint8_t>(31 * rank + 7 * tag));
  return bytes;
}

bool completed(ProgressEngine& engine, std::size_t message) {
  const auto lock = engine.lock();
  return engine.completedNs(message) != 0;
}

constexpr std::int64_t kPatienceNs = 30'000'000'000;  // for what is to come by itself, on any machine

constexpr std::size_t kChunk = FlowWindow::kChunk;

}  // namespace

TEST_CASE("messages of any length arrive whole while nobody calls MPI", "[moving]") {
  const Around around;
  if (around.alone()) return;
  const std::vector<std::size_t> sizes = {0, 1, kChunk - 1, kChunk, kChunk + 1, 40 * kChunk + 3};
  std::vector<std::vector<std::uint8_t>> out, in;
  std::vector<std::size_t> messages;
  ProgressEngine engine(MPI_COMM_WORLD);  // ends its messages as it ends
  {
    const auto lock = engine.lock();
    for (int tag = 0; tag < static_cast<int>(sizes.size()); ++tag) {
      const std::size_t size = sizes[at(tag)];
      auto& into = in.emplace_back(size);
      messages.push_back(engine.receive(around.left(), tag, into.data(), static_cast<std::int64_t>(size)));
      const auto& from = out.emplace_back(bytesOf(around.rank, tag, size));
      messages.push_back(engine.send(around.right(), tag, from.data(), static_cast<std::int64_t>(size)));
    }
  }
  // the engine's thread alone moves them
  const std::int64_t begin = wallNs();
  for (const std::size_t message : messages) {
    while (!completed(engine, message) && wallNs() - begin < kPatienceNs) std::this_thread::yield();
    REQUIRE(completed(engine, message));
  }
  const auto lock = engine.lock();
  for (const std::size_t message : messages) CHECK(engine.take(message) > 0);
  for (int tag = 0; tag < static_cast<int>(sizes.size()); ++tag)
    CHECK(in[at(tag)] == bytesOf(around.left(), tag, sizes[at(tag)]));
}

TEST_CASE("a sum round the ring is that of all ranks, the same bits on each, and passes what moves",
          "[moving]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const Around around;
  if (around.alone()) return;
  comm.keepMoving(Communicator::Moves::always);
  const std::vector<std::uint8_t> out = bytesOf(around.rank, 0, 30 * kChunk);
  std::vector<std::uint8_t> in(out.size());
  std::vector<Transfer> transfers;
  transfers.push_back(comm.startReceive(around.left(), 2, std::span(in)));
  transfers.push_back(comm.startSend(around.right(), 2, std::span<const std::uint8_t>(out)));
  const auto ranks = at(around.size);
  for (const std::size_t count : {std::size_t{1}, 1100 * ranks, 100'003 * ranks + ranks - 1}) {
    CAPTURE(count);
    std::vector<Scalar> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = static_cast<Scalar>((i % 1000) * 64 + at(around.rank));
    comm.sumGradients(values);
    const auto ofRanks = static_cast<Scalar>(around.size * (around.size - 1) / 2);
    bool right = true;
    for (std::size_t i = 0; i < count; ++i)
      right = right && values[i] == static_cast<Scalar>((i % 1000) * 64 * ranks) + ofRanks;
    CHECK(right);
  }
  std::vector<Scalar> thirds(5'000 * ranks, Scalar{1} / static_cast<Scalar>(3 + 7 * around.rank));
  comm.sumGradients(thirds);
  for (std::size_t part = 0; part < ranks; ++part) {  // summed in another order in each part
    const double sum = static_cast<double>(thirds[part * 5'000]);
    std::vector<double> all(ranks);
    const std::vector<std::int64_t> counts(ranks, 1);
    comm.gather(std::span(&sum, 1), all, counts);
    if (around.rank == 0) CHECK(std::ranges::count(all, sum) == around.size);
  }
  comm.waitAll(transfers);
  CHECK(in == bytesOf(around.left(), 0, out.size()));
}

TEST_CASE("messages of one tag are told apart by their order", "[moving]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const Around around;
  if (around.alone()) return;
  comm.keepMoving(Communicator::Moves::always);
  const std::vector<std::size_t> sizes = {3 * kChunk + 5, 1, kChunk, 2 * kChunk};
  std::vector<std::vector<std::uint8_t>> out, in;
  std::vector<Transfer> transfers;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    out.push_back(bytesOf(around.rank, static_cast<int>(i), sizes[i]));
    in.emplace_back(sizes[i]);
  }
  for (auto& into : in) transfers.push_back(comm.startReceive(around.left(), 5, std::span(into)));
  for (const auto& from : out)
    transfers.push_back(comm.startSend(around.right(), 5, std::span<const std::uint8_t>(from)));
  CHECK(comm.underWay() == static_cast<std::int64_t>(transfers.size()));
  std::vector<int> positions;
  for (int position = 0; position >= 0;) {
    position = comm.waitAny(std::span(transfers).first(sizes.size()));
    if (position >= 0) positions.push_back(position);
  }
  std::ranges::sort(positions);
  CHECK(positions == std::vector<int>{0, 1, 2, 3});
  comm.waitAll(std::span(transfers).subspan(sizes.size()));
  CHECK(comm.underWay() == 0);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    CHECK(in[i] == bytesOf(around.left(), static_cast<int>(i), sizes[i]));
}

TEST_CASE("a sum passes a message that nobody takes, of which few bytes are sent", "[moving]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const Around around;
  if (around.alone()) return;
  comm.keepMoving(Communicator::Moves::always);
  const std::size_t size = 100 * kChunk;
  const auto out = bytesOf(around.rank, 0, size);
  std::vector<std::uint8_t> in(size);
  std::vector<Transfer> transfers;
  transfers.push_back(comm.startSend(around.right(), 2, std::span<const std::uint8_t>(out)));
  std::vector<Scalar> gradients(1000, 1);
  comm.sumGradients(gradients);
  CHECK(gradients.front() == static_cast<Scalar>(around.size));
  CHECK(comm.onWire() <= FlowWindow::kLeast);
  comm.barrier();  // all have looked before anybody takes it
  transfers.push_back(comm.startReceive(around.left(), 2, std::span(in)));
  comm.waitAll(transfers);
  CHECK(in == bytesOf(around.left(), 0, size));
}

TEST_CASE("few bytes are on the wire while the engine trickles, and all leave at last", "[moving]") {
  const Around around;
  if (around.alone()) return;
  ProgressEngine engine(MPI_COMM_WORLD);
  const std::size_t size = 20 * kChunk;
  const auto out = bytesOf(around.rank, 0, size);
  std::vector<std::uint8_t> in(size);
  std::size_t sent = 0, received = 0;
  {
    const ProgressEngine::Trickle trickle(engine);
    {
      const auto lock = engine.lock();
      sent = engine.send(around.right(), 2, out.data(), static_cast<std::int64_t>(size));
      CHECK(engine.onWire() == 2 * FlowWindow::kChunk);
      received = engine.receive(around.left(), 2, in.data(), static_cast<std::int64_t>(size));
    }
    for (int turns = 0; turns < 100; ++turns) {
      const auto lock = engine.lock();
      CHECK(engine.turn() == MPI_SUCCESS);
    }
  }
  while (!completed(engine, sent) || !completed(engine, received)) std::this_thread::yield();
  CHECK(in == bytesOf(around.left(), 0, size));
}

TEST_CASE("from a gradient sum to the barrier after it few bytes follow those that were taken", "[moving]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const Around around;
  if (around.alone()) return;
  comm.keepMoving(Communicator::Moves::always);
  // no message of the first ones is a whole chunk: the window learns nothing of them, and stays the least one
  constexpr std::size_t kFirst = FlowWindow::kLeast / FlowWindow::kChunk, kShort = kChunk - 1;
  const auto first = bytesOf(around.rank, 0, kShort), then = bytesOf(around.rank, 1, 20 * kChunk);
  std::vector<std::vector<std::uint8_t>> inFirst(kFirst, std::vector<std::uint8_t>(kShort));
  std::vector<std::uint8_t> inThen(then.size());
  std::vector<Transfer> transfers;
  for (std::size_t i = 0; i < kFirst; ++i)
    transfers.push_back(comm.startSend(around.right(), 2, std::span<const std::uint8_t>(first)));
  transfers.push_back(comm.startSend(around.right(), 3, std::span<const std::uint8_t>(then)));
  CHECK(comm.onWire() == static_cast<std::int64_t>(kFirst * kShort));  // which nobody takes yet
  std::vector<Scalar> gradients(1000, 1);
  comm.sumGradients(gradients);
  for (auto& into : inFirst) transfers.push_back(comm.startReceive(around.left(), 2, std::span(into)));
  constexpr std::int64_t kTrickled = FlowWindow::kLeast / 4;
  const std::int64_t begin = wallNs();
  while (comm.onWire() != kTrickled && wallNs() - begin < kPatienceNs) std::this_thread::yield();
  CHECK(comm.onWire() == kTrickled);
  comm.barrier();
  CHECK(comm.onWire() == FlowWindow::kLeast);
  comm.barrier();  // all have looked before anybody takes it
  transfers.push_back(comm.startReceive(around.left(), 3, std::span(inThen)));
  comm.waitAll(transfers);
  for (const auto& in : inFirst) CHECK(in == bytesOf(around.left(), 0, kShort));
  CHECK(inThen == bytesOf(around.left(), 1, then.size()));
}

TEST_CASE("a message after a sum has the whole window", "[moving]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const Around around;
  if (around.alone()) return;
  comm.keepMoving(Communicator::Moves::always);
  std::vector<Scalar> gradients(1000, 1);
  comm.sumGradients(gradients);
  const auto out = bytesOf(around.rank, 0, 20 * kChunk);
  std::vector<std::uint8_t> in(out.size());
  std::vector<Transfer> transfers;
  transfers.push_back(comm.startSend(around.right(), 2, std::span<const std::uint8_t>(out)));
  CHECK(comm.onWire() == FlowWindow::kLeast);
  comm.barrier();  // nobody has taken it
  transfers.push_back(comm.startReceive(around.left(), 2, std::span(in)));
  comm.waitAll(transfers);
  CHECK(in == bytesOf(around.left(), 0, out.size()));
}

TEST_CASE("what a rank did while messages moved is no part of their time", "[moving]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const Around around;
  if (around.alone()) return;
  comm.keepMoving(Communicator::Moves::always);
  const auto out = bytesOf(around.rank, 0, 10 * kChunk);
  std::vector<std::uint8_t> in(out.size());
  std::vector<Transfer> transfers;
  transfers.push_back(comm.startReceive(around.left(), 2, std::span(in)));
  transfers.push_back(comm.startSend(around.right(), 2, std::span<const std::uint8_t>(out)));
  while (comm.onWire() > 0) std::this_thread::yield();
  comm.barrier();  // whatever anybody sent is there
  const std::int64_t moved = wallNs();
  tracer.clear();
  comm.waitAll(transfers);
  for (const Span& span : tracer.spans())
    if (span.lane == Lane::link) CHECK(span.endNs() <= moved);
}
