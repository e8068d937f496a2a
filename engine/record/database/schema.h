#pragma once

#include <span>
#include <string>

#include "engine/record/database/database.h"

namespace halo {

/// The format's version stands in PRAGMA user_version and in meta. A column or table is appended, never
/// renamed or given a new meaning; each step to a newer version is one Migration.
constexpr std::int64_t kSchemaVersion = 9;
/// PRAGMA application_id, "HALO": tells a recording from any other SQLite file.
constexpr std::int64_t kApplicationId = 0x48414C4F;

/// SQL that makes version `from` + 1 of version `from`.
struct Migration {
  std::int64_t from = 0;
  const char* sql = nullptr;
};

/// Every step there is, in order: `kSchemaVersion` is the last one's from + 1.
std::span<const Migration> migrations();

/// Makes the tables of an empty file; safe when two programs do so at once.
void createSchema(Database& database);

/// Adds the kinds and names of spans that have been appended since the file was made. They are data, so that
/// takes no new version. Whoever knows fewer calls the others unknown.
void completeNames(Database& database);

/// Brings an older recording to the version the last of `steps` ends at. First copies it to FILE.v<N>.bak,
/// with a number where that name is taken; what is a copy already is not copied. Then does all steps in one
/// transaction. Throws RecordDamaged where a step is missing.
void migrate(Database& database, std::span<const Migration> steps);

std::int64_t schemaVersion(Database& database);

}  // namespace halo
