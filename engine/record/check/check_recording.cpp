#include "engine/record/check/check_recording.h"

#include "engine/record/check/checks.h"
#include "engine/record/tables/runs.h"

namespace halo {

RecordingCheck checkRecording(Database& database, const CheckHelp& help) {
  Findings findings;
  const auto part = [&](auto check) {
    try {
      check();
    } catch (const RecordError& error) {
      findings.addDamage(error);  // a damaged page: the other parts may still tell more
    }
  };
  for (const auto check : {checkFile, checkLedger, checkRanges, checkCompleteness, checkWholeNumbers,
                           checkScores, checkValues, checkBounds, checkIterations, checkStages})
    part([&] { check(database, findings); });
  part([&] { checkTexts(database, help, findings); });
  std::vector<RunRow> runs;
  part([&] { runs = Runs(database).all(); });
  for (const RunRow& row : runs) {
    CheckedRun run{row, {}};
    part([&] { run.parameters = Runs(database).parameters(row.id); });
    const MethodTraits traits =
        help.traits && run.trains() ? help.traits(row, run.parameters) : MethodTraits();
    part([&] { checkRunRow(run, findings); });
    part([&] { checkMethod(database, run, traits, findings); });
    part([&] { checkWire(database, run, traits, findings); });
    part([&] { checkBatches(database, run, traits, findings); });
    part([&] { checkDecisions(database, run, findings); });
    part([&] { checkLatest(database, run, findings); });
    part([&] { checkArtifacts(database, run, help, findings); });
    part([&] { checkSpans(database, run, traits, findings); });
  }
  return {findings.faults(), findings.notes(), findings.damaged()};
}

}  // namespace halo
