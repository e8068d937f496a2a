#include "app/commands/list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <sstream>

#include "app/commands/command.h"
#include "app/report/metrics.h"
#include "app/report/table.h"
#include "engine/base/index.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"
#include "engine/record/analysis/model_verdict.h"
#include "engine/record/analysis/unlike.h"
#include "engine/record/tables/components.h"

namespace halo {
namespace {

const MetricValue& figure(const MetricValues& values, const std::string& key) {
  return values[at(metricNamed(key) - metrics().data())];
}

/// None of a simulation without workers: its rows are lanes, engines or some of the workers.
MetricValue workersOf(const RunRow& run, const MetricValues& values) {
  return run.kind == "simulation" ? figure(values, "simulated_workers") : MetricValue(run.workers);
}

Json jsonOf(const RunRow& run, const MetricValues& values) {
  const double workers = orNaN(workersOf(run, values));
  return {{"run", run.id},
          {"experiment", run.experimentId},
          {"name", run.name},
          {"kind", run.kind},
          {"method", run.method},
          {"dataset", run.dataset},
          {"model", run.model},
          {"workers", std::isfinite(workers) ? Json(static_cast<std::int64_t>(workers)) : Json()},
          {"seed", run.seed},
          {"status", run.status},
          {"error", run.error},
          {"marks", run.marks},
          {"tags", run.tags},
          {"started_at", run.startedAt},
          {"finished_at", run.finishedAt},
          {"host", run.host},
          {"version", run.version},
          {"fingerprint", run.fingerprint}};
}

/// Null for what is lost or infinite: JSON has no word for it.
void addMetrics(Json& json, const MetricValues& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (isLost(values[i]) || std::isinf(orNaN(values[i])))
      json[metrics()[i].key] = nullptr;
    else if (std::isfinite(orNaN(values[i])))
      json[metrics()[i].key] = *values[i];
}

int list(const Common& common, const std::string& tag, const std::string& status) {
  const auto database = openRecording(common);
  learnMetrics(*database);
  std::vector<RunRow> chosen;
  for (const RunRow& run : Runs(*database).all()) {
    const bool tagged = tag.empty() || ("," + run.tags + ",").find("," + tag + ",") != std::string::npos;
    if (tagged && (status.empty() || run.status == status)) chosen.push_back(run);
  }
  printRuns(*database, chosen, common.json);
  return 0;
}

void showWorkers(const std::vector<WorkerRow>& workers) {
  Table table({"rank", "role", "host", "threads", "vertices", "boundary", "remote", "nonzeros", "features",
               "peak memory"});
  for (const WorkerRow& w : workers)
    table.add({std::to_string(w.rank), w.role, w.host, std::to_string(w.threads), std::to_string(w.vertices),
               std::to_string(w.boundary), std::to_string(w.remote), std::to_string(w.nonzeros),
               byteText(static_cast<double>(w.featureBytes)), byteText(static_cast<double>(w.peakRssBytes))});
  if (!table.empty()) print("\nWorkers\n" + table.text());
}

/// Cycles by cause of each component of each device, as a simulation of devices keeps them in its artifact
/// `counts`: lines "spu 0-31,32,adders,stall,rows,123,cycles". Empty where there is none.
using Stalls = std::map<std::pair<std::string, std::string>, std::map<std::string, std::int64_t>>;
Stalls stallsOf(const Runs& runs, const RunRow& run) {
  enum Field { device, devices, component, what, cause, value, unit, kFields };
  Stalls stalls;
  const auto counts = runs.artifact(run.id, "counts");
  std::istringstream lines(counts ? counts->bytes : "");
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, ',');) fields.push_back(part);
    std::int64_t cycles = 0;
    if (fields.size() != kFields || fields[what] != "stall") continue;
    std::from_chars(fields[value].data(), fields[value].data() + fields[value].size(), cycles);
    if (cycles > 0) stalls[{fields[device], fields[component]}][fields[cause]] = cycles;
  }
  return stalls;
}

/// The longest first: "rows 61 %, filling 3 %", of the stalled cycles.
std::string causesText(const std::map<std::string, std::int64_t>& causes, std::int64_t stalled) {
  std::vector<std::pair<std::string, std::int64_t>> sorted(causes.begin(), causes.end());
  std::ranges::stable_sort(sorted, std::greater<>(), &std::pair<std::string, std::int64_t>::second);
  std::string text;
  for (const auto& [cause, cycles] : sorted) {
    const double percent = 100.0 * static_cast<double>(cycles) / static_cast<double>(stalled);
    text += (text.empty() ? "" : ", ") + cause + (percent < 1 ? " < 1 %" : fmt::format(" {:.0f} %", percent));
  }
  return text;
}

void showComponents(const std::vector<ComponentRow>& components, Stalls stalls) {
  Table table({"device", "component", "busy cycles", "stalled cycles", "through it", "energy, J",
               "stalled by, share of it"});
  for (const ComponentRow& c : components)
    table.add({c.device, c.component, std::to_string(c.busyCycles), std::to_string(c.stallCycles),
               byteText(static_cast<double>(c.bytes)), shortNumber(c.energyPj * 1e-12),
               causesText(stalls[{c.device, c.component}], c.stallCycles)});
  if (!table.empty()) print("\nComponents, of one device each\n" + table.text());
}

/// What was noticed while its data set was read.
std::vector<std::string> remarksOf(const Runs& runs, const RunRow& run) {
  std::vector<std::string> remarks;
  const auto artifact = runs.artifact(run.id, "remarks");
  std::istringstream lines(artifact ? artifact->bytes : "");
  for (std::string line; std::getline(lines, line);) remarks.push_back(line);
  return remarks;
}

/// An error may have lines, as a compiler's words have. In a cell they are parts of one sentence.
std::string withoutLineEnds(const std::string& error) {
  std::string sentence;
  std::istringstream lines(error);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r;");
    if (first == std::string::npos || last == std::string::npos) continue;
    if (!sentence.empty()) sentence += sentence.ends_with(':') ? " " : "; ";
    sentence += line.substr(first, last - first + 1);
  }
  return sentence;
}

/// What a node's performance model predicted, held against what was measured.
void showModel(const std::optional<ModelVerdict>& verdict) {
  if (!verdict) return;
  Table table({"part", "predicted over measured", "verdict"});
  for (const ModelVerdict::Part& part : verdict->parts)
    table.add({part.name, fmt::format("{:+.1f} %", 100 * part.error),
               !verdict->measured ? "–"
               : part.fits()      ? "within"
                                  : "does not come out"});
  print("\nPerformance model\n" + table.text() + onOneLine(verdict->sentence()) + "\n");
}

Json modelJson(const ModelVerdict& verdict) {
  Json json = {{"measured", verdict.measured},
               {"holds", verdict.measured ? Json(verdict.holds()) : Json()},
               {"platform", verdict.platform},
               {"sentence", verdict.sentence()},
               {"parts", Json::array()}};
  for (const ModelVerdict::Part& part : verdict.parts)
    json["parts"].push_back({{"part", part.name},
                             {"error", part.error},
                             {"fits", verdict.measured ? Json(part.fits()) : Json()}});
  return json;
}

int showJson(Database& database, Runs& runs, const RunRow& run, const MetricValues& values) {
  Json json = jsonOf(run, values);
  addMetrics(json, values);
  json["parameters"] = runs.parameters(run.id);
  json["latest"] = runs.latest(run.id);
  json["artifacts"] = runs.artifactNames(run.id);
  if (const auto verdict = modelVerdict(run, runs.parameters(run.id), runs.latest(run.id)))
    json["performance_model"] = modelJson(*verdict);
  json["remarks"] = remarksOf(runs, run);
  for (const WorkerRow& w : runs.workers(run.id))
    json["workers_detail"].push_back({{"rank", w.rank},
                                      {"role", w.role},
                                      {"host", w.host},
                                      {"threads", w.threads},
                                      {"vertices", w.vertices},
                                      {"boundary", w.boundary},
                                      {"remote", w.remote},
                                      {"nonzeros", w.nonzeros},
                                      {"feature_bytes", w.featureBytes},
                                      {"peak_rss_bytes", w.peakRssBytes},
                                      {"dropped_spans", w.droppedSpans}});
  Stalls stalls = stallsOf(runs, run);
  for (const ComponentRow& c : Components(database).rowsOf(run.id))
    json["components"].push_back({{"device", c.device},
                                  {"component", c.component},
                                  {"busy_cycles", c.busyCycles},
                                  {"stall_cycles", c.stallCycles},
                                  {"stall_cycles_by_cause", stalls[{c.device, c.component}]},
                                  {"bytes", c.bytes},
                                  {"energy_pj", c.energyPj}});
  printJson(json);
  return 0;
}

/// A text that is the result itself; with --json one object.
int showText(const Common& common, const RunRow& run, const char* key, const std::string& text) {
  if (common.json)
    printJson({{"run", run.id}, {key, text}});
  else
    printDocument(text);
  return 0;
}

std::string logOf(const Runs& runs, const RunRow& run) {
  const auto artifact = runs.artifact(run.id, "log");
  if (!artifact) throw InputError({.key = "RUN", .message = fmt::format("run {} has no log", run.id)});
  return artifact->bytes;
}

int show(const Common& common, const std::string& word, bool log, bool text) {
  const auto database = openRecording(common);
  learnMetrics(*database);
  Runs runs(*database);
  const RunRow run = findRun(*database, word);
  if (log) return showText(common, run, "log", logOf(runs, run));
  if (text) return showText(common, run, "experiment", runs.experiment(run.experimentId).text);
  const MetricValues values = metricsOf(*database, run);
  if (common.json) return showJson(*database, runs, run, values);
  Table head({"run " + std::to_string(run.id), run.name});
  head.add({"status", run.status});
  for (const auto& [title, value] : {std::pair{"error", withoutLineEnds(run.error)},
                                     {"marks", run.marks},
                                     {"tags", run.tags},
                                     {"dataset", run.dataset},
                                     {"started", run.startedAt},
                                     {"finished", run.finishedAt},
                                     {"host", run.host},
                                     {"version", run.version},
                                     {"fingerprint", run.fingerprint}})
    if (!value.empty()) head.add({title, value});
  for (const std::string& remark : remarksOf(runs, run)) head.add({"remark", remark});
  print(head.text());
  Table figures({"metric", "value"});
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i]) figures.add({metrics()[i].title, metricText(metrics()[i], values[i])});
  print("\nMetrics\n" + figures.text());
  showModel(modelVerdict(run, runs.parameters(run.id), runs.latest(run.id)));
  if (run.kind == "simulation")
    showComponents(Components(*database).rowsOf(run.id), stallsOf(runs, run));
  else
    showWorkers(runs.workers(run.id));
  Table parameters({"key", "value"});
  for (const auto& [key, value] : runs.parameters(run.id)) parameters.add({key, value});
  print("\nParameters\n" + parameters.text());
  std::string artifacts;
  for (const std::string& name : runs.artifactNames(run.id)) artifacts += " " + name;
  if (!artifacts.empty()) print("\nArtifacts:" + onOneLine(artifacts) + "\n");
  return 0;
}

/// A line below a table of runs that may not be compared as they stand; else nothing.
std::string unlikeText(Database& database, const std::vector<RunRow>& runs) {
  std::vector<std::map<std::string, std::string>> parameters;
  for (const RunRow& run : runs) parameters.push_back(Runs(database).parameters(run.id));
  std::vector<ComparedRun> compared;
  for (std::size_t i = 0; i < runs.size(); ++i) compared.push_back({runs[i], parameters[i]});
  const std::string sentence = unlikeSentence(compared);
  return sentence.empty() ? "" : onOneLine(sentence) + "; `haloscope compare` has the values\n";
}

}  // namespace

void printRuns(Database& database, const std::vector<RunRow>& runs, bool json) {
  Table table({"run", "name", "status", "dataset", "workers", "epochs", "loss", "valid", "test", "epoch",
               "volume/epoch", "marks"});
  for (const RunRow& run : runs) {
    const MetricValues values = metricsOf(database, run);
    if (json) {
      Json object = jsonOf(run, values);
      addMetrics(object, values);
      printJson(object);
      continue;
    }
    const auto cell = [&](const char* key) { return metricText(*metricNamed(key), figure(values, key)); };
    table.add({std::to_string(run.id), run.name, run.status, run.dataset,
               metricText(*metricNamed("simulated_workers"), workersOf(run, values)), cell("epochs"),
               cell("loss"), cell("valid"), cell("test"), cell("epoch_seconds"), cell("bytes_per_epoch"),
               run.marks});
  }
  if (!json) print(table.text() + unlikeText(database, runs));
}

void addList(CLI::App& app, Common& common, Action& action) {
  auto* listing = app.add_subcommand("list", "The runs of a recording");
  auto* tag = listing->add_option("--tag", "Only runs with this tag")->type_name("TAG");
  auto* status = listing->add_option("--status", "Only runs in this state")
                     ->check(oneOf({"queued", "running", "completed", "failed", "cancelled", "interrupted"}));
  listing->callback([&common, &action, tag, status] {
    const auto text = [](const CLI::Option* option) {
      return option->count() > 0 ? option->as<std::string>() : "";
    };
    action = [&common, tag = text(tag), status = text(status)] { return list(common, tag, status); };
  });

  auto* showing = app.add_subcommand("show", "Everything about one run");
  auto* run = showing->add_option("RUN", "Its number, or last")->required();
  auto* log = showing->add_flag("--log")->description("Only what its workers wrote");
  auto* text = showing->add_flag("--experiment")->description("Only the text of its experiment file");
  showing->callback([&common, &action, run, log, text] {
    action = [&common, run, log, text] {
      return show(common, run->as<std::string>(), log->count() > 0, text->count() > 0);
    };
  });
}

}  // namespace halo
