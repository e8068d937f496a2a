// Recordings of others, as the commands that only look at them open them, and blocks of spans.

#include <fcntl.h>
#include <libdeflate.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "app/commands/command.h"
#include "engine/record/tables/span_block.h"
#include "engine/record/tables/spans.h"
#include "tests/engine/record/random_spans.h"
#include "tests/engine/record/sound_recording.h"
#include "tests/fuzz/harness.h"
#include "tests/support/places.h"

namespace halo::fuzz {
namespace {

/// While it lives nothing comes out on standard output.
class Silent {
 public:
  Silent() : kept_(::dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::close(nowhere);
  }
  ~Silent() {
    std::fflush(stdout);
    ::dup2(kept_, STDOUT_FILENO);
    ::close(kept_);
  }
  Silent(const Silent&) = delete;
  Silent& operator=(const Silent&) = delete;

 private:
  int kept_;
};

/// The command as a person calls it, without the words for what it throws.
void command(std::vector<std::string> words) {
  CLI::App app;
  app.require_subcommand(1);
  app.fallthrough();
  Common common;
  Action action;
  app.add_option("--db", common.db);
  app.add_flag("--json", common.json);
  app.add_flag("--force", common.force);
  addList(app, common, action);
  addCompare(app, common, action);
  addExport(app, common, action);
  addRecording(app, common, action);
  std::ranges::reverse(words);
  app.parse(words);
  action();
}

/// Each command by itself: what one of them refuses another may read.
void look(const std::filesystem::path& file) {
  const std::string db = file.string(), out = (file.parent_path() / "out").string();
  const Silent silent;
  std::exception_ptr refused;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"list"},
        {"list", "--json"},
        {"show", "last"},
        {"check"},
        {"compare", "last"},
        {"export", "last", "--format", "csv", "--output", out},
        {"export", "last", "--format", "chrome-trace", "--output", out}}) {
    std::vector<std::string> all = {"--db", db};
    all.insert(all.end(), words.begin(), words.end());
    try {
      command(all);
    } catch (const RecordError&) {
      refused = std::current_exception();
    } catch (const InputError&) {
      refused = std::current_exception();
    }
  }
  if (refused) std::rethrow_exception(refused);
}

void readRecording(std::string_view bytes) {
  const auto file = emptyFolder() / "r.db";
  std::ofstream(file, std::ios::binary) << bytes;
  look(file);
}

std::string soundRecording() {
  const auto file = emptyFolder() / "sound.db";
  {
    Database database(file, Access::create);
    SoundRecording(database, {});
    database.execute("PRAGMA journal_mode = DELETE");
    database.execute("VACUUM");
  }
  return bytesOf(file);
}

/// A sound recording some of whose cells are replaced: lines "TABLE COLUMN ROW VALUE" with a value of SQL
/// without blanks outside quotes; what SQLite refuses is left out.
void readCells(std::string_view bytes) {
  static const std::string sound = soundRecording();
  const auto file = emptyFolder() / "r.db";
  std::ofstream(file, std::ios::binary) << sound;
  {
    Database database(file, Access::readWrite);
    database.execute("PRAGMA foreign_keys = OFF");
    std::istringstream lines{std::string(bytes)};
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string table, column, row, value;
      words >> table >> column >> row;
      std::getline(words, value);
      try {
        database.execute("UPDATE " + table + " SET " + column + " = " + value + " WHERE rowid = " + row);
      } catch (const RecordError&) {
      }
    }
    database.execute("PRAGMA journal_mode = DELETE");
  }
  look(file);
}

std::vector<std::string> cellSeeds() {
  std::vector<std::string> seeds;
  const std::string sound = soundRecording();  // which uses the same folder
  const auto file = emptyFolder() / "cells.db";
  std::ofstream(file, std::ios::binary) << sound;
  Database database(file, Access::readOnly);
  Statement tables(
      database,
      "SELECT m.name, p.name FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table'");
  constexpr const char* kValues[] = {"-1",      "NULL",   "9223372036854775807", "'<x>'", "1e308",
                                     "x'00ff'", "'[run]'"};
  while (tables.step())
    for (const char* value : kValues)
      seeds.push_back(tables.text(0) + " " + tables.text(1) + " 1 " + value + "\n");
  return seeds;
}

void readBlock(std::string_view bytes) { (void)unpackSpans(bytes); }

/// The same with the checksum that fits (resources/manual/reference/recording/span-blocks.md).
void readBlockOfChecksum(std::string_view bytes) {
  constexpr std::size_t kCrcAt = 16;
  std::string block(bytes);
  if (block.size() < kCrcAt + 4) return readBlock(block);
  const std::uint32_t crc = libdeflate_crc32(libdeflate_crc32(0, block.data(), kCrcAt),
                                             block.data() + kCrcAt + 4, block.size() - kCrcAt - 4);
  std::memcpy(block.data() + kCrcAt, &crc, sizeof crc);
  readBlock(block);
}

std::vector<std::string> blockSeeds() {
  std::vector<std::string> seeds;
  for (const std::size_t count : {0U, 1U, 7U, 200U})
    for (const Packing packing : {Packing::plain, Packing::deflated})
      for (const bool wild : {false, true})
        seeds.push_back(packSpans(randomSpans(count, count + 1, Lane::main, wild), packing));
  return seeds;
}

}  // namespace

std::vector<Harness> recordingHarnesses() {
  return {{"recording", readRecording, [] { return std::vector{soundRecording()}; }},
          {"recording-cells", readCells, cellSeeds},
          {"span-block", readBlock, blockSeeds},
          {"span-block-columns", readBlockOfChecksum, blockSeeds}};
}

}  // namespace halo::fuzz
