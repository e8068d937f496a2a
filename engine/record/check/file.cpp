#include "engine/record/check/checks.h"
#include "engine/record/database/database_errors.h"
#include "engine/record/database/schema.h"

namespace halo {

void checkFile(Database& database, Findings& findings) {
  if (const std::string report = database.integrity(); report != "ok") {
    findings.addDamage("the file is damaged; save what can be read with: " + recoverCommand(database.file()) +
                       ". SQLite found: " + report);
  }
  Statement keys(database, "PRAGMA foreign_key_check");
  while (keys.step())
    findings.addDamage("table " + keys.text(0) + ", row " + keys.text(1) + ": belongs to a row of " +
                       keys.text(2) + " that is not there");
  Statement meta(database, "SELECT value FROM meta WHERE key = 'schema version'");
  const std::string recordedVersion = meta.step() ? meta.text(0) : "none",
                    fileVersion = std::to_string(schemaVersion(database));
  if (recordedVersion != fileVersion)
    findings.addDamage("table meta: the schema version is " + recordedVersion +
                       ", the file's own (user_version) is " + fileVersion);
}

}  // namespace halo
