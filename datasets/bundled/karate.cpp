#include "datasets/bundled/karate.h"

#include <iterator>
#include <utility>
#include <vector>

#include "datasets/generate/generate_labels.h"

namespace halo {
namespace {

constexpr Index kMembers = 34;

// Friends of each member with a higher number; members from 0 (the instructor is 0, the president 33).
const std::vector<std::pair<Vertex, std::vector<Vertex>>> kFriends = {
    {0, {1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31}},
    {1, {2, 3, 7, 13, 17, 19, 21, 30}},
    {2, {3, 7, 8, 9, 13, 27, 28, 32}},
    {3, {7, 12, 13}},
    {4, {6, 10}},
    {5, {6, 10, 16}},
    {6, {16}},
    {8, {30, 32, 33}},
    {9, {33}},
    {13, {33}},
    {14, {32, 33}},
    {15, {32, 33}},
    {18, {32, 33}},
    {19, {33}},
    {20, {32, 33}},
    {22, {32, 33}},
    {23, {25, 27, 29, 32, 33}},
    {24, {25, 27, 31}},
    {25, {31}},
    {26, {29, 33}},
    {27, {33}},
    {28, {31, 33}},
    {29, {32, 33}},
    {30, {32, 33}},
    {31, {32, 33}},
    {32, {33}},
};

// 0: went with the instructor, 1: stayed with the officers.
constexpr std::int32_t kFaction[kMembers] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0,
                                             0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

}  // namespace

Dataset karateClub() {
  Dataset data;
  data.name = "karate";
  std::vector<Arc> arcs;
  for (const auto& [member, friends] : kFriends) {
    for (const Vertex other : friends) {
      arcs.push_back({member, other});
      arcs.push_back({other, member});
    }
  }
  data.arcs = buildCsr(kMembers, arcs, false);
  data.features.setZero(kMembers, kMembers);
  for (Index v = 0; v < kMembers; ++v) data.features(v, v) = 1;
  data.labels.assign(std::begin(kFaction), std::end(kFaction));
  data.classes = 2;
  plantSplit(GraphShape{}, kMembers, /*seed=*/1, data.split);
  data.marks = {"identity features", "generated split"};
  data.source = "bundled: Zachary 1977";
  data.fingerprint = "karate-1";
  return data;
}

}  // namespace halo
