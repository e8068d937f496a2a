#pragma once

#include <filesystem>
#include <string>

#include "engine/record/database/database.h"

namespace halo {

/// Takes from the tables what schema 8 did not have.
inline void dropSinceSchema8(Database& database) {
  for (const char* column : {"staleness_cosine", "staleness_age"})
    database.execute(std::string("ALTER TABLE layer DROP COLUMN ") + column);
}

/// Takes from the tables what schema 6 did not have.
inline void dropSinceSchema6(Database& database) {
  dropSinceSchema8(database);
  for (const char* table : {"actor", "stage", "decision"})
    database.execute(std::string("DROP TABLE ") + table);
  database.execute("DELETE FROM span_block WHERE actor IS NOT NULL");
  database.execute("ALTER TABLE span_block DROP COLUMN actor");
}

/// Takes from the tables what schema 5 did not have.
inline void dropSinceSchema5(Database& database) {
  dropSinceSchema6(database);
  for (const char* table : {"iteration", "block", "cache"})
    database.execute(std::string("DROP TABLE ") + table);
}

/// Takes from the tables what schema 4 did not have, and calls what it had as it did.
inline void dropSinceSchema4(Database& database) {
  dropSinceSchema5(database);
  database.execute("ALTER TABLE layer RENAME COLUMN exchange_wait_ns TO exposed_ns");
  database.execute("DELETE FROM latest WHERE metric = 'exposed_share'");
  database.execute("UPDATE latest SET metric = 'exposed_share' WHERE metric = 'exchange_wait_share'");
  database.execute("DELETE FROM latest WHERE metric LIKE 'wait\\_%' ESCAPE '\\'");
  database.execute("DROP TABLE waiting");
  database.execute("DELETE FROM span_block WHERE lane IN ('wait', 'message')");
  database.execute("PRAGMA writable_schema = ON");
  database.execute(
      "UPDATE sqlite_schema SET sql = replace(sql, ', ''wait'', ''message''', '') WHERE name = 'span_block'");
  database.execute("PRAGMA writable_schema = RESET");
}

/// Takes from the tables what schema 1 did not have.
inline void dropSinceSchema1(Database& database) {
  dropSinceSchema4(database);
  database.execute("ALTER TABLE message DROP COLUMN predicted_messages");
  database.execute("ALTER TABLE epoch DROP COLUMN filling");
  database.execute("ALTER TABLE layer DROP COLUMN predicted_messages");
  database.execute("DELETE FROM latest WHERE metric = 'predicted_messages_per_epoch'");
}

/// To schema 1, as an older version has written it.
inline void makeOlder(Database& database) {
  dropSinceSchema1(database);
  database.execute("PRAGMA user_version = 1");
}
inline void makeOlder(const std::filesystem::path& file) {
  Database database(file, Access::readWrite);
  makeOlder(database);
}

}  // namespace halo
