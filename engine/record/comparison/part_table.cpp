#include "engine/record/comparison/part_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "engine/base/index.h"
#include "engine/base/least_squares.h"

namespace halo {
namespace {

constexpr std::size_t kLeastPoints = 3;  // a line goes through any two

void addHoldings(std::span<const WorkerRow> workers, std::vector<PartFigures>& parts) {
  for (const WorkerRow& worker : workers) {
    if (worker.rank < 0 || worker.rank >= static_cast<std::int64_t>(parts.size())) continue;
    PartFigures& part = parts[at(worker.rank)];
    part.vertices = static_cast<double>(worker.vertices);
    part.arcs = static_cast<double>(worker.nonzeros);
    part.boundary = static_cast<double>(worker.boundary);
    part.haloRows = static_cast<double>(worker.remote);
    if (worker.vertices > 0) part.replication = (part.vertices + part.haloRows) / part.vertices;
  }
}

void addFlop(std::span<const LayerRow> layers, const std::vector<EpochRow>& inScope,
             std::vector<PartFigures>& parts) {
  std::set<std::int64_t> epochs;
  for (const EpochRow& epoch : inScope) epochs.insert(epoch.epoch);
  std::vector<std::int64_t> sums(parts.size());
  bool any = false;
  for (const LayerRow& row : layers) {
    if (!epochs.contains(row.epoch) || row.rank < 0 || row.rank >= static_cast<std::int64_t>(parts.size()))
      continue;
    sums[at(row.rank)] += row.flop;
    any = true;
  }
  if (!any) return;
  for (std::size_t rank = 0; rank < parts.size(); ++rank)
    parts[rank].flop = static_cast<double>(sums[rank]) / static_cast<double>(epochs.size());
}

void addTraffic(const RunTraffic& traffic, std::vector<PartFigures>& parts) {
  if (traffic.epochs == 0) return;
  const auto add = [&](std::int64_t rank, double PartFigures::*bytes, double sum) {
    if (rank >= 0 && rank < static_cast<std::int64_t>(parts.size()))
      parts[at(rank)].*bytes += sum / static_cast<double>(traffic.epochs);
  };
  for (const auto& [place, sum] : traffic.sums) {
    add(place.source, &PartFigures::sentBytes, sum.bytes);
    add(place.target, &PartFigures::receivedBytes, sum.bytes);
  }
}

void addTimes(const PartSources& sources, std::vector<PartFigures>& parts) {
  if (sources.inScope.empty()) return;
  const auto epochs = static_cast<double>(sources.inScope.size());
  const auto sumOf = [](const PartSums& sums, TimePart first, TimePart last) {
    std::int64_t sum = 0;
    for (auto part = static_cast<std::size_t>(first); part <= static_cast<std::size_t>(last); ++part)
      sum += sums[part];
    return static_cast<double>(sum);
  };
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    const RankTimes& times = sources.times[rank];
    if (times.exchangeNs) parts[rank].exchangeNs = static_cast<double>(*times.exchangeNs) / epochs;
    const std::optional<PartSums>& sums = sources.bySpans ? times.bySpans : times.byRows;
    if (!sums) continue;
    parts[rank].computeNs = sumOf(*sums, TimePart::compute, TimePart::compute) / epochs;
    parts[rank].waitNs = sumOf(*sums, TimePart::lateSender, TimePart::unjudged) / epochs;
  }
}

std::optional<LineFit> fitOf(const std::vector<PartsOfRun>& runs) {
  std::vector<double> rows, times;
  for (const PartsOfRun& run : runs)
    for (const PartFigures& part : run.parts) {
      rows.push_back(part.haloRows);
      times.push_back(part.exchangeNs);
    }
  return fitLine(rows, times);
}

double spreadOf(std::span<const double> values, double mean) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

}  // namespace

std::int64_t exchangeNsOf(std::span<const Span> link, const std::vector<EpochRow>& epochs) {
  std::int64_t sum = 0;
  std::size_t first = 0;  // those before it ended before the epoch
  for (const EpochRow& epoch : epochs) {
    const std::int64_t end = epoch.beginNs + epoch.wallNs;
    std::int64_t covered = epoch.beginNs;
    while (first < link.size() && link[first].endNs() <= epoch.beginNs) ++first;
    for (std::size_t i = first; i < link.size() && link[i].beginNs < end; ++i) {
      if (link[i].kind != Kind::communication) continue;
      const std::int64_t to = std::min(link[i].endNs(), end);
      sum += std::max<std::int64_t>(0, to - std::max(link[i].beginNs, covered));
      covered = std::max(covered, to);
    }
  }
  return sum;
}

std::vector<PartFigures> partsOf(const PartSources& sources) {
  std::vector<PartFigures> parts(sources.times.size());
  addHoldings(sources.workers, parts);
  addFlop(sources.layers, sources.inScope, parts);
  addTraffic(sources.traffic, parts);
  addTimes(sources, parts);
  return parts;
}

std::optional<LineFit> fitLine(std::span<const double> x, std::span<const double> y) {
  std::vector<std::vector<double>> rows;
  std::vector<double> xs, ys;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    rows.push_back({1, x[i]});
    xs.push_back(x[i]);
    ys.push_back(y[i]);
  }
  if (ys.size() < kLeastPoints) return std::nullopt;
  if (std::ranges::min(xs) == std::ranges::max(xs) || std::ranges::min(ys) == std::ranges::max(ys))
    return std::nullopt;
  const std::vector<double> alike(ys.size(), 1.0);
  const std::vector<double> solved = leastSquares({rows, ys, alike});
  LineFit fit{solved[0], solved[1], 0, ys.size()};
  double mean = 0, residual = 0;
  for (std::size_t i = 0; i < ys.size(); ++i) {
    mean += ys[i] / static_cast<double>(ys.size());
    residual += std::pow(ys[i] - fit.intercept - fit.slope * xs[i], 2);
  }
  fit.r2 = 1 - residual / spreadOf(ys, mean);
  return fit;
}

PartTable partTable(std::vector<PartsOfRun> runs) {
  PartTable table;
  table.fit = fitOf(runs);
  for (const PartsOfRun& run : runs)
    if (table.means.size() < run.parts.size()) table.means.resize(run.parts.size());
  for (const PartQuantity& quantity : partQuantities())
    for (std::size_t rank = 0; rank < table.means.size(); ++rank) {
      double sum = 0, count = 0;
      for (const PartsOfRun& run : runs) {
        if (rank >= run.parts.size()) continue;
        sum += run.parts[rank].*quantity.value;
        ++count;
      }
      table.means[rank].*quantity.value = sum / count;
    }
  table.runs = std::move(runs);
  return table;
}

std::span<const PartQuantity> partQuantities() {
  using Unit = PartQuantity::Unit;
  using P = PartFigures;
  static constexpr std::array<PartQuantity, 11> kAll = {{
      {"vertices", "vertices", "that the rank owns", Unit::count, &P::vertices},
      {"arcs", "arcs", "stored in its rows of the matrix", Unit::count, &P::arcs},
      {"boundary", "boundary", "own vertices whose rows others need", Unit::count, &P::boundary},
      {"halo_rows", "halo rows", "rows that it needs of others", Unit::count, &P::haloRows},
      {"replication", "replication", "(vertices + halo rows) ÷ vertices", Unit::ratio, &P::replication},
      {"flop", "FLOP", "operations of an epoch, counted", Unit::flop, &P::flop},
      {"sent_bytes", "sent", "bytes of an epoch, by the ledger", Unit::bytes, &P::sentBytes},
      {"received_bytes", "received", "bytes of an epoch, without what goes to all at once", Unit::bytes,
       &P::receivedBytes},
      {"compute_ns", "computing", "time of an epoch", Unit::ns, &P::computeNs},
      {"wait_ns", "waiting", "time of an epoch, for whatever reason", Unit::ns, &P::waitNs},
      {"exchange_ns", "exchange", "time of an epoch in which a transfer to it was under way", Unit::ns,
       &P::exchangeNs},
  }};
  return kAll;
}

}  // namespace halo
