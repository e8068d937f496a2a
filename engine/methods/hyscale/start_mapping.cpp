#include "engine/methods/hyscale/start_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/whole_number.h"
#include "engine/hybrid/iteration.h"

namespace halo::hyscale {
namespace {

HybridMapping readText(const NodeSettings& node, std::int64_t batch, std::vector<Problem>& problems) {
  std::array<std::int64_t, 4> parts{};
  std::string_view rest = node.mapping;
  bool read = true;
  for (std::size_t i = 0; read && i < parts.size(); ++i) {
    if (i > 0 && (read = rest.starts_with('/'))) rest.remove_prefix(1);
    read = read && takeWhole(rest, parts[i]);
  }
  const auto [cpu, sample, load, train] = parts;
  const std::int64_t most = batch - node.platform.cards, pool = node.platform.cpuThreads;
  if (!read || !rest.empty() || cpu < 0 || cpu > most || sample < 1 || load < 1 ||
      train < (cpu > 0 ? 1 : 0) || sample + load + train != pool)
    problems.push_back(
        {"", 0, 0, "run.mapping",
         fmt::format("'{}' cannot be used; seeds up to {} (one for each of {} cards) and threads "
                     "that make {}",
                     node.mapping, most, node.platform.cards, pool)});
  return {batch, cpu, static_cast<int>(sample), static_cast<int>(load), static_cast<int>(train), 0};
}

bool isText(const NodeSettings& node) { return node.mapping != "model" && node.mapping != "best"; }

}  // namespace

HybridMapping startMapping(const NodeSettings& node, const HybridWork& work, const BatchSizes& sizes,
                           std::int64_t batch) {
  if (!isText(node))
    return staticMapping(node.platform, work, sizes, batch, node.prefetch, node.processorsTrain);
  std::vector<Problem> problems;
  const HybridMapping mapping = readText(node, batch, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return mapping;
}

void refuseMapping(const NodeSettings& node, std::int64_t batch, std::vector<Problem>& problems) {
  if (!isText(node)) return;
  const HybridMapping mapping = readText(node, batch, problems);
  if (problems.empty() && mapping.cpuSeeds > 0 && !node.processorsTrain)
    problems.push_back(
        {"", 0, 0, "run.mapping",
         fmt::format("'{}' cannot be used with cpu_trains = false; no seeds for the processors",
                     node.mapping)});
}

void dealSeeds(const HybridMapping& mapping, int cards, std::int64_t seeds, std::vector<std::int64_t>& out) {
  HALO_CHECK(seeds <= mapping.batch && cards >= 1);
  const std::int64_t rest = mapping.batch - mapping.cpuSeeds;
  out.assign(at(cards) + 1, 0);
  out[0] = mapping.cpuSeeds;
  for (int card = 0; card < cards; ++card) out[at(card) + 1] = rest / cards + (card < rest % cards ? 1 : 0);
  if (seeds == mapping.batch) return;
  thread_local std::vector<std::int64_t> remainders;
  remainders.clear();
  std::int64_t dealt = 0;
  for (std::int64_t& share : out) {
    remainders.push_back(share * seeds % mapping.batch);
    share = share * seeds / mapping.batch;
    dealt += share;
  }
  for (; dealt < seeds; ++dealt) {
    const auto largest = std::ranges::max_element(remainders);
    ++out[at(largest - remainders.begin())];
    *largest = -1;
  }
}

void weighGradients(std::span<const std::int64_t> seeds, bool plain, std::vector<double>& out) {
  const auto all = static_cast<double>(std::reduce(seeds.begin(), seeds.end()));
  const auto busy = static_cast<double>(std::ranges::count_if(seeds, [](std::int64_t n) { return n > 0; }));
  out.assign(seeds.size(), 0);
  for (std::size_t i = 0; i < seeds.size(); ++i)
    if (seeds[i] > 0) out[i] = plain ? 1 / busy : static_cast<double>(seeds[i]) / all;
}

}  // namespace halo::hyscale
