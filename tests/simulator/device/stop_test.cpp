// Who wants to stop is heard within a bounded amount of work: counted in questions, not by the clock.
#include <catch2/catch.hpp>

#include "simulator/graph/pair_reduction.h"
#include "simulator/graph/reuse.h"
#include "tests/simulator/device.h"

using namespace halo;
using namespace halo::simtest;

namespace {

struct Stop {};

/// How often `work` asks; and that it ends at the first question that is answered by a stop.
template <class Work>
int questions(Work work) {
  int count = 0;
  work([&] { ++count; });
  for (const int last : {1, (count + 1) / 2, count}) {
    CAPTURE(count, last);
    int now = 0;
    CHECK_THROWS_AS(work([&] {
                      if (++now == last) throw Stop();
                    }),
                    Stop);
    CHECK(now == last);
  }
  return count;
}

/// Every row with every column.
Csr full(Index rows, Index columns) {
  Csr matrix;
  matrix.cols = columns;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) matrix.columns.push_back(static_cast<Vertex>(c));
    matrix.offsets.push_back(std::ssize(matrix.columns));
  }
  return matrix;
}

}  // namespace

TEST_CASE("AWB-GCN asks in every round of rebalancing and while it counts conflicts", "[simulator]") {
  DeviceSettings settings =
      mixgcn("awb-gcn", "papers100m",
             {{"pes", std::int64_t{256}}, {"distributor_nonzeros_per_cycle", std::int64_t{64}}});
  settings.level = "tile";
  const auto simulateAsking = [&](const std::function<void()>& ask) {
    (void)simulate(settings, library(), [&](const std::string&, double) { ask(); });
  };
  // 10 rounds, then nonzeros on 64 lines four times: a question each 2^20 lines
  CHECK(questions(simulateAsking) >= 10 + 4 * 2);
}

TEST_CASE("EnGN and the FPGA ask while batches and tiles are short or long", "[simulator]") {
  const Csr square = full(1000, 1000);  // a million nonzeros
  const auto questionsOf = [&](const char* device, const char* key, std::int64_t rows, const Csr* matrix,
                               Level level = Level::tile) {
    const Values figures = deviceFigures(device, {{key, rows}});
    return questions([&](const AskStop& ask) {
      Graph graph{matrix != nullptr ? matrix->rows() : 100'000,
                  matrix != nullptr ? matrix->nonzeros() : 1'000'000, 1, nullptr};
      if (matrix != nullptr) graph.matrix = matrix;
      graph.askStop = ask;
      (void)find<AcceleratorEntry>(device)->simulate(
          {figures, library(), graph, {{0, Pass::forward, 4, true}}, level});
    });
  };
  for (const std::int64_t rows : {1, 1000}) {
    CAPTURE(rows);
    CHECK(questionsOf("engn", "ring_elements", rows, &square) >= 3);  // one each 2^18 rows and nonzeros
  }
  const Csr small = full(300, 300);
  CHECK(questionsOf("fpga", "destination_rows", 10'000, &small, Level::cycle) >= 300 * 300 / (1 << 14));
  // one each 2^10 tiles of a row
  CHECK(questionsOf("engn", "ring_elements", 1, nullptr) == 100'000 / 1024);
  CHECK(questionsOf("fpga", "destination_rows", 1, nullptr) == 100'000 / 1024);
}

TEST_CASE("pairs of columns and reuse of rows are counted with questions in between", "[simulator]") {
  const Csr square = full(400, 400);
  CHECK(questions([&](const AskStop& ask) { (void)reducePairs(square, 1, 3, ask); }) >=
        400 * 400 * 400 / (1 << 22));
  const Csr wide = full(2100, 1000);
  const std::vector<Index> borders = {0, wide.rows()};
  CHECK(questions([&](const AskStop& ask) {
          (void)reuse(wide, borders, 1, RowAccess{}, {1e3, 1e4, 1e5}, 0.01, ask);
        }) >= 2);
}
