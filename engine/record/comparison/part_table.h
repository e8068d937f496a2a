#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/record/comparison/time_parts.h"
#include "engine/record/comparison/traffic.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// A part of the graph: what its rank holds, and what that does in an epoch, as means over the epochs in
/// scope. NaN: not recorded.
struct PartFigures {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  // of table `worker`
  double vertices = kNone, arcs = kNone, boundary = kNone, haloRows = kNone;
  double replication = kNone;  // (vertices + haloRows) ÷ vertices
  double flop = kNone;
  double sentBytes = 0;       // as the ledger says
  double receivedBytes = 0;   // without collectives, whose ledger names no receiver
  double computeNs = kNone;   // TimePart::compute
  double waitNs = kNone;      // for whatever reason
  double exchangeNs = kNone;  // in which a transfer to this rank was under way
};

/// What a rank did over the epochs in scope, as far as it is recorded.
struct RankTimes {
  std::optional<PartSums> bySpans, byRows;
  std::optional<std::int64_t> exchangeNs;
};

/// How long at least one transfer of lane link was under way within the epochs; `link` by begin. Cost:
/// linear.
std::int64_t exchangeNsOf(std::span<const Span> link, const std::vector<EpochRow>& epochs);

/// All that the parts of one run are made of.
struct PartSources {
  std::span<const WorkerRow> workers;
  const std::vector<EpochRow>& inScope;
  std::span<const LayerRow> layers;
  const RunTraffic& traffic;
  std::span<const RankTimes> times;  // of each rank that trains
  bool bySpans = false;              // which of the times count
};
/// Rank by rank.
std::vector<PartFigures> partsOf(const PartSources& sources);

/// y ≈ intercept + slope · x.
struct LineFit {
  double intercept = 0, slope = 0;
  double r2 = 0;  // 1 − Σ (y − fit)² ÷ Σ (y − mean)²
  std::size_t points = 0;
};
/// By least squares. Points that are not finite are left out. None of fewer than three, which any line fits,
/// or where all x or all y are alike.
std::optional<LineFit> fitLine(std::span<const double> x, std::span<const double> y);

struct PartsOfRun {
  std::int64_t run = 0;
  std::vector<PartFigures> parts;
};
/// The parts of a configuration.
struct PartTable {
  std::vector<PartsOfRun> runs;
  std::vector<PartFigures> means;  // of each rank, over the runs; the graph is cut anew for every seed
  std::optional<LineFit> fit;      // of the exchange, ns, over halo rows: a point a run and rank
};
PartTable partTable(std::vector<PartsOfRun> runs);

/// One column, the same wherever parts stand.
struct PartQuantity {
  enum class Unit { count, ratio, flop, bytes, ns };
  std::string_view key;      // "sent_bytes"
  std::string_view title;    // "sent"
  std::string_view meaning;  // in a sentence
  Unit unit = Unit::count;
  double PartFigures::*value = nullptr;
};
std::span<const PartQuantity> partQuantities();

}  // namespace halo
