#pragma once

// Samplers as the design says them, in plain loops over lists. No line of ours is used, random numbers
// included: what agrees with this agrees by its definition.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace slow {

using Rows = std::vector<std::vector<int>>;  // in-neighbours of each vertex, ascending
constexpr int kAll = -1;

/// Philox-4x32-10 (Salmon 2011); the purpose is part of the key.
inline std::array<std::uint32_t, 4> philox(std::uint64_t seed, std::uint32_t purpose,
                                           std::array<std::uint32_t, 4> x) {
  auto low = static_cast<std::uint32_t>(seed);
  auto high = static_cast<std::uint32_t>(seed >> 32) ^ purpose * 2654435769U;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{x[0]} * 3528531795U, b = std::uint64_t{x[2]} * 3449720151U;
    x = {static_cast<std::uint32_t>(b >> 32) ^ x[1] ^ low, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ x[3] ^ high, static_cast<std::uint32_t>(a)};
    low += 2654435769U;
    high += 3144134277U;
  }
  return x;
}

struct Key {
  std::uint64_t seed = 1, step = 0;
  std::uint32_t purpose = 5;
};

/// The first or the second half of a block of words.
inline std::uint64_t word(const Key& key, std::uint64_t stream, std::uint32_t block, int half) {
  const auto x =
      philox(key.seed, key.purpose,
             {static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32), block, 0});
  return half == 0 ? (std::uint64_t{x[0]} << 32) + x[1] : (std::uint64_t{x[2]} << 32) + x[3];
}
inline int below(std::uint64_t drawn, int bound) {
  const std::uint64_t high = drawn >> 32, low = drawn & 0xFFFFFFFFU, n = static_cast<std::uint64_t>(bound);
  return static_cast<int>((high * n + (low * n >> 32)) >> 32);
}

/// What dropout makes of an element: 0, or so many times it.
inline double kept(std::uint64_t seed, int vertex, std::uint64_t step, int layer, int column, double rate) {
  const auto x =
      philox(seed, 2,
             {static_cast<std::uint32_t>(vertex), 0, static_cast<std::uint32_t>(step),
              static_cast<std::uint32_t>(layer) * 65536U + static_cast<std::uint32_t>(column) / 4});
  return x[static_cast<std::size_t>(column) % 4] / 4294967296.0 < rate ? 0 : 1 / (1 - rate);
}

inline std::vector<int> others(const Rows& rows, int v) {
  std::vector<int> vertices;
  for (const int u : rows[static_cast<std::size_t>(v)])
    if (u != v) vertices.push_back(u);
  return vertices;
}

/// The sampled neighbours of v in block l of L, in the order drawn.
inline std::vector<int> neighbours(const Rows& rows, int v, const Key& key, int L, int l, int fanout,
                                   bool replace) {
  const std::vector<int> row = others(rows, v);
  const int d = static_cast<int>(row.size());
  if (fanout == kAll || d == 0 || (!replace && d <= fanout)) return row;
  const std::uint64_t stream =
      (key.step * static_cast<std::uint64_t>(L) + static_cast<std::uint64_t>(L - l)) * 4294967296U +
      static_cast<std::uint64_t>(v);
  std::vector<int> positions, vertices;
  for (int j = 0; j < fanout; ++j) {
    const std::uint64_t drawn = word(key, stream, static_cast<std::uint32_t>(j / 2), j % 2);
    int position = below(drawn, replace ? d : d - fanout + j + 1);
    if (!replace && std::count(positions.begin(), positions.end(), position) > 0) position = d - fanout + j;
    positions.push_back(position);
    vertices.push_back(row[static_cast<std::size_t>(position)]);
  }
  return vertices;
}

struct Batch {
  std::vector<std::vector<int>> V;  // V[l], l = 0 … L
  std::vector<Rows> E;              // E[l], by target's number the sources' numbers; E[0] is empty
};

/// fanouts from the inputs to the seeds
inline Batch batch(const Rows& rows, const std::vector<int>& seeds, const Key& key,
                   const std::vector<int>& fanouts, bool replace) {
  const int L = static_cast<int>(fanouts.size());
  Batch result;
  result.V.resize(fanouts.size() + 1);
  result.E.resize(fanouts.size() + 1);
  std::vector<int> met = seeds;
  result.V.back() = met;
  for (int l = L; l >= 1; --l) {
    const std::vector<int> targets = met;
    for (const int v : targets) {
      std::vector<int> numbers;
      for (const int u : neighbours(rows, v, key, L, l, fanouts[static_cast<std::size_t>(l) - 1], replace)) {
        auto place = std::find(met.begin(), met.end(), u);
        if (place == met.end()) place = met.insert(met.end(), u);
        numbers.push_back(static_cast<int>(place - met.begin()));
      }
      result.E[static_cast<std::size_t>(l)].push_back(numbers);
    }
    result.V[static_cast<std::size_t>(l) - 1] = met;
  }
  return result;
}

/// Vertices by (word pair, id).
inline std::vector<int> seedOrder(std::vector<int> vertices, std::uint64_t seed, std::uint32_t epoch) {
  std::vector<std::pair<std::uint64_t, int>> keyed;
  for (const int v : vertices) {
    const auto x = philox(seed, 13, {static_cast<std::uint32_t>(v), 0, epoch, 0});
    keyed.push_back({(std::uint64_t{x[0]} << 32) + x[1], v});
  }
  std::sort(keyed.begin(), keyed.end());
  for (std::size_t i = 0; i < vertices.size(); ++i) vertices[i] = keyed[i].second;
  return vertices;
}

inline std::set<int> uniform(int n, int b, std::uint64_t seed, std::uint64_t step) {
  std::set<int> members;
  for (int j = 0; j < b; ++j) {
    const int last = n - b + j,
              any = below(word({seed, step, 14}, step, static_cast<std::uint32_t>(j), 0), last + 1);
    members.insert(members.count(any) > 0 ? last : any);
  }
  return members;
}

/// The number whose share of [0, 1) holds the word.
inline int byWeight(const std::vector<double>& weights, std::uint64_t drawn) {
  long double all = 0, sum = 0;
  for (const double weight : weights) all += weight;
  const long double point = static_cast<long double>(drawn) / 18446744073709551616.0L;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i] / all;
    if (weights[i] > 0 && point < sum) return static_cast<int>(i);
  }
  return -1;
}

inline std::set<int> walks(const Rows& rows, const std::vector<int>& train, int roots, int depth,
                           const Key& key) {
  std::set<int> members;
  for (int r = 0; r < roots; ++r) {
    const std::uint64_t stream = key.step * 4294967296U + static_cast<std::uint64_t>(r);
    int v = train[static_cast<std::size_t>(below(word(key, stream, 0, 0), static_cast<int>(train.size())))];
    members.insert(v);
    for (int step = 1; step <= depth; ++step) {
      const std::vector<int> row = others(rows, v);
      if (row.empty()) break;
      v = row[static_cast<std::size_t>(
          below(word(key, stream, static_cast<std::uint32_t>(step), 0), static_cast<int>(row.size())))];
      members.insert(v);
    }
  }
  return members;
}

/// Arcs u → v within, as (v, u).
inline std::vector<std::pair<int, int>> within(const Rows& rows, const std::set<int>& members) {
  std::vector<std::pair<int, int>> arcs;
  for (const int v : members)
    for (const int u : others(rows, v))
      if (members.count(u) > 0) arcs.push_back({v, u});
  return arcs;
}

}  // namespace slow
