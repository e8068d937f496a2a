#pragma once

#include <map>
#include <string>

#include "engine/record/check/check_recording.h"
#include "engine/record/check/findings.h"
#include "engine/record/rows/rows.h"

namespace halo {

// What `haloscope check` looks at, one subject a file. Each takes time linear in the rows it reads, and what
// SQLite's sorting takes. Each keeps no more than one epoch of a table, or one row a rank, epoch, layer and
// pass.

/// A run with its keys.
struct CheckedRun {
  RunRow row;
  std::map<std::string, std::string> parameters;

  /// A key's text without its quotes; empty where it is not recorded.
  std::string word(const std::string& key) const;
  /// A key's whole number, or `otherwise` where it is not recorded or none.
  std::int64_t number(const std::string& key, std::int64_t otherwise) const;
  /// Of the emulated link; 0: there is none.
  double linkGbit() const;
  bool trains() const { return row.kind == "training"; }
  bool completed() const { return row.status == "completed"; }
};

// of the whole file
void checkFile(Database& database, Findings& findings);
void checkTexts(Database& database, const CheckHelp& help, Findings& findings);
void checkLedger(Database& database, Findings& findings);
void checkRanges(Database& database, Findings& findings);
void checkCompleteness(Database& database, Findings& findings);
void checkWholeNumbers(Database& database, Findings& findings);
void checkScores(Database& database, Findings& findings);
void checkValues(Database& database, Findings& findings);
void checkBounds(Database& database, Findings& findings);
void checkIterations(Database& database, Findings& findings);
void checkStages(Database& database, Findings& findings);

// of one run
void checkRunRow(const CheckedRun& run, Findings& findings);
void checkMethod(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings);
void checkWire(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings);
void checkBatches(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings);
void checkDecisions(Database& database, const CheckedRun& run, Findings& findings);
void checkLatest(Database& database, const CheckedRun& run, Findings& findings);
void checkArtifacts(Database& database, const CheckedRun& run, const CheckHelp& help, Findings& findings);
void checkSpans(Database& database, const CheckedRun& run, const MethodTraits& traits, Findings& findings);

}  // namespace halo
