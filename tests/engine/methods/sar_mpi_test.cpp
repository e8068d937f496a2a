// That sequential aggregation never holds more of the halo than its bound lets it, by where its messages
// stand. What it posts when stands among the tests of overlap; that it is exact among the identity tests.
#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/base/index.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"
#include "tests/support/mpi_calls.h"

using namespace halo;
using namespace halo::test;

namespace {

/// Bytes that these messages ever take of the memory, counting none twice.
std::int64_t placesOf(const std::vector<MpiCall>& calls) {
  std::vector<std::pair<const std::byte*, const std::byte*>> ranges;
  for (const MpiCall& call : calls) ranges.emplace_back(call.rows, call.rows + call.bytes);
  std::ranges::sort(ranges);
  std::int64_t bytes = 0;
  const std::byte* until = nullptr;
  for (const auto& [begin, end] : ranges) {
    if (end <= until) continue;
    bytes += end - (until == nullptr ? begin : std::max(begin, until));
    until = end;
  }
  return bytes;
}

/// Of the third epoch, when all buffers have their size.
struct Messages {
  std::vector<MpiCall> halo, boundary;  // others' rows and their gradients, own rows and theirs
};
bool carriesRows(const MpiCall& call) { return call.tag % 2 == 0; }
Messages messagesOf(Trained& t) {
  MpiCalls calls(t.tracer);
  for (int epoch = 0; epoch < 3; ++epoch) {
    calls.clear();
    t.method->runEpoch(epoch);
  }
  Messages messages;
  for (const MpiCall& call : calls.all()) {
    if (call.layer < 0 || call.peer < 0) continue;
    const bool comes = call.what == MpiCall::What::receive;
    (comes == carriesRows(call) ? messages.halo : messages.boundary).push_back(call);
  }
  return messages;
}

}  // namespace

TEST_CASE("sar never holds more of the halo than twice the largest part's rows, to the byte",
          "[sar][memory]") {
  for (const Dataset& set : hardGraphs())
    for (const auto& [kind, order] : {std::pair<std::string, std::string>{"gcn", "aggregate-first"},
                                      {"gcn", "update-first"},
                                      {"graphsage", "auto"},
                                      {"gin", "auto"},
                                      {"gat", "update-first"}}) {
      CAPTURE(set.name, kind, order);
      RunSettings run = settingsFor("sar", kind, 3, 8, 0.5);
      run.model.order = order;
      run.model.heads = 2;
      Trained t(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      const Messages messages = messagesOf(t);
      Index comes = 0, goes = 0, width = 0;  // the most rows of one part, and columns
      for (const HaloPeer& peer : t.share.graph.peers) {
        comes = std::max(comes, peer.receiveCount);
        goes = std::max(goes, static_cast<Index>(peer.sendRows.size()));
      }
      for (int l = 0; l < 3; ++l)
        width = std::max({width, t.model->layer(l).propagatedWidth(), t.model->layer(l).returnedWidth()});
      const Index rowBytes = width * static_cast<Index>(sizeof(Scalar));
      const std::int64_t halo = placesOf(messages.halo), boundary = placesOf(messages.boundary);
      CHECK(halo <= 2 * comes * rowBytes);
      CHECK(boundary <= 2 * goes * rowBytes);  // packed rows: a copy that the section leaves out
      CHECK(halo >= comes * rowBytes);
      // and nothing else is held for the exchange, but scores
      const Memory memory = t.method->memory();
      if (kind != "gat") CHECK(memory[at(MemoryOf::exchange)] == halo + boundary);
    }
}
