#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/rows/layer_products.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// What is known of a run's method with its keys.
struct MethodTraits {
  bool exact = false;  // gives what one worker gives: it uses fresh rows
  /// Epochs that what is sent may be on its way; none: not known.
  std::optional<std::int64_t> lateEpochs;
  bool probed = false;       // its staleness is measured, as often as record.staleness says
  bool slicesInput = false;  // layer 0 of every worker's batches is computed by all, some features each
  /// Of its layers' kind; none: their work is not held to blocks.
  std::optional<LayerProducts> products = {};
};

/// What the recording's folder cannot know: of methods, and of formats. What is empty is not looked at.
struct CheckHelp {
  std::function<MethodTraits(const RunRow& run, const std::map<std::string, std::string>& parameters)> traits;
  /// Why the bytes of an .npz cannot be read; empty where they can.
  std::function<std::string(const std::string& bytes)> unreadableNpz;
  /// Why the text of an experiment cannot be read; empty where it can.
  std::function<std::string(const std::string& text)> unreadableExperiment = {};
};

struct RecordingCheck {
  std::vector<std::string> faults;  // a sentence each: the place, the thing, what would be right
  std::vector<std::string> notes;   // what is worth knowing and not wrong
  bool damaged = false;             // among the faults is one that keeps a part of the file from being read
};

/// Everything that is wrong with a recording; of one kind the first few and how many more. It looks at
/// SQLite's own integrity and foreign keys, and at every span block against its checksum and its row. What is
/// recorded twice, or follows from other rows, must agree: the ledger with counters and predictions, keys
/// with the run's row and fingerprint. Spans must agree with times, and `latest` with what it sums up.
/// Workers, layers and epochs that must or cannot be are looked for, and so are values that cannot be. The
/// list of all is resources/manual/reference/recording/checks.md. Reads the whole file once or twice; writes
/// nothing. To look at one state of a file that is being written, hold a transaction.
RecordingCheck checkRecording(Database& database, const CheckHelp& help = {});

}  // namespace halo
