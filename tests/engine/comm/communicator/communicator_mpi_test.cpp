#include "engine/base/index.h"
#include "engine/comm/communicator/communicator.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <type_traits>

#include "engine/base/clock.h"
#include "tests/engine/comm/communicator/pass_around.h"

using namespace halo;

namespace {

std::int64_t statusCalls = 0;        // of this rank
std::int64_t statusFailsAfter = -1;  // so many more succeed; < 0: all
bool handlerFails = false;

/// Waits for `transfers`, posted at `postedNs`, after much else was waited for: their times in transferNs are
/// those at which they were noticed, by the second of these waits, not those of their own.
void checkNoticedEarly(Communicator& comm, std::int64_t postedNs, std::span<Transfer> transfers) {
  std::vector<Scalar> gradients(100);
  comm.barrier();
  for (int i = 0; i < 2; ++i) comm.sumGradients(gradients);
  const std::int64_t noticed = wallNs();
  for (int i = 0; i < 5; ++i) comm.sumGradients(gradients);
  comm.takeFlows();
  comm.waitAll(transfers);
  std::int64_t took = 0;
  for (const Flow& flow : comm.takeFlows()) took += flow.transferNs;
  CHECK(took > 0);
  CHECK(took <= 2 * (noticed - postedNs));
}

}  // namespace

// MPI lets a program put its own functions before the library's; what is asked of MPI is counted so.
extern "C" int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  ++statusCalls;
  if (statusFailsAfter == 0) return MPI_ERR_OTHER;
  if (statusFailsAfter > 0) --statusFailsAfter;
  return PMPI_Request_get_status(request, flag, status);
}

extern "C" int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  return handlerFails ? MPI_ERR_OTHER : PMPI_Comm_set_errhandler(comm, handler);
}

TEST_CASE("rows arrive and are counted at their sender", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  tracer.setLayer(2, Pass::backward);
  const auto rows = passAround(comm, 5, 3);
  const int left = (comm.rank() + comm.size() - 1) % comm.size();
  CHECK(rows == std::vector<Scalar>(15, static_cast<Scalar>(left + 1)));
  const int right = (comm.rank() + 1) % comm.size();
  std::int64_t messages = 0, bytes = 0;
  for (const Flow& flow : comm.takeFlows()) {
    CHECK(flow.layer == 2);
    CHECK(flow.pass == Pass::backward);
    CHECK((flow.target == right || flow.target == left));
    messages += flow.target == right ? flow.messages : 0;
    bytes += flow.bytes;
  }
  CHECK(messages == 1);
  CHECK(bytes == 15 * static_cast<std::int64_t>(sizeof(Scalar)));
  CHECK(comm.takeFlows().empty());
  comm.setCounting(false);
  passAround(comm, 5, 3);
  CHECK(comm.takeFlows().empty());
}

TEST_CASE("every rank learns every rank's flag, and a byte to each other rank is counted", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  for (const LinkModel& link : {LinkModel{}, LinkModel{1.0, 10.0}, LinkModel{1.0, 10.0, 0, 2}}) {
    comm.emulate(link);
    const auto size = at(comm.size());
    std::vector<std::uint8_t> flags(size, 7), expected(size);
    for (std::size_t r = 0; r < size; ++r) expected[r] = r % 3 == 0 ? 1 : 0;
    flags[at(comm.rank())] = expected[at(comm.rank())];
    tracer.setLayer(1, Pass::forward);
    comm.shareFlags(flags);
    if (comm.size() == 1) continue;  // nobody to tell
    CHECK(flags == expected);
    const auto flows = comm.takeFlows();
    REQUIRE(flows.size() == 1);
    CHECK(flows[0].target == -1);
    CHECK(flows[0].layer == 1);
    CHECK(flows[0].messages == comm.size() - 1);
    CHECK(flows[0].bytes == comm.size() - 1);
  }
}

TEST_CASE("on an emulated link nothing is handed over before its time, and waiting leaves the core free",
          "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  comm.emulate({0.1, 20'000.0, 0, GENERATE(0, 1)});  // 12.5 bytes/µs, 20 ms
  const std::int64_t begin = wallNs();
  comm.barrier();  // every rank posts after every rank's `begin`
  const std::int64_t met = wallNs(), cpu = threadCpuNs();
  passAround(comm, 250, 1);  // 250 elements: at least 80 µs of bandwidth beside the latency
  const std::int64_t worked = threadCpuNs() - cpu, end = wallNs(), took = end - begin;
  const std::int64_t modelled =
      comm.link().latencyNs() + comm.link().transferNs(250 * static_cast<std::int64_t>(sizeof(Scalar)));
  CHECK(comm.min(took) >= modelled);
  CHECK(2 * worked < end - met);
  bool linkSpan = false;
  for (const Span& span : tracer.spans())
    linkSpan = linkSpan || (span.lane == Lane::link && span.durationNs >= modelled);
  CHECK(linkSpan);
}

TEST_CASE("what is under way on an emulated link waits while the link is stopped", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  comm.emulate({0.1, 100.0, 0, GENERATE(0, 1)});  // 12.5 bytes/µs
  const int next = (comm.rank() + 1) % comm.size(), before = (comm.rank() + comm.size() - 1) % comm.size();
  const std::vector<Scalar> sent(20'000, 1);
  std::vector<Scalar> arrives(sent.size());
  const auto bytes = static_cast<std::int64_t>(sent.size() * sizeof(Scalar));
  comm.stopLink();
  const std::int64_t begin = comm.startLink();
  Transfer both[] = {comm.startReceive(before, 1, arrives, 1), comm.startSend(next, 1, sent, 1)};
  const std::int64_t stopped = comm.max(comm.stopLink());  // the link runs until the last rank calls
  for (int i = 0; i < 50; ++i) passAround(comm, 2500, 1);  // six times as much, which takes the link no time
  const std::int64_t started = comm.startLink();
  comm.waitAll(both);
  const std::int64_t end = wallNs(), ran = (stopped - begin) + (end - started);
  CHECK(arrives == sent);
  CHECK(ran >= comm.link().transferNs(bytes) + comm.link().latencyNs());
  // the time of a transfer is the link's: that in which it stood is none of it
  std::int64_t transferNs = 0;
  for (const Flow& flow : comm.takeFlows())
    if (flow.target == before) transferNs += flow.transferNs;
  CHECK(transferNs > 0);
  // of two ranks each gets from whom it sends to; it may be the other that was late to look
  CHECK(transferNs <= 2 * comm.max(ran));
}

TEST_CASE("what is exposed of a communication is a part of it", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  comm.emulate(GENERATE(LinkModel{}, LinkModel{0.1, 300.0}, LinkModel{0.1, 300.0, 0, 2}));
  comm.barrier();
  std::size_t spansRead = 0;
  for (int i = 0; i < 3; ++i) {
    passAround(comm, 40, 2);
    std::int64_t waited = 0, waitBegan = 0, delivered = 0, total = 0;
    for (const Span& span : tracer.spans().subspan(spansRead)) {
      if (span.lane == Lane::link) delivered = std::max(delivered, span.endNs());
      if (span.lane != Lane::main || span.kind != Kind::communication) continue;
      waitBegan = span.beginNs;
      waited = span.durationNs;
    }
    spansRead = tracer.spans().size();
    for (const Flow& flow : comm.takeFlows()) total += flow.transferNs;
    CHECK(waited > 0);
    // a wait that finds all delivered exposes nothing: it lasts as long as the processor is another's
    if (delivered > waitBegan) CHECK(total >= waited);
  }
}

TEST_CASE("a transfer that is waited for late took as long as it travelled, not until its wait",
          "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  comm.emulate(GENERATE(LinkModel{}, LinkModel{8.0, 10.0}, LinkModel{8.0, 10.0, 0, 2}));
  std::vector<Scalar> out(20, Scalar{1}), in(20);
  const std::int64_t posted = wallNs();
  std::vector<Transfer> transfers;
  const int next = (comm.rank() + 1) % comm.size(), last = (comm.rank() + comm.size() - 1) % comm.size();
  transfers.push_back(comm.startReceive(last, 5, std::span(in), Index{1}));
  transfers.push_back(comm.startSend(next, 5, std::span<const Scalar>(out), Index{1}));
  checkNoticedEarly(comm, posted, transfers);
}

TEST_CASE("looking after what nobody waits for costs no more calls the more messages are under way",
          "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  const bool emulated = GENERATE(false, true);
  CAPTURE(emulated);
  if (emulated) comm.emulate({1000.0, 0.0});
  const int right = (comm.rank() + 1) % comm.size(), left = (comm.rank() + comm.size() - 1) % comm.size();
  for (const std::size_t messages : {8U, 64U, 512U}) {
    CAPTURE(messages);
    std::vector<Scalar> out(messages, 1), in(messages, 0);
    std::vector<std::vector<Transfer>> receives(messages), sends(messages);
    comm.barrier();
    for (std::size_t m = 0; m < messages; ++m)
      receives[m].push_back(comm.startReceive(left, 3, std::span(in).subspan(m, 1), Index{1}));
    const std::int64_t before = statusCalls;
    for (std::size_t m = 0; m < messages; ++m) {
      sends[m].push_back(comm.startSend(right, 3, std::span<const Scalar>(out).subspan(m, 1), Index{1}));
      comm.waitAll(receives[m]);
    }
    for (auto& each : sends) comm.waitAll(each);
    // each once when it is done, and at each of the waits one receive and one send that are not
    const std::size_t ofMessages = 2 * messages + 2 * 2 * messages;
    // each stamp of a receive once when it is here, and at each of the waits for one another that is not
    const std::size_t ofStamps = emulated ? messages + messages : 0;
    CHECK(statusCalls - before <= static_cast<std::int64_t>(ofMessages + ofStamps));
    CHECK(comm.underWay() == 0);
  }
}

TEST_CASE("a transfer is taken once: there is no copy of it, and no wait finds it again", "[communicator]") {
  CHECK_FALSE(std::is_copy_constructible_v<Transfer>);
  CHECK_FALSE(std::is_copy_assignable_v<Transfer>);
  CHECK(std::is_nothrow_move_constructible_v<Transfer>);
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  comm.emulate(GENERATE(LinkModel{}, LinkModel{1.0, 10.0}, LinkModel{1.0, 10.0, 0, 2}));
  const int right = (comm.rank() + 1) % comm.size(), left = (comm.rank() + comm.size() - 1) % comm.size();
  std::vector<Scalar> out(1, 1), in(1, 0);
  std::vector<Transfer> receives, sends;
  receives.push_back(comm.startReceive(left, 7, std::span(in), 1));
  sends.push_back(comm.startSend(right, 7, std::span<const Scalar>(out), 1));
  comm.waitAll(receives);
  CHECK(comm.waitAny(receives) == -1);
  comm.waitAll(sends);
  CHECK(comm.underWay() == 0);
  CHECK(in == out);
}

TEST_CASE("an error of MPI while transfers or stamps are looked for is told, and nothing is half taken",
          "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  comm.emulate({1.0, 10.0});
  const int looks = GENERATE(0, 4);  // 4: of the transfers; the next one is of `second`'s stamp
  CAPTURE(looks);
  const int right = (comm.rank() + 1) % comm.size(), left = (comm.rank() + comm.size() - 1) % comm.size();
  std::vector<Scalar> out(1, 1), in(2, 0), gradients(3, 1);
  std::vector<Transfer> first, second, sends;
  first.push_back(comm.startReceive(left, 7, std::span(in).first(1), 1));
  second.push_back(comm.startReceive(left, 8, std::span(in).last(1), 1));
  for (const int tag : {7, 8}) sends.push_back(comm.startSend(right, tag, std::span<const Scalar>(out), 1));
  statusFailsAfter = looks;
  CHECK_THROWS_AS(comm.waitAll(first), std::runtime_error);
  if (looks == 0) {
    CHECK_THROWS_AS(comm.waitAny(first), std::runtime_error);
    CHECK_THROWS_AS(comm.sumGradients(gradients), std::runtime_error);
  }
  statusFailsAfter = -1;
  if (looks == 0) comm.waitAll(first);
  comm.waitAll(second);
  comm.waitAll(sends);
  CHECK(in == std::vector<Scalar>(2, 1));
  CHECK(gradients == std::vector<Scalar>(3, 1));
  CHECK(comm.underWay() == 0);
}

TEST_CASE("an error of one of several transfers is told in its own words", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  const int right = (comm.rank() + 1) % comm.size(), left = (comm.rank() + comm.size() - 1) % comm.size();
  std::vector<Scalar> out(3, 1), in(3, 0);
  std::vector<Transfer> receives, sends;
  receives.push_back(comm.startReceive(left, 7, std::span(in).first(1), 1));
  receives.push_back(comm.startReceive(left, 8, std::span(in).last(2), 1));
  sends.push_back(comm.startSend(right, 7, std::span<const Scalar>(out).first(1), 1));
  sends.push_back(comm.startSend(right, 8, std::span<const Scalar>(out), 1));  // longer than what is expected
  comm.waitAll(sends);
  CHECK_THROWS_WITH(comm.waitAll(receives), Catch::Contains("truncated"));
}

TEST_CASE("an error of MPI when the communicator is made is told", "[communicator]") {
  Tracer tracer;
  handlerFails = true;
  CHECK_THROWS_AS(Communicator(MPI_COMM_WORLD, tracer), std::runtime_error);
  handlerFails = false;
}

TEST_CASE("a completion is noticed though an older message of another tag is still under way",
          "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  const int right = (comm.rank() + 1) % comm.size(), left = (comm.rank() + comm.size() - 1) % comm.size();
  std::vector<Scalar> out(1, 1), in(2, 0);
  std::vector<Transfer> late, transfers;
  const std::int64_t posted = wallNs();
  late.push_back(comm.startReceive(left, 4, std::span(in).first(1), Index{1}));
  transfers.push_back(comm.startReceive(left, 5, std::span(in).last(1), Index{1}));
  transfers.push_back(comm.startSend(right, 5, std::span<const Scalar>(out), Index{1}));
  checkNoticedEarly(comm, posted, transfers);
  late.push_back(comm.startSend(right, 4, std::span<const Scalar>(out), Index{1}));
  comm.waitAll(late);
  CHECK(in == std::vector<Scalar>(2, 1));
}

TEST_CASE("the parameters of codes are a part of the bytes sent", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  if (comm.size() == 1) return;
  tracer.setLayer(0, Pass::forward);
  passAround(comm, 10, 1);
  const int next = (comm.rank() + 1) % comm.size();
  comm.countParameters(next, 12);
  std::int64_t parameters = 0, bytes = 0;
  for (const Flow& flow : comm.takeFlows()) {
    CHECK((flow.quantiseBytes == 0 || flow.target == next));
    parameters += flow.quantiseBytes;
    bytes += flow.bytes;
  }
  CHECK(parameters == 12);
  CHECK(bytes == 10 * static_cast<std::int64_t>(sizeof(Scalar)));
}

TEST_CASE("gradients are summed to the same bits everywhere and counted as a ring", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  std::vector<Scalar> values(1001);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<Scalar>(1.0 / (1.0 + static_cast<double>(i) + comm.rank()));
  comm.sumGradients(values);
  std::uint64_t mixed = 0;
  for (const Scalar v : values) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &v, sizeof v);
    mixed = mixed * 31 + bits;
  }
  const auto hash = static_cast<std::int64_t>(mixed >> 1);
  CHECK(comm.min(hash) == comm.max(hash));
  std::int64_t bytes = 0;
  for (const Flow& flow : comm.takeFlows()) bytes += flow.bytes;
  CHECK(comm.sum(bytes) == 2 * (comm.size() - 1) * 1001 * static_cast<std::int64_t>(sizeof(Scalar)));
}

TEST_CASE("ranks of one host share a clock", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const auto offset = comm.clockOffset();
  CHECK(offset.offsetNs == 0);
  CHECK(offset.uncertaintyNs == 0);
  CHECK(comm.ranksOnThisHost() == comm.size());
}

TEST_CASE("bytes are gathered by rank, empty ones too", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  const auto all = comm.gather(std::string(at(comm.rank()) * 1000, 'a'));
  if (comm.rank() == 0) {
    CHECK(all.size() == at(comm.size()));
    for (std::size_t r = 0; r < all.size(); ++r) CHECK(all[r].size() == r * 1000);
  } else {
    CHECK(all.empty());
  }
}

TEST_CASE("of several receives the first to arrive is taken, whatever its place", "[communicator]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  comm.emulate(GENERATE(LinkModel{}, LinkModel{1.0, 50.0}, LinkModel{1.0, 50.0, 0, 2}));
  // Rank r sends once rank r + 1's rows were taken, so they arrive from the last rank down to rank 1.
  if (comm.rank() > 0) {
    if (comm.rank() + 1 < comm.size()) CHECK(comm.receiveBytes(0) == "now");
    const std::vector<Scalar> rows(6, static_cast<Scalar>(comm.rank()));
    std::vector<Transfer> sent;
    sent.push_back(comm.startSend(0, 5, std::span<const Scalar>(rows), 3));
    comm.waitAll(sent);
    CHECK(comm.underWay() == 0);
    return;
  }
  std::vector<std::vector<Scalar>> rows(at(comm.size() - 1), std::vector<Scalar>(6, 0));
  std::vector<Transfer> receives;
  for (int peer = 1; peer < comm.size(); ++peer)
    receives.push_back(comm.startReceive(peer, 5, rows[at(peer - 1)], 3));
  for (int peer = comm.size() - 1; peer > 0; --peer) {
    CHECK(comm.waitAny(receives) == peer - 1);
    CHECK(rows[at(peer - 1)] == std::vector<Scalar>(6, static_cast<Scalar>(peer)));
    if (peer > 1) comm.sendBytes(peer - 1, "now");
  }
  CHECK(comm.waitAny(receives) == -1);
  CHECK(comm.underWay() == 0);
  std::int64_t waits = 0, arrivals = 0, arrived = 0;
  for (const Span& span : tracer.spans()) {
    if (span.lane == Lane::main && span.name == Name::wait) ++waits;
    if (span.lane == Lane::link && span.name == Name::receive) {
      ++arrivals;
      arrived += span.bytes;
    }
  }
  CHECK(waits == comm.size() - 1);
  CHECK(arrivals == comm.size() - 1);
  CHECK(arrived == (comm.size() - 1) * 6 * static_cast<std::int64_t>(sizeof(Scalar)));
}
