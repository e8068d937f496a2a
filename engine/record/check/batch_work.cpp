// The work of training in mini-batches follows from its blocks, and what `latest` has of it from its rows.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "engine/record/analysis/iteration_summary.h"
#include "engine/record/check/figures.h"
#include "engine/record/check/places.h"
#include "engine/record/rows/layer_orders.h"
#include "engine/record/rows/resolved_keys.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"

namespace halo {
namespace {

/// Orders whose forward passes aggregate what enters a layer.
constexpr std::array<std::string_view, 2> kAggregateForward = {"aggregate-first ", "update-last "};

/// f_0 … f_(L−1) of a model all of whose layers aggregate their inputs; else empty. Of "aggregate-first 602,
/// …".
std::vector<std::int64_t> inputWidths(const std::string& orders) {
  std::vector<std::int64_t> widths;
  for (std::size_t at = 0; at < orders.size();) {
    const auto order = std::ranges::find_if(
        kAggregateForward, [&](std::string_view text) { return orders.compare(at, text.size(), text) == 0; });
    if (order == kAggregateForward.end()) return {};
    widths.push_back(std::atoll(orders.c_str() + at + order->size()));
    const std::size_t comma = orders.find(", ", at);
    at = comma == std::string::npos ? orders.size() : comma + 2;
  }
  return widths;
}

/// What a layer's forward pass takes: 2 nnz f + 2κ |V| f f', and 2 |V| f'² more with a second product.
struct ForwardWork {
  LayerProducts products;
  std::vector<std::int64_t> widths;  // f_0 … f_(L−1), and f_L once a row has told it

  std::int64_t flop(const BlockRow& block, std::int64_t out) const {
    const std::int64_t in = widths[static_cast<std::size_t>(block.layer)];
    const std::int64_t inputs = products.own ? 2 : 1;
    return 2 * block.nonzeros * in + 2 * inputs * block.targets * in * out +
           (products.second ? 2 * block.targets * out * out : 0);
  }
  /// f' with which the work is this; 0: there is none.
  std::int64_t outOf(const BlockRow& block, std::int64_t work) const {
    std::int64_t low = 0, high = 1'000'000;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (flop(block, middle) < work)
        low = middle + 1;
      else
        high = middle;
    }
    return flop(block, low) == work ? low : 0;
  }
};

/// Rows of block, and the FLOP that the rows in layer have for them.
struct Worked {
  BlockRow blocks;
  std::int64_t flop = 0;
  std::string place;
};

/// Epoch after epoch. summed: layer 0 is a row for all workers together.
std::vector<Worked> workedOn(Database& database, std::int64_t run, bool summed) {
  std::vector<Worked> all;
  std::size_t sum = 0;  // of the epoch at hand
  std::int64_t epoch = -1;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> flop;  // by rank and layer
  for (const BlockRow& block : Iterations(database).blocks(run)) {
    if (block.epoch != epoch) {
      epoch = block.epoch;
      flop.clear();
      for (const LayerRow& row : Epochs(database).layersOf(run, epoch))
        if (row.pass == Pass::forward) flop[{row.rank, row.layer}] = row.flop;
      sum = all.size();
      if (summed) all.push_back({{.epoch = epoch}, 0, layerOfAll(epoch, 0, Pass::forward)});
    }
    const std::int64_t is = flop[{block.rank, block.layer}];
    if (!summed || block.layer > 0) {
      all.push_back({block, is, layerAt(epoch, block.rank, block.layer, Pass::forward)});
      continue;
    }
    all[sum].blocks.nonzeros += block.nonzeros;
    all[sum].blocks.targets += block.targets;
    all[sum].flop += is;
  }
  return all;
}

/// The width of the outputs stands nowhere: the first row tells it, the others agree.
void compareWork(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings) {
  const auto orders = run.parameters.find(kLayerOrders);
  if (orders == run.parameters.end() || !traits.products) return;
  ForwardWork work{*traits.products, inputWidths(orders->second)};
  const auto layers = static_cast<std::int64_t>(work.widths.size());
  std::int64_t outputs = -1;
  for (const auto& [blocks, flop, place] : workedOn(database, run.row.id, traits.slicesInput)) {
    if (blocks.layer >= layers) return;  // found otherwise
    const bool last = blocks.layer + 1 == layers;
    if (last && outputs < 0 && blocks.targets > 0) outputs = work.outOf(blocks, flop);
    const std::int64_t out =
        last ? std::max<std::int64_t>(outputs, 0) : work.widths[static_cast<std::size_t>(blocks.layer) + 1];
    if (const std::int64_t expected = work.flop(blocks, out); expected != flop)
      findings.add("work of blocks", run.row.id, place,
                   "table layer has " + std::to_string(flop) + " FLOP, its " +
                       std::to_string(blocks.nonzeros) + " nonzeros and " + std::to_string(blocks.targets) +
                       " targets take " + std::to_string(expected));
  }
}

/// Whether batches begin with seeds, in an order: so many in each but the last of an epoch.
bool ordersSeeds(const CheckedRun& run) {
  const std::string sampler = run.word("run.sampler");
  return sampler != "uniform" && !sampler.starts_with("saint-");
}

Figures figuresOf(const BatchRows& rows, bool all) {
  IterationSummary summary;
  summary.add(rows);
  Figures figures = summary.metrics();
  double arcs = 0;
  std::int64_t last = -1;
  for (const BlockRow& block : rows.blocks) {
    arcs += static_cast<double>(block.arcs);
    last = std::max(last, block.epoch);
  }
  if (last >= 0) figures["sampled_arcs_per_epoch"] = arcs / static_cast<double>(last + 1);
  if (all && !rows.iterations.empty())
    figures["effective_batch"] = static_cast<double>(rows.iterations.front().seeds);
  return figures;
}

}  // namespace

void checkBatches(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings) {
  if (!run.trains() || !run.parameters.contains(kIterationsEvery)) return;
  compareWork(database, run, traits, findings);
  const Iterations table(database);
  const BatchRows rows{table.iterations(run.row.id), table.blocks(run.row.id), table.caches(run.row.id)};
  const Figures latest = Runs(database).latest(run.row.id);
  Figures expected = figuresOf(rows, run.number(kIterationsEvery, 0) == 1 && ordersSeeds(run));
  // these come with a run's last word
  if (!run.completed())
    for (const char* last : {"sampled_arcs_per_epoch", "effective_batch"}) expected.erase(last);
  compareFigures(run.row.id, latest, expected, "its rows in iteration, block and cache", findings);
}

}  // namespace halo
