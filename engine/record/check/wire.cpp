// No stretch of epochs is shorter than its bytes take on the emulated link, or on the network that hosts
// have.
#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <optional>
#include <sstream>
#include <vector>

#include "engine/base/index.h"
#include "engine/record/analysis/card_load.h"
#include "engine/record/check/checks.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"

namespace halo {
namespace {

/// What carried a run's messages.
struct Wire {
  std::string gbit;  // of one way, as recorded
  double bitsPerNs = 0;
  bool real = false;
};

/// What one card sends, or gets, in every epoch of a run.
struct Side {
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

std::string stretchInWords(const Side& side, const std::vector<double>& wallNs, const Stretch& worst,
                           std::size_t late, const Wire& wire, bool sent) {
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
  out << ", which take " << least * 1e-6 << " ms at " << wire.gbit << " Gbit/s"
      << (wire.real ? " + 5 % but for 1 MiB" : "") << "; they took " << took * 1e-6 << " ms";
  return out.str();
}

/// The bandwidth of a real network was measured, and a run may find it a little faster. A shaper that saved
/// up while nothing travelled lets so many bytes of a stretch through at once.
constexpr double kMeasuredWithin = 0.05, kSavedBytes = 1 << 20;

std::optional<Wire> wireOf(const CheckedRun& run) {
  for (const bool real : {false, true}) {
    const auto bandwidth =
        run.parameters.find(real ? "cluster.wire.bandwidth_gbit" : "cluster.link.bandwidth_gbit");
    if (bandwidth == run.parameters.end()) continue;
    const double gbit = std::strtod(bandwidth->second.c_str(), nullptr);
    return gbit > 0 ? std::optional(Wire{bandwidth->second, gbit * (real ? 1 + kMeasuredWithin : 1), real})
                    : std::nullopt;
  }
  return std::nullopt;
}

/// Of every epoch; empty where they are not numbered from 0, which is found otherwise. Nothing stops a real
/// network between two epochs, so that what is late has the time until the next begins.
std::vector<double> timesOf(const std::vector<EpochRow>& epochs, bool untilNext) {
  std::vector<double> ns;
  for (std::size_t e = 0; e < epochs.size(); ++e) {
    if (epochs[e].epoch != static_cast<std::int64_t>(e)) return {};
    const bool last = e + 1 == epochs.size();
    ns.push_back(static_cast<double>(untilNext && !last ? epochs[e + 1].beginNs - epochs[e].beginNs
                                                        : epochs[e].wallNs));
  }
  return ns;
}

struct Sides {
  Side received, sent;
};

/// A link's times are whole nanoseconds: each message may be half a one shorter than its bytes. How a real
/// network's sums travel is MPI's choice, so they count for nothing there.
void add(Sides& sides, CardLoad load, const Wire& wire) {
  if (wire.real) load.sums = {};
  const auto addTo = [&](Side& side, const CardLoad::Way& way) {
    const std::int64_t bytes = way.bytes + load.sums.bytes, messages = way.messages + load.sums.messages;
    side.bytes.push_back(bytes);
    side.ns.push_back(
        std::max(0.0, static_cast<double>(bytes) * 8 / wire.bitsPerNs - static_cast<double>(messages)));
  };
  addTo(sides.received, load.received);
  addTo(sides.sent, load.sent);
}

}  // namespace

void checkWire(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings) {
  const auto wire = wireOf(run);
  if (!run.trains() || run.row.workers < 2 || !wire || !traits.lateEpochs || *traits.lateEpochs < 0) return;
  const std::vector<std::size_t> cards = cardsOfRanks(run.parameters, Runs(database).workers(run.row.id));
  if (cards.empty()) return;
  const Epochs table(database);
  const auto late = at(*traits.lateEpochs);
  const std::vector<double> wallNs = timesOf(table.epochs(run.row.id), wire->real && late > 0);
  std::vector<Sides> sides(std::ranges::max(cards) + 1);
  for (std::size_t e = 0; e < wallNs.size(); ++e) {
    const auto loads = cardLoads(table.messagesOf(run.row.id, static_cast<std::int64_t>(e)), cards);
    for (std::size_t card = 0; card < loads.size(); ++card) add(sides[card], loads[card], *wire);
  }
  const char* const who = sides.size() == cards.size() ? ", worker " : ", host ";
  for (std::size_t card = 0; card < sides.size(); ++card)
    for (const bool sent : {false, true}) {
      const Side& side = sent ? sides[card].sent : sides[card].received;
      const Stretch worst = worstOf(side, wallNs, late);
      if (worst.missingNs > (wire->real ? kSavedBytes * 8 / wire->bitsPerNs : 0))
        findings.add("bytes over bandwidth", run.row.id,
                     "epochs " + std::to_string(worst.first) + " to " + std::to_string(worst.last + late) +
                         who + std::to_string(card),
                     stretchInWords(side, wallNs, worst, late, *wire, sent));
    }
}

}  // namespace halo
