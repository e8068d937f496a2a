#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "engine/base/fingerprint.h"
#include "engine/record/check/checks.h"

namespace halo {
namespace {

bool hasEnded(const std::string& status) {
  return status == "completed" || status == "failed" || status == "cancelled" || status == "interrupted";
}

void checkStatus(const RunRow& run, Findings& findings) {
  if (run.status == "completed" && !run.error.empty())
    findings.add("status", run.id, "", "is completed, and has an error: " + run.error);
  if (hasEnded(run.status) && run.status != "completed" && run.error.empty())
    findings.add("status", run.id, "", "is " + run.status + ", and no error says why");
  if (hasEnded(run.status) && run.finishedAt.empty())
    findings.add("status", run.id, "", "is " + run.status + ", and finished_at does not say when");
  // both as 2026-11-23T01:35:21Z, which sorts as time does
  if (!run.startedAt.empty() && !run.finishedAt.empty() && run.finishedAt < run.startedAt)
    findings.add("status", run.id, "",
                 "was finished at " + run.finishedAt + ", before it was started at " + run.startedAt);
}

/// What stands in the row of `run` and as a key of `parameter`.
void checkKeys(const CheckedRun& run, Findings& findings) {
  const RunRow& row = run.row;
  for (const auto& [column, value, key] :
       {std::tuple{"method", row.method, "run.method"},
        {"model", row.model, "model.kind"},
        {"workers", std::to_string(row.workers), "cluster.workers"},
        {"seed", std::to_string(static_cast<std::uint64_t>(row.seed)), "training.seed"}})
    if (const std::string word = run.word(key); word != value)
      findings.add("keys", row.id, "",
                   std::string("its ") + column + " is " + value + ", parameter " + key + " is " +
                       (word.empty() ? "not there" : word));
}

/// A file or folder is called by its name, once the workers have read it (calledName in datasets/).
std::string calledName(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

void checkDataset(const CheckedRun& run, Findings& findings) {
  const std::string graph = run.word("simulate.graph");  // published figures in a data set's place
  const std::string key = graph.empty() ? "dataset.name" : "simulate.graph", word = run.word(key);
  if (run.row.dataset == word || run.row.dataset == calledName(word)) return;
  findings.add("keys", run.row.id, "",
               "its dataset is " + run.row.dataset + ", parameter " + key + " is " +
                   (word.empty() ? "not there" : word));
}

void checkFingerprint(const CheckedRun& run, Findings& findings) {
  const std::string fingerprint =
      run.trains() ? trainingFingerprint(run.parameters) : simulationFingerprint(run.parameters);
  if (run.row.fingerprint != fingerprint)
    findings.add("fingerprint", run.row.id, "",
                 "its fingerprint is " + run.row.fingerprint + ", that of its rows in parameter " +
                     fingerprint + ": a key was changed, added or lost");
}

void checkMarks(const CheckedRun& run, Findings& findings) {
  const RunRow& row = run.row;
  for (const char* mark : {"simulated", "extrapolated"})
    if (row.marks.find(mark) != std::string::npos)
      findings.add("marks", row.id, "", std::string("was trained, and is marked '") + mark + "'");
  const bool says = row.marks.find("emulated link") != std::string::npos,
             is = row.workers > 1 && run.parameters.contains("cluster.link.bandwidth_gbit");
  // marks are known once the workers are ready
  if (says && !is) findings.add("marks", row.id, "", "is marked 'emulated link', and its keys name none");
  if (is && !says && run.completed())
    findings.add("marks", row.id, "", "had an emulated link, and is not marked 'emulated link'");
}

}  // namespace

std::string CheckedRun::word(const std::string& key) const {
  const auto parameter = parameters.find(key);
  if (parameter == parameters.end()) return "";
  const std::string& text = parameter->second;
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  std::string word;  // toText put a backslash before quotes and backslashes
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    if (text[at] == '\\' && at + 2 < text.size()) ++at;
    word += text[at];
  }
  return word;
}

std::int64_t CheckedRun::number(const std::string& key, std::int64_t otherwise) const {
  const std::string text = word(key);
  std::int64_t value = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && last == text.data() + text.size() && !text.empty() ? value : otherwise;
}

double CheckedRun::linkGbit() const {
  return std::strtod(word("cluster.link.bandwidth_gbit").c_str(), nullptr);
}

void checkRunRow(const CheckedRun& run, Findings& findings) {
  checkStatus(run.row, findings);
  // the schema admits it, and no version of Haloscope writes it: what could be looked at nobody knows
  if (run.row.kind == "projection")
    findings.add("kind", run.row.id, "",
                 "its kind is projection, which nothing writes; training or simulation");
  if (run.parameters.empty()) {
    findings.add("keys", run.row.id, "", "has nothing in table parameter; every resolved key stands there");
    return;
  }
  if (run.row.kind == "simulation" && run.row.marks.find("simulated") == std::string::npos)
    findings.add("marks", run.row.id, "", "is a simulation, and is not marked 'simulated'");
  checkFingerprint(run, findings);
  checkDataset(run, findings);
  if (!run.trains()) return;
  checkKeys(run, findings);
  checkMarks(run, findings);
}

}  // namespace halo
