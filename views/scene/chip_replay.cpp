#include "views/scene/chip_replay.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string_view>

#include "engine/record/tables/runs.h"
#include "views/look/units.h"

namespace halo {

namespace {

using Parameters = std::map<std::string, std::string>;

/// Without the quotes of a text; empty where there is none.
std::string wordOf(const Parameters& parameters, const std::string& key) {
  const auto value = parameters.find(key);
  if (value == parameters.end()) return {};
  const std::string& text = value->second;
  const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

std::int64_t replayedRun(const Parameters& parameters) {
  const std::string word = wordOf(parameters, "simulate.replay");
  std::int64_t run = 0;
  std::from_chars(word.data(), word.data() + word.size(), run);
  return run;
}

bool isUnchanged(const Parameters& parameters) {
  const auto isFallback = [&](const char* key, std::initializer_list<std::string_view> fallbacks) {
    const std::string word = wordOf(parameters, key);
    return word.empty() || std::ranges::find(fallbacks, word) != fallbacks.end();  // empty: an older version
  };
  const std::string machine = wordOf(parameters, "result.machine");
  return isFallback("simulate.rank_speed", {}) && isFallback("simulate.cores", {"0"}) &&
         isFallback("simulate.bits", {"0", "0.0"}) && isFallback("simulate.overlap", {"as-it-was"}) &&
         (machine == "its own link" || machine == "none");
}

std::optional<double> figureOf(const std::map<std::string, double>& latest, const std::string& key) {
  const auto figure = latest.find(key);
  return figure == latest.end() || !std::isfinite(figure->second) ? std::nullopt
                                                                  : std::optional(figure->second);
}

/// Of the newest simulation that replays the same recorded run as it was.
std::optional<double> unchangedSeconds(Database& recording, const Parameters& changed) {
  constexpr std::array<std::string_view, 2> kSections = {"simulate", "result"};
  const Runs runs(recording);
  std::optional<double> seconds;
  for (const RunRow& run : runs.all()) {
    if (run.kind != "simulation" || run.status != "completed") continue;
    const Parameters parameters = runs.parameters(run.id, kSections);
    if (replayedRun(parameters) == replayedRun(changed) && isUnchanged(parameters) &&
        wordOf(parameters, "simulate.replayed_fingerprint") ==
            wordOf(changed, "simulate.replayed_fingerprint"))
      seconds = figureOf(runs.latest(run.id), "simulated_seconds");
  }
  return seconds;
}

}  // namespace

std::optional<double> ChipReplay::error() const {
  const auto replayed = changed ? unchangedSeconds : std::optional(seconds);
  if (!replayed || measuredSeconds <= 0) return std::nullopt;
  return *replayed / measuredSeconds - 1;
}

std::optional<ChipReplay> replayOf(Database& recording, const RunRow& run, const Parameters& parameters,
                                   const std::map<std::string, double>& latest) {
  const std::int64_t replayed = run.kind == "simulation" ? replayedRun(parameters) : 0;
  const auto seconds = figureOf(latest, "simulated_seconds");
  if (replayed <= 0 || !seconds) return std::nullopt;
  ChipReplay replay{replayed, !isUnchanged(parameters), *seconds,
                    figureOf(latest, "replayed_epoch_seconds").value_or(0)};
  if (replay.changed) replay.unchangedSeconds = unchangedSeconds(recording, parameters);
  return replay;
}

QString changeText(double part, double base) {
  const double change = 100 * (part / base - 1);
  return QString("%1%2 %").arg(change >= 0 ? "+" : "−").arg(std::abs(change), 0, 'f', 1);
}

QString replayText(double changed, double unchanged, double measured) {
  const double base = unchanged > 0 ? unchanged : measured;
  QString text = "an epoch of " + formatSeconds(changed);
  if (base > 0)
    text += QString(", %1 of %2 %3")
                .arg(changeText(changed, base), formatSeconds(base), unchanged > 0 ? "replayed" : "measured");
  if (unchanged > 0 && measured > 0)
    text += QString("; the replay itself is %1 of the %2 measured")
                .arg(changeText(unchanged, measured), formatSeconds(measured));
  return text;
}

QString replayText(const ChipReplay& replay) {
  return QString("replay of run %1%2: ").arg(replay.run).arg(replay.changed ? "" : ", unchanged") +
         replayText(replay.seconds, replay.unchangedSeconds.value_or(0), replay.measuredSeconds);
}

}  // namespace halo
