#include "app/commands/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/program/failure.h"
#include "app/report/table.h"
#include "engine/base/clock.h"
#include "engine/base/plain_text.h"

namespace halo {
namespace {

constexpr std::int64_t kLineEveryNs = 10'000'000'000;
constexpr std::int64_t kDrawEveryNs = 100'000'000;

Json jsonOf(const EpochRow& epoch) {
  Json json = {{"epoch", epoch.epoch}, {"wall_ns", epoch.wallNs}, {"loss", epoch.loss}};
  if (epoch.train) json["train_score"] = *epoch.train;
  if (epoch.valid) json["valid_score"] = *epoch.valid;
  if (epoch.test) json["test_score"] = *epoch.test;
  return json;
}

/// An event reaches whoever follows it at once, through a pipe too.
void printEvent(const Json& event) {
  printJson(event);
  std::fflush(stdout);
}

}  // namespace

ProgressBar::ProgressBar(const Common& common) : drawing_(!common.quiet && ::isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (drawn_) redrawLine("");
}

Progress ProgressBar::progress() {
  if (!drawing_) return {};
  return [this](const std::string& step, double share) {
    drawn_ = true;
    redrawLine(bar(share) + " " + step);
  };
}

void tellUnrecorded(const Common& common, const std::exception& error) {
  if (!common.json) return;
  const Failure failure = failureOf(error);
  printEvent({{"event", "finish"},
              {"run", nullptr},
              {"status", "failed"},
              {"error", failure.message},
              {"exit_status", failure.status}});
}

std::string bar(double share) {
  constexpr int kCells = 10;
  const int full = std::clamp(static_cast<int>(std::floor(share * kCells + 1e-9)), 0, kCells);
  return "[" + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(kCells - full), '.') + "]";
}

std::string epochText(const EpochRow& epoch, std::int64_t epochsTotal, double epochsPerSecond) {
  const auto number = [](double value) {
    constexpr double kLarge = 1e6;  // whose digits would be noise
    if (std::isnan(value)) return std::string("NaN");
    return std::abs(value) < kLarge ? fmt::format("{:.4f}", value) : fmt::format("{:.3e}", value);
  };
  std::string text = fmt::format("epoch {}/{}, loss {}", epoch.epoch + 1, epochsTotal, number(epoch.loss));
  if (epoch.valid) text += ", valid " + number(*epoch.valid);
  if (epochsPerSecond <= 0) return text;
  text += fmt::format(", {} epochs/s", shortNumber(epochsPerSecond));
  if (epoch.epoch + 1 >= epochsTotal) return text;
  const double left = static_cast<double>(epochsTotal - epoch.epoch - 1) / epochsPerSecond;
  return text + fmt::format(", {} left", secondsText(left));
}

ProgressView::ProgressView(const Common& common, std::size_t runs, bool terminal,
                           std::set<std::string> remarked)
    : common_(common),
      runs_(runs),
      remarked_(std::move(remarked)),
      terminal_(terminal && !common.json && !common.quiet) {}

void ProgressView::redraw(const std::string& line) {
  redrawLine(line);
  drawn_ = true;
}

void ProgressView::clear() {
  if (drawn_) redrawLine("");
  drawn_ = false;
}

void ProgressView::onProgress(const RunRow& run, const std::string& step, double share) {
  if (terminal_) redraw(fmt::format("{} {} {}", bar(share), run.name, step));
}

void ProgressView::onRemark(const RunRow& run, const std::string& remark) {
  if (common_.json) printEvent({{"event", "remark"}, {"run", run.id}, {"remark", remark}});
  if (!remarked_.insert(remark).second || common_.quiet) return;
  clear();
  say(remark + "\n");
}

void ProgressView::onStart(const RunRow& run) {
  beganNs_ = lastLineNs_ = wallNs();
  epochs_ = 0;
  if (common_.json)
    return printEvent({{"event", "start"},
                       {"run", run.id},
                       {"name", run.name},
                       {"workers", run.workers},
                       {"marks", run.marks}});
  if (common_.quiet) return;
  clear();
  say(fmt::format("run {} ({}/{}): {}{}\n", run.id, finished_ + 1, runs_, onOneLine(run.name),
                  run.marks.empty() ? "" : " [" + run.marks + "]"));
}

void ProgressView::onEpoch(const RunRow& run, const EpochRow& epoch, std::int64_t epochsTotal) {
  ++epochs_;
  if (common_.json) {
    Json json = {{"event", "epoch"}, {"run", run.id}};
    json.update(jsonOf(epoch));
    return printEvent(json);
  }
  if (common_.quiet) return;
  const std::int64_t now = wallNs();
  const bool last = epoch.epoch + 1 == epochsTotal;
  if (!last && now - lastLineNs_ < (terminal_ ? kDrawEveryNs : kLineEveryNs)) return;
  lastLineNs_ = now;
  const double speed =
      now > beganNs_ ? static_cast<double>(epochs_) * 1e9 / static_cast<double>(now - beganNs_) : 0;
  const std::string text = epochText(epoch, epochsTotal, speed);
  if (terminal_)
    redraw(bar(static_cast<double>(epoch.epoch + 1) / static_cast<double>(epochsTotal)) + " " + text);
  else
    say(fmt::format("run {}: {}\n", run.id, text));
}

void ProgressView::onLog(const RunRow& run, const std::string& line) {
  if (common_.quiet || line.empty()) return;
  clear();
  say(fmt::format("run {}: {}\n", run.id, line));
}

void ProgressView::onFinish(const RunRow& run, const RunOutcome& outcome) {
  ++finished_;
  clear();
  if (common_.json) {
    Json event = {{"event", "finish"},
                  {"run", run.id},
                  {"status", outcome.status},
                  {"error", outcome.error},
                  {"exit_status", outcome.exitStatus}};
    if (!outcome.remark.empty()) event["remark"] = outcome.remark;
    printEvent(event);
  }
  if (!outcome.error.empty()) say(fmt::format("run {}: {}: {}\n", run.id, outcome.status, outcome.error));
  if (!outcome.remark.empty()) say(fmt::format("run {}: {}: {}\n", run.id, outcome.status, outcome.remark));
}

}  // namespace halo
