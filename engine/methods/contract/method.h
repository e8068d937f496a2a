#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/matrix.h"
#include "engine/methods/contract/holdings.h"
#include "engine/methods/contract/iteration.h"
#include "engine/record/rows/rows.h"
#include "engine/record/trace/span.h"

namespace halo {

/// Work of this rank in one pass of one layer; layer −1: loss and optimizer.
struct WorkRow {
  int layer = -1;
  Pass pass = Pass::none;
  std::int64_t flop = 0;
  std::int64_t cpuNs = 0;  // of the driving thread, inside compute spans
  // of `flop` what aggregations are, and what they move by the closed forms of engine/kernels/threads/work.h
  std::int64_t aggregationFlop = 0, aggregationLeastBytes = 0, aggregationMostBytes = 0;
};

/// How far the neighbours' rows that one pass of one layer used are from what they were at that moment. The
/// distances are Frobenius norms over this rank's halo (forward) or boundary (backward) rows. They are
/// absolute, and over the fresh values' norm (0 where both are 0). The cosine is between used and fresh
/// values, none where one of them is all 0. The age is in epochs, a mean over rows; none where the method
/// tells none.
struct Staleness {
  int layer = 0;
  Pass pass = Pass::forward;
  double absolute = 0, relative = 0;
  std::optional<double> cosine = {}, age = {};
};

/// One training method on one rank.
class Method {
 public:
  virtual ~Method() = default;
  /// Forward, backward, update; returns the global loss before the update. Collective.
  virtual double runEpoch(std::int32_t epoch) = 0;
  /// Scores of the forward pass that runEpoch just did when dropout is 0, else of an extra pass. Collective.
  virtual EpochRow evaluate() = 0;
  /// In place of evaluate: keeps the weights that it would go by, for evaluateKept, and neither sends nor
  /// waits.
  virtual void keepForEvaluation() = 0;
  /// Scores of the epochs that were kept since it was last called, in order. Collective.
  virtual std::vector<EpochRow> evaluateKept() = 0;
  /// Before an epoch that will be probed: makes room for what the probe needs of it. The epoch itself then
  /// neither copies nor allocates for the probe.
  virtual void prepareProbe() {}
  /// Of the epoch that runEpoch just did, by an exchange of its own that is neither timed nor counted. To be
  /// called before evaluate, and after prepareProbe and no other epoch. Gives back what was kept. Collective.
  virtual std::vector<Staleness> probeStaleness() = 0;
  /// Bytes this rank keeps, by what for (kMemoryCategories).
  virtual Memory memory() const = 0;
  /// Of all categories together.
  std::int64_t memoryBytes() const {
    const Memory all = memory();
    return std::accumulate(all.begin(), all.end(), std::int64_t{0});
  }
  /// Where it is not the halo of the share that the rank got.
  virtual std::optional<Holdings> holdings() const { return std::nullopt; }
  /// The last forward pass's outputs of the own rows (own × classes), or nullptr.
  virtual const Matrix* logits() const { return nullptr; }
  /// Figures of its own over all epochs so far, by the name they are recorded under (MethodEntry::figures);
  /// the same on every rank.
  virtual std::map<std::string, double> metrics() const { return {}; }
  /// Rows that travelled in the epoch that runEpoch just did, where the method decided that while it trained.
  /// They are tables as its own `predict` reads them (VolumeRequest::decided), the same on every rank. Empty:
  /// nothing was decided that could not be known before.
  virtual std::vector<RowTable> decided() const { return {}; }
  /// Updates of an epoch of a method that trains in mini-batches; 0: it does not. The same on every rank.
  virtual std::int64_t iterations() const { return 0; }
  /// Who does what on this rank, where several do at once; asked once, before the first epoch. Numbered over
  /// the ranks; each row names its rank.
  virtual std::vector<ActorRow> actors() const { return {}; }
  /// What it found out before the first epoch, by the key that it is recorded under ("result.dilation"); the
  /// same on every rank.
  virtual std::map<std::string, std::string> findings() const { return {}; }
  /// When the epoch that runEpoch just did began and ended, where that is not of this machine's clock:
  /// modelled time. The same on every rank.
  virtual std::optional<EpochClock> modelledEpoch() const { return std::nullopt; }
  /// Of this rank's batches in the epoch that runEpoch just did.
  virtual BatchSums batchSums() const { return {}; }
  /// Waits for what is still under way. Collective: to be called before the method goes, wherever all ranks
  /// end together.
  virtual void finish() {}
  /// What all who read its numbers must know of how they came about, in a word or two; the same on every
  /// rank.
  virtual std::vector<std::string> marks() const { return {}; }
  /// What this rank does in the training.
  virtual std::string_view role() const { return "trainer"; }
  /// FLOP since the last call, by layer and pass.
  std::vector<WorkRow> takeWork() {
    std::vector<WorkRow> rows = work_;
    work_.clear();  // what it holds stays: the next epoch shall not allocate
    return rows;
  }

 protected:
  std::vector<WorkRow> work_;
};

}  // namespace halo
