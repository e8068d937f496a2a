#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/record/trace/span.h"

namespace halo {

// One struct a table (resources/manual/reference/recording/tables.md), column by column. Units are
// in the names.

struct ExperimentRow {
  std::int64_t id = 0;
  std::string name;
  std::string text;       // the experiment file as it was
  std::string createdAt;  // UTC, ISO 8601
};

struct RunRow {
  std::int64_t id = 0;
  std::int64_t experimentId = 0;
  std::string name;
  std::string kind = "training";  // training | simulation
  std::string method, dataset, model;
  std::int64_t workers = 1;
  std::int64_t seed = 1;
  std::string status = "queued";  // queued | running | completed | failed | cancelled | interrupted
  std::string error;
  std::string marks;  // comma separated: "emulated link", "oversubscribed", "generated features", …
  std::string startedAt, finishedAt;
  std::string host, version;
  std::int64_t supervisorPid = 0;  // with host: how an interrupted run is found
  std::string fingerprint;         // of the resolved run; what --resume goes by
  std::string tags;                // comma separated
};

struct WorkerRow {
  std::int64_t rank = 0;
  std::string host;
  std::string role = "trainer";
  std::int64_t threads = 1;
  std::int64_t vertices = 0, boundary = 0, remote = 0, nonzeros = 0;
  std::int64_t featureBytes = 0, peakRssBytes = 0;
  std::int64_t clockOffsetNs = 0,
               clockUncertaintyNs = 0;  // add the offset to this rank's clock to get the run's
  std::int64_t droppedSpans = 0;
};

struct EpochRow {
  std::int64_t epoch = 0;    // from 0
  std::int64_t beginNs = 0;  // on the run's clock: the first rank to begin
  std::int64_t wallNs = 0;   // of the slowest worker
  double loss = 0;           // mean cross entropy over the training vertices, nats, before the update
  /// Accuracy or F1-micro. None: not measured, or nobody is in that split; NaN: measured, of outputs that are
  /// no numbers.
  std::optional<double> train, valid, test;
  /// On a real network: its messages do not follow each other as they will. Nothing was under way when it or
  /// an epoch shortly before it began. Its time says less than the method takes, and counts in no mean or
  /// median.
  bool filling = false;
};

/// What a rank spent and moved in one pass of one layer of one epoch; layer −1: outside the layers.
struct LayerRow {
  std::int64_t epoch = 0, rank = 0, layer = -1;
  Pass pass = Pass::none;
  std::int64_t aggregateNs = 0, updateNs = 0, activationNs = 0, lossNs = 0, optimizerNs = 0, sampleNs = 0,
               gatherNs = 0;
  std::int64_t cpuNs = 0;            // thread CPU time of the compute kinds together
  std::int64_t communicationNs = 0;  // of transfers sent and received, from posting to completion, summed
  std::int64_t exchangeWaitNs = 0;   // waiting for what is exchanged
  std::int64_t synchroniseNs = 0, quantiseNs = 0;
  std::int64_t bytesSent = 0, quantiseBytes = 0, messages = 0;
  std::int64_t predictedBytes = 0;  // by the method's closed form
  std::int64_t flop = 0;
  std::optional<double> stalenessAbsolute, stalenessRelative;  // Frobenius norm
  std::optional<std::int64_t> predictedMessages;               // none in recordings of schema 1
  std::optional<double> stalenessCosine, stalenessAge;         // none before schema 9; age in epochs
};

/// Why a rank waited in one pass of one layer of one epoch, in exchanges and where all meet together. Of
/// epochs whose spans are recorded.
struct WaitRow {
  std::int64_t epoch = 0, rank = 0, layer = -1;
  Pass pass = Pass::none;
  std::array<std::int64_t, kReasons> reasonNs{};  // in the order of the names, from waitsLateSender on
};

/// The ledger: what `source` sent to `target`. Collectives stand as their peers, target −1 when they reach
/// all.
struct MessageRow {
  std::int64_t epoch = 0, layer = -1;
  Pass pass = Pass::none;
  std::int64_t source = 0, target = -1, messages = 0, bytes = 0, predictedBytes = 0;
  std::optional<std::int64_t> predictedMessages;  // none in recordings of schema 1, and of simulations
};

/// Of a simulation: what one engine of a device did.
struct ComponentRow {
  std::string device, component;
  std::int64_t busyCycles = 0, stallCycles = 0, bytes = 0;
  double energyPj = 0;
};

struct ArtifactRow {
  std::string name, mediaType;
  std::string bytes;
};

}  // namespace halo
