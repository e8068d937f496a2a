// A hybrid node over its accelerator cards.
#include <catch2/catch.hpp>

#include "tests/views/figures/compared_figures_fixture.h"

using namespace halo;

namespace {

/// A node with 1 to 16 cards, three times: features read, written and read again in host memory.
ComparedRuns platforms() {
  ComparedRuns runs;
  for (const int factor : {1, 2, 3})
    for (const int cards : {1, 4, 16}) {
      const double seeds = 100.0 * cards / factor;
      const std::int64_t id =
          runs.add("simulation", "platform", 7,
                   {{"seeds_per_second", seeds}, {"epoch_seconds", 1000 / seeds}, {"simulated_devices", 0}},
                   "simulated")
              .id;
      runs.data.parameters[id] = {{"simulate.kind", "\"platform\""},
                                  {"simulate.platform", "\"hyscale-u250\""},
                                  {"simulate.host_traffic_factor", std::to_string(factor)},
                                  {"platform.cards", std::to_string(cards)},
                                  {"result.batch", std::to_string(cards)},
                                  {"result.saturating_trainers", "12.0"}};
    }
  return runs;
}

}  // namespace

TEST_CASE("a hybrid node has a curve over its cards for each counting of host traffic", "[compared]") {
  const ComparedRuns runs = platforms();
  const Figure figure = figureOf("cards", runs);
  CHECK(figure.x.title == "accelerator cards of the node");
  CHECK(figure.y.title == "seeds trained a second");
  CHECK_FALSE(figure.x.logarithmic);
  CHECK_FALSE(figure.y.logarithmic);  // rings lie on straight lines
  CHECK(figure.x.places == std::vector<double>{1, 4, 16});
  REQUIRE(figure.series.size() == 3);
  CHECK(figure.series[0].name == "host_traffic_factor=1");
  CHECK(figure.series[2].name == "host_traffic_factor=3");
  CHECK(figure.series[0].y == std::vector<double>{100, 400, 1600});
  REQUIRE(figure.notes.size() == 3);  // where host memory is full; no curve is a rival of another
  CHECK(figure.notes[0].x == Approx(11));
  CHECK(figure.notes[0].text == "memory full at 11.0");
  CHECK(figureOf("cards", runs, "speedup").series[0].y == std::vector<double>{1, 4, 16});
  CHECK(figureOf("cards", runs, "epoch").y.label() == "epoch [s]");
  CHECK_FALSE(figureOf("cards", crossing()).emptyReason.isEmpty());
  CHECK(figureOf("scaling", runs).empty());  // no workers here
}
