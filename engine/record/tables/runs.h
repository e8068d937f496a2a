#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/record/database/database.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// Tables `experiment`, `run`, `parameter`, `latest`, `worker`, `artifact`. All their SQL stands in runs.cpp.
class Runs {
 public:
  explicit Runs(Database& database) : db_(database) {}

  std::int64_t addExperiment(const std::string& name, const std::string& text);
  ExperimentRow experiment(std::int64_t id) const;
  bool hasExperiment(std::int64_t id) const;

  std::int64_t add(const RunRow& run);  // returns its id; run.id is ignored
  void update(const RunRow& run);       // every column of run.id
  /// Status with the time it was reached (running: started_at; an end: finished_at).
  void setStatus(std::int64_t run, const std::string& status, const std::string& error = "");
  std::vector<RunRow> all() const;  // by id
  std::optional<RunRow> find(std::int64_t id) const;
  /// Completed runs of this fingerprint (resume).
  std::vector<RunRow> ofFingerprint(const std::string& fingerprint) const;
  void remove(std::int64_t run);  // with everything of it
  void setTags(std::int64_t run, const std::string& tags);
  /// Runs that are `running` or `queued` by a supervisor of `host` that no longer lives become `interrupted`.
  int markInterrupted(const std::string& host);
  /// The same for who only reads: from here on they are read as interrupted, and the file stays as it is.
  /// Returns how many are so since it was last asked.
  int showInterrupted(const std::string& host);

  void setParameters(std::int64_t run, const std::map<std::string, std::string>& values);
  std::map<std::string, std::string> parameters(std::int64_t run) const;
  /// Those whose key begins with one of `sections` and a dot, without where figures come from (`….source`).
  std::map<std::string, std::string> parameters(std::int64_t run,
                                                std::span<const std::string_view> sections) const;
  /// Of each run the keys that not all runs have with one value. Cost: the whole table, twice.
  std::map<std::int64_t, std::map<std::string, std::string>> unlikeParameters() const;
  bool anyHas(const std::string& key) const;                                       // a parameter, in any run
  void setLatest(std::int64_t run, const std::map<std::string, double>& metrics);  // insert or replace
  std::map<std::string, double> latest(std::int64_t run) const;
  std::map<std::int64_t, std::map<std::string, double>> latestOfAll() const;

  void setWorkers(std::int64_t run, const std::vector<WorkerRow>& workers);  // insert or replace
  std::vector<WorkerRow> workers(std::int64_t run) const;

  void addArtifact(std::int64_t run, const ArtifactRow& artifact);
  void dropArtifact(std::int64_t run, const std::string& name);
  std::optional<ArtifactRow> artifact(std::int64_t run, const std::string& name) const;
  std::vector<std::string> artifactNames(std::int64_t run) const;

 private:
  std::vector<RunRow> dead(const std::string& host) const;

  Database& db_;
};

/// What runs have alike that repeat one another: their parameters but the seed, and what chance did to
/// scores.
std::map<std::string, std::string> withoutChance(std::map<std::string, std::string> parameters);

/// Memory goes by the workers that a run claims: throws RecordDamaged where they are more than an experiment
/// may ask for, or than are recorded.
void requireWorkers(Database& database, std::int64_t run, std::int64_t claimed);

/// To read only, with the runs of this machine whose supervisors ended before them as interrupted.
std::unique_ptr<Database> openToShow(const std::filesystem::path& file);

}  // namespace halo
