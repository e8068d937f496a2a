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

/// What one worker sends, or gets, in every epoch of a run.
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

constexpr auto kSides = R"sql(
SELECT worker, sent, epoch, sum(bytes), sum(messages) FROM (
  SELECT source AS worker, 1 AS sent, epoch, bytes, messages FROM message WHERE run_id = ?
  UNION ALL SELECT CASE WHEN target < 0 THEN source ELSE target END, 0, epoch, bytes, messages
  FROM message WHERE run_id = ?)
GROUP BY worker, sent, epoch ORDER BY worker, sent, epoch)sql";

}  // namespace

// A link's times are whole nanoseconds: each message may be half a one shorter than its bytes.
void checkWire(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings) {
  const auto link = run.parameters.find("cluster.link.bandwidth_gbit");
  if (!run.trains() || run.row.workers < 2 || link == run.parameters.end() || !traits.lateEpochs) return;
  const double bitsPerNs = std::strtod(link->second.c_str(), nullptr);
  if (!(bitsPerNs > 0) || *traits.lateEpochs < 0) return;
  const auto late = static_cast<std::size_t>(*traits.lateEpochs);
  std::vector<double> wallNs;
  for (const EpochRow& row : Epochs(database).epochs(run.row.id)) {
    if (row.epoch != static_cast<std::int64_t>(wallNs.size())) return;  // found otherwise
    wallNs.push_back(static_cast<double>(row.wallNs));
  }
  std::int64_t worker = -1, sent = 0;
  Side side(wallNs.size());
  const auto judge = [&] {
    const Stretch worst = worstOf(side, wallNs, late);
    if (worker >= 0 && worst.missingNs > 0)
      findings.add("bytes over bandwidth", run.row.id,
                   "epochs " + std::to_string(worst.first) + " to " + std::to_string(worst.last + late) +
                       ", worker " + std::to_string(worker),
                   told(side, wallNs, worst, late, link->second, sent != 0));
    side = Side(wallNs.size());
  };
  Statement rows(database, kSides);
  rows.bind(run.row.id).bind(run.row.id);
  while (rows.step()) {
    if (rows.integer(0) != worker || rows.integer(1) != sent) judge();
    worker = rows.integer(0);
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
