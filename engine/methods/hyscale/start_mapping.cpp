#include "engine/methods/hyscale/start_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::hyscale {
namespace {

bool isText(const NodeSettings& node) { return node.mapping != "model" && node.mapping != "best"; }

}  // namespace

BatchSizes sizesOf(const WorkerParts& parts, const BatchSettings& batches, int trainers) {
  const std::int64_t all = batches.seeds.globalBatch, each = std::max<std::int64_t>(1, all / trainers);
  SampleRequest request;
  request.fanouts = batches.neighbours.fanouts;
  for (const std::int64_t size : {each / 4, each, all})
    if (size >= 1 && (request.batchSizes.empty() || size > request.batchSizes.back()))
      request.batchSizes.push_back(size);
  request.draws = static_cast<int>(parts.settings.parameters.integer("profile_batches"));
  request.seed = parts.settings.training.seed;
  return BatchSizes(parts.share.graph.own, request, /*threads=*/1);
}

HybridMapping startMapping(const NodeSettings& node, const HybridWork& work, const BatchSizes& sizes,
                           std::int64_t batch) {
  const MappingRequest request{node.platform, work, sizes, batch, node.processorsTrain};
  if (node.mapping == "model") return modelMapping(request);
  if (node.mapping == "best") return bestMapping(request, node.prefetch);
  std::vector<Problem> problems;
  const HybridMapping mapping = readMapping(node.mapping, batch, node.platform, "run.mapping", problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return mapping;
}

void refuseMapping(const NodeSettings& node, std::int64_t batch, std::vector<Problem>& problems) {
  if (!isText(node)) return;
  const HybridMapping mapping = readMapping(node.mapping, batch, node.platform, "run.mapping", problems);
  if (problems.empty() && mapping.cpuSeeds > 0 && !node.processorsTrain)
    problems.push_back(
        {.key = "run.mapping",
         .message = fmt::format("'{}' cannot be used with cpu_trains = false; no seeds for the processors",
                                node.mapping)});
}

void dealSeeds(const HybridMapping& mapping, int cards, std::int64_t seeds, std::vector<std::int64_t>& out) {
  HALO_CHECK(seeds <= mapping.batch && cards >= 1);
  out.assign(at(cards) + 1, 0);
  out[0] = mapping.cpuSeeds;
  for (int card = 0; card < cards; ++card) out[at(card) + 1] = mapping.cardSeeds(card, cards);
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
