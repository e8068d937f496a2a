// Widths of codes by group and round (AdaQP) against trying all of them.
#include "engine/methods/choices/bit_assignment.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "engine/base/philox.h"

using namespace halo;

namespace {

std::vector<WidthMessage> randomMessages(int parts, int groups, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 1);
  std::vector<WidthMessage> messages;
  for (int i = 0; i < parts; ++i)
    for (int j = 0; j < parts; ++j) {
      if (i == j) continue;
      WidthMessage message{i, j, 16, {}};
      for (int g = 0; g < groups; ++g)
        message.groups.push_back({1 + static_cast<std::int64_t>(random.below(20)), random.uniform()});
      messages.push_back(message);
    }
  return messages;
}

std::vector<std::uint8_t*> every(GroupWidths& widths) {
  std::vector<std::uint8_t*> all;
  for (auto& message : widths)
    for (std::uint8_t& width : message) all.push_back(&width);
  return all;
}

double cheapest(const std::vector<WidthMessage>& messages, int parts, double tradeOff) {
  GroupWidths widths = assignWidths(messages, parts, 0);
  const auto all = every(widths);
  double best = std::numeric_limits<double>::infinity();
  for (;;) {
    best = std::min(best, assignmentCost(messages, parts, tradeOff, widths));
    std::size_t k = 0;
    for (; k < all.size() && *all[k] == 8; ++k) *all[k] = 2;
    if (k == all.size()) return best;
    *all[k] = static_cast<std::uint8_t>(*all[k] * 2);
  }
}

std::int64_t bitsOf(const std::vector<WidthMessage>& messages, const GroupWidths& widths) {
  std::int64_t sum = 0;
  for (std::size_t m = 0; m < messages.size(); ++m)
    for (std::size_t g = 0; g < widths[m].size(); ++g) sum += messages[m].groups[g].rows * widths[m][g];
  return sum;
}

bool allAre(GroupWidths widths, int bits) {
  return std::ranges::all_of(every(widths), [&](const std::uint8_t* width) { return *width == bits; });
}

}  // namespace

TEST_CASE("with one group a message no assignment is cheaper", "[adaqp]") {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U})
    for (const double tradeOff : {0.05, 0.3, 0.5, 0.7, 0.95}) {
      CAPTURE(seed, tradeOff);
      const auto messages = randomMessages(3, 1, seed);
      CHECK(assignmentCost(messages, 3, tradeOff, assignWidths(messages, 3, tradeOff)) ==
            Approx(cheapest(messages, 3, tradeOff)).margin(1e-12));
    }
}

TEST_CASE("with several groups an assignment is within an upgrade a message of the cheapest", "[adaqp]") {
  double excess = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U})
    for (const double tradeOff : {0.1, 0.5, 0.9}) {
      CAPTURE(seed, tradeOff);
      const auto messages = randomMessages(2, 4, seed);
      double worst = 0, narrow = 0;  // one group of each message two bits narrower than it should be
      for (const WidthMessage& message : messages) {
        double most = 0;
        for (const WidthGroup& group : message.groups) {
          most = std::max(most, group.score);
          narrow += group.score;
        }
        worst += most;
      }
      const double cost = assignmentCost(messages, 2, tradeOff, assignWidths(messages, 2, tradeOff));
      const double best = cheapest(messages, 2, tradeOff);
      CHECK(cost >= best - 1e-12);
      CHECK(cost <= best + tradeOff * worst / narrow);
      CHECK(cost <= std::min(tradeOff, 1 - tradeOff) + 1e-12);  // what 2, or 8, bits everywhere cost
      excess += (cost - best) / 18;
    }
  CHECK(excess < 0.02);
}

TEST_CASE("the ends of the trade-off are all narrow and all wide, constant rows included", "[adaqp]") {
  auto messages = randomMessages(4, 3, 7);
  messages[2].groups[1].score = 0;
  CHECK(allAre(assignWidths(messages, 4, 0), 2));
  CHECK(allAre(assignWidths(messages, 4, 1), 8));
  for (WidthMessage& message : messages)
    for (WidthGroup& group : message.groups) group.score = 0;
  CHECK(allAre(assignWidths(messages, 4, 0.5), 2));  // nothing to gain
  CHECK(assignWidths({}, 4, 0.5).empty());
}

TEST_CASE("more weight on variance never takes bits away", "[adaqp]") {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto messages = randomMessages(4, 5, seed);
    std::int64_t before = 0;
    for (int step = 0; step <= 20; ++step) {
      const std::int64_t bits = bitsOf(messages, assignWidths(messages, 4, step / 20.0));
      CAPTURE(seed, step);
      CHECK(bits >= before);
      before = bits;
    }
  }
}

TEST_CASE("a message shorter than its round's longest uses the time it has", "[adaqp]") {
  // both travel in round 1; the first is four times as long
  const std::vector<WidthMessage> messages = {{0, 1, 8, {{400, 1e-6}}}, {1, 0, 8, {{100, 1e-6}}}};
  const GroupWidths widths = assignWidths(messages, 2, 0.01);
  CHECK(widths[0][0] == 2);
  CHECK(widths[1][0] == 8);
}
