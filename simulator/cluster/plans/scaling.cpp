#include "simulator/cluster/plans/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "engine/base/check.h"
#include "engine/base/least_squares.h"
#include "engine/base/philox.h"
#include "engine/base/problem.h"

namespace halo::cluster {
namespace {

constexpr double kWorstHeldOut = 0.10;  // how far a fit may miss the largest partition, left out

/// Standard normal, by (seed, stream, rank) alone.
double drawNormal(std::uint64_t seed, std::uint32_t stream, std::size_t rank) {
  return normal(philox(seed, Purpose::stragglers, rank, ~std::uint32_t{0}, stream));
}

std::vector<double> normalised(std::vector<double> shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share = sum > 0 ? share / sum : 1.0 / static_cast<double>(shares.size());
  return shares;
}

/// Shares of sums with this mean and deviation.
std::vector<double> scattered(int ranks, double mean, double deviation, std::uint64_t seed,
                              std::uint32_t stream) {
  std::vector<double> shares;
  for (int rank = 0; rank < ranks; ++rank)
    shares.push_back(
        std::max(0.0, mean + deviation * drawNormal(seed, stream, static_cast<std::size_t>(rank))));
  return normalised(std::move(shares));
}

std::vector<double> even(int ranks) {
  return std::vector<double>(static_cast<std::size_t>(ranks), 1.0 / ranks);
}

/// The first has `excess` more than the mean, the others share the rest.
std::vector<double> led(int ranks, double excess) {
  std::vector<double> shares = even(ranks);
  if (ranks == 1) return shares;
  const double first = std::min(1.0, (1 + excess) / ranks);
  std::ranges::fill(shares, (1 - first) / (ranks - 1));
  shares.front() = first;
  return shares;
}

/// ln of what grows as a P^β.
double growing(double value, double limit) {
  return std::log(limit > 0 ? -limit * std::log(1 - std::min(value / limit, 1 - 1e-12)) : value);
}

GrowthFit fitOfLogarithms(std::span<const PartsFigure> figures, double limit) {
  const bool differ =
      std::ranges::adjacent_find(figures, std::ranges::not_equal_to(), &PartsFigure::parts) != figures.end();
  std::vector<std::vector<double>> rows;
  std::vector<double> logarithms;
  for (const PartsFigure& figure : figures) {
    // figures of one number of parts say nothing of an exponent: it is 0
    rows.push_back({1, differ ? std::log(figure.parts) : 0});
    logarithms.push_back(growing(figure.value, limit));
  }
  const std::vector<double> alike(rows.size(), 1);
  const std::vector<double> line = leastSquares({rows, logarithms, alike});
  return {.a = std::exp(line[0]), .exponent = line[1], .limit = limit};
}

/// Of figures that may be 0, which then say nothing about growth.
GrowthFit fitOfSome(std::vector<PartsFigure> figures, double limit) {
  std::erase_if(figures, [](const PartsFigure& figure) { return figure.value <= 1e-9; });
  return figures.size() < 2 ? GrowthFit{} : fitOfLogarithms(figures, limit);
}
GrowthFit excessOf(std::vector<PartsFigure> figures) { return fitOfSome(std::move(figures), 0); }
GrowthFit shareOf(std::vector<PartsFigure> figures) { return fitOfSome(std::move(figures), 1); }

double largestOverMean(const std::vector<std::int64_t>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (sum == 0) return 1;
  return static_cast<double>(*std::ranges::max_element(values)) * static_cast<double>(values.size()) / sum;
}

/// An arc's other end is as likely on any rank; a vertex of k consumers has all of them here once in P^k.
void setOwnShares(const ConsumerHistogram& consumers, std::int64_t entries, double ranks,
                  WideFigures& figures) {
  double arcs = 0, central = 0;
  for (const auto& [k, count] : consumers) {
    const double arcsOfClass = static_cast<double>(k) * static_cast<double>(count);
    arcs += arcsOfClass;
    central += arcsOfClass * std::pow(ranks, -static_cast<double>(k));
  }
  const double all = static_cast<double>(std::max<std::int64_t>(entries, 1));
  arcs = std::min(arcs, all);
  figures.ownShare = 1 - arcs / all * (1 - 1 / ranks);  // of vertices to themselves, all
  figures.centralShare = std::min(figures.ownShare, central / std::max(arcs, 1.0));
}

}  // namespace

ConsumerHistogram consumersOf(const Csr& propagation) {
  std::vector<std::int64_t> count(static_cast<std::size_t>(propagation.cols), 0);
  for (Index v = 0; v < propagation.rows(); ++v)
    for (const Vertex u : propagation.row(v))
      if (u != v) ++count[static_cast<std::size_t>(u)];
  ConsumerHistogram consumers;
  for (const std::int64_t k : count) ++consumers[k];
  return consumers;
}

double meanConsumers(const ConsumerHistogram& consumers) {
  double sum = 0, vertices = 0;
  for (const auto& [k, count] : consumers) {
    sum += static_cast<double>(k) * static_cast<double>(count);
    vertices += static_cast<double>(count);
  }
  return vertices > 0 ? sum / vertices : 0;
}

double expectedHaloRows(const ConsumerHistogram& consumers, double parts) {
  double rows = 0;
  for (const auto& [k, count] : consumers)
    rows += static_cast<double>(count) * (parts - 1) * (1 - std::pow(1 - 1 / parts, static_cast<double>(k)));
  return rows;
}

double GrowthFit::at(double parts) const {
  const double grown = a * std::pow(parts, exponent);
  return limit > 0 ? limit * (1 - std::exp(-grown / limit)) : grown;
}

GrowthFit fitGrowth(std::span<const PartsFigure> figures, double limit, const char* key) {
  std::vector<PartsFigure> sorted(figures.begin(), figures.end());
  std::ranges::sort(sorted, {}, &PartsFigure::parts);
  const auto same = std::ranges::adjacent_find(sorted, {}, &PartsFigure::parts);
  const bool positive = std::ranges::all_of(sorted, [](const PartsFigure& f) { return f.value > 0; });
  if (sorted.size() < 4 || same != sorted.end() || !positive)
    throw InputError(Problem{
        .key = key, .message = "cannot be fitted; needs figures above 0 at four or more numbers of parts"});
  const PartsFigure largest = sorted.back();
  const auto missedBy = [&](double bound) {
    const GrowthFit trial = fitOfLogarithms(std::span(sorted).first(sorted.size() - 1), bound);
    return std::abs(trial.at(largest.parts) - largest.value) / largest.value;
  };
  const double free = missedBy(0), limited = limit > 0 ? missedBy(limit) : free;
  const double error = std::min(free, limited);
  if (error > kWorstHeldOut)
    throw InputError(Problem{
        .key = key,
        .message = fmt::format("does not grow as fitted: at {:.0f} parts, left out of the fit, it is "
                               "missed by {:.0f} %; at most {:.0f} % is accepted. Partition the graph "
                               "at the numbers of workers asked for",
                               largest.parts, error * 100, kWorstHeldOut * 100)});
  GrowthFit fit = fitOfLogarithms(sorted, limited <= free ? limit : 0);
  fit.heldOutError = error;
  return fit;
}

PartitionGrowth growthOf(std::span<const PartitionQuality> partitions, std::int64_t vertices,
                         double consumersPerVertex, bool directed) {
  std::vector<PartsFigure> halo, cut, boundary, rows, entries, sent;
  const auto sum = [](const std::vector<std::int64_t>& values) {
    return std::max(std::accumulate(values.begin(), values.end(), 0.0), 1.0);
  };
  for (const PartitionQuality& q : partitions) {
    const double parts = q.parts;
    const auto volume = static_cast<double>(q.volume);
    halo.push_back({parts, volume / static_cast<double>(std::max<std::int64_t>(vertices, 1))});
    cut.push_back({parts, static_cast<double>(q.cut) * (directed ? 1 : 2) / sum(q.nonzeros)});
    boundary.push_back({parts, sum(q.boundary) / sum(q.vertices)});
    rows.push_back({parts, largestOverMean(q.vertices) - 1});
    entries.push_back({parts, largestOverMean(q.nonzeros) - 1});
    sent.push_back({parts, volume > 0 ? static_cast<double>(q.maxVolume) * parts / volume - 1 : 0});
  }
  return {fitGrowth(halo, consumersPerVertex, "halo rows"),
          shareOf(cut),
          shareOf(boundary),
          excessOf(rows),
          excessOf(entries),
          excessOf(sent)};
}

WideFigures expectedFigures(const ConsumerHistogram& consumers, std::int64_t vertices, std::int64_t entries,
                            int ranks, int groups, std::uint64_t seed) {
  WideFigures figures;
  figures.ranks = ranks;
  figures.vertices = vertices;
  figures.entries = entries;
  figures.haloRows = expectedHaloRows(consumers, ranks);
  figures.groupHaloRows = expectedHaloRows(consumers, groups);
  figures.rows = dealt(vertices, even(ranks));
  const double mean = meanConsumers(consumers);
  double variance = 0;  // of a vertex's entries
  for (const auto& [k, count] : consumers)
    variance +=
        static_cast<double>(count) * (static_cast<double>(k) - mean) * (static_cast<double>(k) - mean);
  const double p = ranks;
  figures.entriesOf = dealt(entries, scattered(ranks, static_cast<double>(entries) / p,
                                               std::sqrt(variance / p * (1 - 1 / p)), seed, 0));
  const double each = figures.haloRows / p;  // Poisson: deviation √mean
  figures.sends = scattered(ranks, each, std::sqrt(each), seed, 1);
  figures.receives = scattered(ranks, each, std::sqrt(each), seed, 2);
  setOwnShares(consumers, entries, p, figures);
  return figures;
}

WideFigures fittedFigures(const PartitionGrowth& growth, std::int64_t vertices, std::int64_t entries,
                          std::int64_t arcs, int ranks, int groups) {
  const double p = ranks, n = static_cast<double>(vertices);
  WideFigures figures;
  figures.origin = PlanOrigin::fitted;
  figures.ranks = ranks;
  figures.vertices = vertices;
  figures.entries = entries;
  figures.haloRows = ranks > 1 ? n * growth.haloRowsPerVertex.at(p) : 0;
  figures.groupHaloRows = groups > 1 ? n * growth.haloRowsPerVertex.at(groups) : 0;
  figures.rows = dealt(vertices, led(ranks, growth.rowsExcess.at(p)));
  figures.entriesOf = dealt(entries, led(ranks, growth.entriesExcess.at(p)));
  figures.sends = figures.receives = led(ranks, growth.sentExcess.at(p));
  if (ranks > 1) {
    const double crossing = growth.cutShare.at(p) * static_cast<double>(arcs);
    figures.ownShare = 1 - crossing / static_cast<double>(std::max<std::int64_t>(entries, 1));
    figures.centralShare = std::min(figures.ownShare, 1 - growth.boundaryShare.at(p));
  }
  return figures;
}

std::vector<std::int64_t> dealt(std::int64_t total, std::span<const double> shares) {
  HALO_CHECK(!shares.empty());
  std::vector<std::int64_t> values;
  double sum = 0;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    sum += shares[i];
    const std::int64_t upTo =
        i + 1 == shares.size()
            ? total
            : std::clamp<std::int64_t>(std::llround(sum * static_cast<double>(total)), begin, total);
    values.push_back(upTo - begin);
    begin = upTo;
  }
  return values;
}

}  // namespace halo::cluster
