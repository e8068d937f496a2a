#include <algorithm>
#include <charconv>
#include <map>

#include "engine/record/check/checks.h"
#include "engine/record/tables/runs.h"

namespace halo {
namespace {

/// How many vertices each worker has by the artifact, a line each; what is wrong with it where it is none.
std::string countOwners(const std::string& bytes, std::int64_t workers,
                        std::map<std::int64_t, std::int64_t>& vertices) {
  std::int64_t line = 0;
  for (std::size_t at = 0; at < bytes.size(); ++line) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    std::int64_t owner = -1;
    const auto [last, error] = std::from_chars(bytes.data() + at, bytes.data() + end, owner);
    if (error != std::errc() || last != bytes.data() + end || owner < 0 || owner >= workers)
      return "line " + std::to_string(line + 1) + " is no worker; a number from 0 to " +
             std::to_string(workers - 1);
    ++vertices[owner];
    at = end + 1;
  }
  return {};
}

void checkPartition(Database& database, const CheckedRun& run, const std::string& bytes, Findings& findings) {
  std::map<std::int64_t, std::int64_t> vertices;
  if (const std::string fault = countOwners(bytes, run.row.workers, vertices); !fault.empty()) {
    findings.add("artifact", run.row.id, "artifact 'partition'", fault);
    return;
  }
  std::int64_t lines = 0, rows = 0;
  const bool moves = run.number("run.resplit", 0) > 0;  // roc: the workers hold others in the end
  for (const WorkerRow& worker : Runs(database).workers(run.row.id)) {
    const std::int64_t own = vertices[worker.rank];
    lines += own;
    rows += worker.vertices;
    if (own != worker.vertices && !moves)
      findings.add("partition", run.row.id, "artifact 'partition'",
                   "gives worker " + std::to_string(worker.rank) + " " + std::to_string(own) +
                       " vertices, its row in worker has " + std::to_string(worker.vertices));
  }
  if (lines != rows && moves)
    findings.add("partition", run.row.id, "artifact 'partition'",
                 "gives the workers " + std::to_string(lines) + " vertices, their rows in worker have " +
                     std::to_string(rows));
}

/// Of those that training writes.
const char* typeOf(const std::string& name) {
  if (name == "weights") return "application/x-npz";
  return name == "partition" || name == "launch" || name == "log" ? "text/plain" : nullptr;
}

}  // namespace

void checkArtifacts(Database& database, const CheckedRun& run, const CheckHelp& help, Findings& findings) {
  const Runs runs(database);
  for (const std::string& name : runs.artifactNames(run.row.id)) {
    const auto artifact = runs.artifact(run.row.id, name);
    if (!artifact) continue;
    const std::string place = "artifact '" + name + "'";
    // a log is what programs wrote, whatever that was
    if (artifact->mediaType.starts_with("text/") && name != "log" &&
        artifact->bytes.find('\0') != std::string::npos)
      findings.add("artifact", run.row.id, place, "is " + artifact->mediaType + " and holds zero bytes");
    else if (const char* type = typeOf(name); run.trains() && type != nullptr && artifact->mediaType != type)
      findings.add("artifact", run.row.id, place,
                   "is " + artifact->mediaType + "; " + type + " would be right");
    else if (name == "partition" && run.trains())
      checkPartition(database, run, artifact->bytes, findings);
    if (artifact->mediaType == "application/x-npz" && help.unreadableNpz)
      if (const std::string fault = help.unreadableNpz(artifact->bytes); !fault.empty())
        findings.add("artifact", run.row.id, place, fault);
  }
}

}  // namespace halo
