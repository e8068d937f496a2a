// No stretch of epochs is shorter than its bytes take on the emulated link.
#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <sstream>
#include <vector>

#include "engine/record/check/checks.h"
#include "engine/record/epochs.h"

namespace halo {
namespace {

/// What one card sends, or gets, in every epoch of a run.
struct Side {
  explicit Side(std::size_t epochs) : ns(epochs, 0), bytes(epochs, 0) {}
  std::vector<double> ns;  // that its bytes take at least
  std::vector<std::int64_t> bytes;
};

/// The stretch of epochs that falls shortest of what its bytes take.
struct Stretch {
  std::size_t first = 0, last = 0;
  double missingNs = 0;
};

/// What is posted in epoch e has arrived when epoch e + late ends. So of all stretches the worst is the one
/// that goes from the best beginning so far: one walk.
Stretch worstOf(const Side& side, const std::vector<double>& wallNs, std::size_t late) {
  Stretch worst;
  std::size_t first = 0;
  double bytes = 0, before = 0, leastBegin = 0, until = 0;
  for (std::size_t e = 0; e < late && e < wallNs.size(); ++e) until += wallNs[e];
  for (std::size_t e = 0; e + late < wallNs.size(); ++e) {
    if (e == 0 || bytes - before < leastBegin) {
      leastBegin = bytes - before;
      first = e;
    }
    bytes += side.ns[e];
    before += wallNs[e];
    until += wallNs[e + late];
    if (const double missing = bytes - until - leastBegin; missing > worst.missingNs)
      worst = {first, e, missing};
  }
  return worst;
}

std::string told(const Side& side, const std::vector<double>& wallNs, const Stretch& worst, std::size_t late,
                 const std::string& gbit, bool sent) {
  std::int64_t bytes = 0;
  double least = 0, took = 0;
  for (std::size_t e = worst.first; e <= worst.last; ++e) {
    bytes += side.bytes[e];
    least += side.ns[e];
  }
  for (std::size_t e = worst.first; e <= worst.last + late; ++e) took += wallNs[e];
  std::ostringstream out;
  out << std::fixed << std::setprecision(3) << (sent ? "sends " : "gets ") << bytes << " bytes";
  if (late > 0) out << " in all but the last " << late;
  out << ", which take " << least * 1e-6 << " ms at " << gbit << " Gbit/s; they took " << took * 1e-6
      << " ms";
  return out.str();
}

// ?1 the run, ?2 how many ranks share a card. What stays within a host takes none; a sum passes each card as
// a ring over the ranks does, which is what one rank of the host sends and gets of it.
constexpr auto kSides = R"sql(
SELECT card, sent, epoch, sum(bytes), sum(messages) FROM (
  SELECT source / ?2 AS card, 1 AS sent, epoch, bytes, messages FROM message
  WHERE run_id = ?1 AND target >= 0 AND source / ?2 <> target / ?2
  UNION ALL SELECT target / ?2, 0, epoch, bytes, messages FROM message
  WHERE run_id = ?1 AND target >= 0 AND source / ?2 <> target / ?2
  UNION ALL SELECT source / ?2, side.sent, epoch, max(bytes), max(messages) FROM
    (SELECT source, epoch, sum(bytes) AS bytes, sum(messages) AS messages FROM message
     WHERE run_id = ?1 AND target < 0 GROUP BY source, epoch),
    (SELECT 0 AS sent UNION ALL SELECT 1) AS side
  GROUP BY source / ?2, side.sent, epoch)
GROUP BY card, sent, epoch ORDER BY card, sent, epoch)sql";

/// 1 where each rank has a card of its own; 0 where it is not known.
std::int64_t ranksACard(const CheckedRun& run) {
  const auto shared = run.parameters.find("cluster.link.ranks_per_host");
  return shared == run.parameters.end() ? 1 : std::strtoll(shared->second.c_str(), nullptr, 10);
}

}  // namespace

// A link's times are whole nanoseconds: each message may be half a one shorter than its bytes.
void checkWire(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings) {
  if (!run.trains() || run.row.workers < 2 || !traits.lateEpochs) return;
  const double bitsPerNs = run.linkGbit();
  const std::int64_t share = ranksACard(run);
  if (!(bitsPerNs > 0) || *traits.lateEpochs < 0 || share < 1 || share >= run.row.workers) return;
  const auto late = static_cast<std::size_t>(*traits.lateEpochs);
  std::vector<double> wallNs;
  for (const EpochRow& row : Epochs(database).epochs(run.row.id)) {
    if (row.epoch != static_cast<std::int64_t>(wallNs.size())) return;  // found otherwise
    wallNs.push_back(static_cast<double>(row.wallNs));
  }
  std::int64_t card = -1, sent = 0;
  Side side(wallNs.size());
  const auto judge = [&] {
    const Stretch worst = worstOf(side, wallNs, late);
    if (card >= 0 && worst.missingNs > 0)
      findings.add("bytes over bandwidth", run.row.id,
                   "epochs " + std::to_string(worst.first) + " to " + std::to_string(worst.last + late) +
                       (share == 1 ? ", worker " : ", host ") + std::to_string(card),
                   told(side, wallNs, worst, late, run.word("cluster.link.bandwidth_gbit"), sent != 0));
    side = Side(wallNs.size());
  };
  Statement rows(database, kSides);
  rows.bind(run.row.id).bind(share);
  while (rows.step()) {
    if (rows.integer(0) != card || rows.integer(1) != sent) judge();
    card = rows.integer(0);
    sent = rows.integer(1);
    const auto epoch = static_cast<std::size_t>(rows.integer(2));
    if (epoch >= wallNs.size()) continue;
    side.bytes[epoch] = rows.integer(3);
    side.ns[epoch] = std::max(
        0.0, static_cast<double>(rows.integer(3)) * 8 / bitsPerNs - static_cast<double>(rows.integer(4)));
  }
  judge();
}

}  // namespace halo
